package stream

import (
	"context"
	"errors"
)

// Source delivers the messages of one partition in order.
type Source interface {
	// Read blocks until at least one message is there, then fills dst with the messages at
	// hand and returns their number. With n < len(dst) no more are waiting: their
	// results are then written without delay. Key and Value stay valid until the next Read.
	//
	// io.EOF ends a replay. A source repeats failed requests itself. When ctx ends, Read
	// returns the error of ctx and loses no message: the next Read, if any, goes on where
	// this one stopped.
	Read(ctx context.Context, dst []Message) (n int, err error)
	Close() error
}

// Sink accepts points. Write blocks until every point of b was accepted, and repeats failed
// requests while ctx lives; it keeps no reference to b. Writing a batch twice has the
// effect of writing it once. A batch with a Checkpoint must be durable when Write returns: a
// checkpoint follows.
type Sink interface {
	Write(ctx context.Context, b *Batch) error
	Close() error
}

// Heartbeat reports progress of an edge: one that waits, or repeats a request, calls it
// at least every minute, or it is taken for hung.
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

// DeadLetters keeps messages that could not be used, with the reason. They are
// durable when WriteDeadLetters returns.
type DeadLetters interface {
	WriteDeadLetters(ctx context.Context, letters []DeadLetter) error
	Close() error
}

// ErrDeleted is the error of a Decoder for a message that deletes an earlier one, such as a tombstone: no
// record, and nothing that is wrong.
var ErrDeleted = errors.New("stream: the message deletes an earlier one")

// Decoder turns a message into a record. The error is a *refuse.Error for a
// message that cannot be used, or ErrDeleted.
type Decoder interface {
	Decode(r *Record, m *Message) error
}

// Splitter is a Decoder of messages that hold any number of records. Split begins a
// message. Next decodes one record after the other and returns io.EOF behind the last. A
// *refuse.Error rejects record.Message, which usually holds one part of the message; the next
// call goes on behind that part.
type Splitter interface {
	Decoder
	Split(m *Message)
	Next(r *Record) error
}
