package filesink

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// Encoder turns the points of a batch into text.
type Encoder interface {
	// AppendHeader appends what a file begins with.
	AppendHeader(dst []byte) []byte
	// AppendBatch appends the points of b, ending with a newline if any.
	AppendBatch(dst []byte, b *stream.Batch) []byte
}

// Sink writes points to a file. It implements stream.Sink and checkpoint.Positioner.
type Sink struct {
	*output
	enc Encoder
	buf []byte
}

// Create opens the file at path for writing; "-" is standard output, which has no
// position. Resume cuts the file back, appends to it, or lets the first forecasts empty it.
// Without Resume the first forecasts empty the file.
func Create(path string, enc Encoder) (*Sink, error) {
	o, err := create(path)
	if err != nil {
		return nil, err
	}
	return &Sink{output: o, enc: enc}, nil
}

// Resume implements checkpoint.Positioner. It also fails when a file that at knows has another
// header: lines of other columns would follow.
func (s *Sink) Resume(at checkpoint.Positions) error {
	err := s.output.Resume(at)
	if _, known := at.Of(s.name()); err != nil || !known || s.length == 0 {
		return err
	}
	want := s.enc.AppendHeader(nil)
	if len(want) == 0 {
		return nil
	}
	got, err := bufio.NewReader(io.NewSectionReader(s.file, 0, s.length)).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: its first line: %w", s.path, err)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s has the columns %s, and this configuration writes %s. Give the output another path", s.path, bytes.TrimSpace(got), bytes.TrimSpace(want))
	}
	return nil
}

// Write implements stream.Sink.
func (s *Sink) Write(_ context.Context, b *stream.Batch) error {
	s.buf = s.buf[:0]
	if !s.resumed || s.length == 0 {
		s.buf = s.enc.AppendHeader(s.buf)
	}
	header := len(s.buf)
	if s.buf = s.enc.AppendBatch(s.buf, b); len(s.buf) == header {
		s.buf = s.buf[:0] // without forecasts the header is not written either
	}
	return s.write(s.buf, b.Checkpoint)
}
