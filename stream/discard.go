package stream

import "context"

// Discard is a Sink and a DeadLetters that accepts and drops everything.
type Discard struct{}

// Write implements Sink.
func (Discard) Write(context.Context, *Batch) error { return nil }

// WriteDeadLetters implements DeadLetters.
func (Discard) WriteDeadLetters(context.Context, []DeadLetter) error { return nil }

// Close implements Sink and DeadLetters.
func (Discard) Close() error { return nil }
