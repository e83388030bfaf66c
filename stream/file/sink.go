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
type Sink struct{}

// CreateSink opens the file at path for writing; "-" is standard output, which
// has no position. The file is emptied, or cut back, by Resume.
func CreateSink(path string, enc Encoder) (*Sink, error) { panic("file: not yet") }

// Write implements stream.Sink.
func (s *Sink) Write(ctx context.Context, b *stream.Batch) error { panic("file: not yet") }

// Position implements stream.Positioner.
func (s *Sink) Position() []byte { panic("file: not yet") }

// Resume implements stream.Positioner.
func (s *Sink) Resume(pos []byte) error { panic("file: not yet") }

// Close implements stream.Sink.
func (s *Sink) Close() error { panic("file: not yet") }

// DeadLetters writes dead letters as lines of JSON. It implements
// stream.DeadLetters and stream.Positioner.
type DeadLetters struct{}

// CreateDeadLetters opens the file at path for writing.
func CreateDeadLetters(path string) (*DeadLetters, error) { panic("file: not yet") }

// WriteDeadLetters implements stream.DeadLetters.
func (d *DeadLetters) WriteDeadLetters(ctx context.Context, letters []stream.DeadLetter) error {
	panic("file: not yet")
}

// Position implements stream.Positioner.
func (d *DeadLetters) Position() []byte { panic("file: not yet") }

// Resume implements stream.Positioner.
func (d *DeadLetters) Resume(pos []byte) error { panic("file: not yet") }

// Close implements stream.DeadLetters.
func (d *DeadLetters) Close() error { panic("file: not yet") }
