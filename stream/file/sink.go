package file

import (
	"context"

	"github.com/orffvar/forecaster/stream"
)

// Encoder turns the points of a batch into text.
type Encoder interface {
	// AppendHeader appends what a file begins with.
	AppendHeader(dst []byte) []byte
	// AppendBatch appends the points of b, ending with a newline if any.
	AppendBatch(dst []byte, b *stream.Batch) []byte
}

// Sink writes points to a file. It implements stream.Sink and stream.Positioner.
type Sink struct {
	*output
	enc Encoder
	buf []byte
}

// CreateSink opens the file at path for writing; "-" is standard output, which
// has no position. Resume empties the file, cuts it back or appends to it; a Write
// without Resume empties it.
func CreateSink(path string, enc Encoder) (*Sink, error) {
	o, err := create(path)
	if err != nil {
		return nil, err
	}
	return &Sink{output: o, enc: enc}, nil
}

// Write implements stream.Sink.
func (s *Sink) Write(_ context.Context, b *stream.Batch) error {
	s.buf = s.buf[:0]
	if !s.resumed || s.length == 0 {
		s.buf = s.enc.AppendHeader(s.buf)
	}
	s.buf = s.enc.AppendBatch(s.buf, b)
	return s.write(s.buf, b.Snapshot != nil)
}
