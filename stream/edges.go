package stream

import "context"

// Source delivers the messages of one partition in order.
type Source interface {
	// Read blocks until at least one message is there, then fills dst with what
	// is available and returns the number. Key and Value stay valid until the
	// next Read. io.EOF ends a replay; a source that retries does so inside.
	// When ctx ends, Read returns its error and has lost nothing: the next Read,
	// if any, goes on where this one stopped. n < len(dst) says that nothing more is waiting: what was made of the
	// messages so far is then written without delay.
	Read(ctx context.Context, dst []Message) (n int, err error)
	Close() error
}

// Seeker is a Source that can start elsewhere than at its beginning: before the
// first Read, Seek makes next the offset of the first message delivered. It is an error
// when the log has another message at the offset of last, which was applied before. A
// Source without it may deliver messages again; the engine skips those that it
// has seen.
type Seeker interface {
	Seek(ctx context.Context, next int64, last Mark) error
}

// Verifier is a Source whose log can be replaced by another one while it is read. Verify
// returns an error when what was read so far may be from several logs: it is called
// before a checkpoint is saved, and may be called from another goroutine than Read.
type Verifier interface {
	Verify(ctx context.Context) error
}

// Committer is a Source that wants to know how far its messages were
// processed permanently: next is the offset of the first message not yet covered
// by a durable checkpoint.
type Committer interface {
	Commit(ctx context.Context, next int64) error
}

// Sink accepts points. Write blocks until everything in b was accepted,
// retrying transient failures for as long as ctx lives; it keeps no reference
// to b. Writing the same batch twice has the effect of writing it once. A batch
// with a Snapshot must be durable when Write returns: a checkpoint follows.
type Sink interface {
	Write(ctx context.Context, b *Batch) error
	Close() error
}

// Positioner is a Sink whose output has a position (a file): the positions after the
// last Write are saved with each checkpoint, and Resume cuts the output back to the
// position of its kind and path, so that what is written again is not there twice.
// Resume appends to an output that the checkpoint does not know. Without a checkpoint
// at is nil, and the output starts from nothing.
type Positioner interface {
	Positions() Positions
	Resume(at Positions) error
}

// Store keeps the checkpoints of one partition.
type Store interface {
	// Load returns the newest checkpoint that is valid, as a whole one and the
	// changes to it in order, or ErrNoCheckpoint.
	Load(ctx context.Context) ([]Checkpoint, error)

	// Save returns when the checkpoint is durable. Changes are those to the one
	// that the same Store has saved last; the first one is whole.
	Save(ctx context.Context, c Checkpoint) error
}

// Heartbeat says that an edge is alive: one that waits, or repeats a request, calls it
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

// Decoder turns a message into a record. An error is a *DataError and says
// why the message cannot be used.
type Decoder interface {
	Decode(r *Record, m *Message) error
}

// Splitter is a Decoder of messages that hold any number of records. Split
// begins a message and Next decodes its records one after the other, until it
// returns io.EOF. A *DataError refuses what is the Message of the record then, a
// part of the whole as a rule, and the next call goes on behind it.
type Splitter interface {
	Decoder
	Split(m *Message)
	Next(r *Record) error
}
