package checkpoint

import (
	"context"
	"github.com/orffvar/forecaster/stream"
)

// Seeker is a Source that can start at any offset: before the first Read, Seek makes next
// the offset of the first message delivered. It is an error when the log has another
// message at the offset of last, which was applied before. A Source without Seek may
// deliver messages again; the engine skips messages that it has seen.
type Seeker interface {
	Seek(ctx context.Context, next int64, last stream.Mark) error
}

// OnceOnly is a Source that may be unable to deliver its messages again, such as standard input.
type OnceOnly interface {
	Once() bool
}

// Verifier is a Source whose log can be replaced by another one while it is read. Verify
// returns an error when the messages read so far may be from several logs. The runner calls
// Verify before it saves a checkpoint, possibly from another goroutine than Read.
type Verifier interface {
	Verify(ctx context.Context) error
}

// Committer is a Source that wants to know how far its messages were
// processed permanently: next is the offset of the first message not yet covered
// by a durable checkpoint.
type Committer interface {
	Commit(ctx context.Context, next int64) error
}

// Positioner is a Sink whose outputs have a position (files), or may lose what they have accepted
// (Position.Unsettled), which Resume sends again. The positions after the last
// Write are saved with each checkpoint. Resume cuts each output back to its saved position,
// so that no point is there twice, and appends to an output that the checkpoint does not
// know. A nil Positions means that there is no checkpoint: the outputs start empty.
type Positioner interface {
	Positions() Positions
	Resume(at Positions) error
}

// Store keeps the checkpoints of one partition.
type Store interface {
	// Load returns the newest valid checkpoint: a whole one, then the changes to it in
	// order. Without one it returns ErrNoCheckpoint.
	Load(ctx context.Context) ([]Checkpoint, error)

	// Save returns when the checkpoint is durable. A checkpoint of changes refers to the
	// checkpoint that this Store saved last; the first checkpoint is whole.
	Save(ctx context.Context, c Checkpoint) error
}
