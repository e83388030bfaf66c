package stream

import (
	"context"
	"errors"
)

// Source delivers the messages of one partition in order.
type Source interface {
	// Read blocks until at least one message is available, fills dst with the available messages and returns their
	// number. n < len(dst) means that no more are waiting, so their results are written without delay. Key and
	// Value stay valid until the next Read.
	//
	// A replay ends with io.EOF. A source repeats failed requests itself. When ctx ends, Read returns the error of
	// ctx and loses no message: the next Read continues at the same message.
	Read(ctx context.Context, dst []Message) (n int, err error)
	Close() error
}

// Sink accepts points. Write blocks until every point of b is accepted. It repeats failed requests until ctx ends,
// and keeps no reference to b. Writing a batch twice has the same effect as writing it once. A batch with
// Checkpoint set must be durable when Write returns: a checkpoint follows.
type Sink interface {
	Write(ctx context.Context, b *Batch) error
	Close() error
}

// Heartbeat reports progress of an edge. An edge that waits or repeats a request calls it at least once per minute;
// otherwise the watchdog takes the edge for hung.
func Heartbeat(ctx context.Context) {
	if beat, ok := ctx.Value(heartbeatKey{}).(func()); ok {
		beat()
	}
}

// WithHeartbeat returns a context whose Heartbeat calls beat.
func WithHeartbeat(ctx context.Context, beat func()) context.Context {
	return context.WithValue(ctx, heartbeatKey{}, beat)
}

type heartbeatKey struct{}

// DeadLetters stores messages that could not be used, with the reason. They are durable when WriteDeadLetters
// returns.
type DeadLetters interface {
	WriteDeadLetters(ctx context.Context, letters []DeadLetter) error
	Close() error
}

// ErrDeleted is the error of a Decoder for a message that deletes an earlier one, such as a tombstone. The message
// has no record and is not refused.
var ErrDeleted = errors.New("stream: the message deletes an earlier one")

// Decoder turns a message into a record. It returns a *refuse.Error for a message that cannot be used, or
// ErrDeleted.
type Decoder interface {
	Decode(r *Record, m *Message) error
}

// Splitter is a Decoder of messages that hold any number of records. Split begins a message. Each Next decodes the
// next record, and returns io.EOF after the last. A *refuse.Error rejects record.Message, which usually holds one
// part of the message. The next call continues behind that part.
type Splitter interface {
	Decoder
	Split(m *Message)
	Next(r *Record) error
}
