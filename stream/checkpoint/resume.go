package checkpoint

import (
	"context"
	"github.com/orffvar/forecaster/stream"
)

// Seeker is a Source that can start at any offset. Seek, called before the first Read, sets the offset of the first
// message delivered to next. It fails if the log has another message at the offset of last, the last message
// applied. A Source without Seek may deliver messages again; the engine skips them.
type Seeker interface {
	Seek(ctx context.Context, next int64, last stream.Mark) error
}

// OnceOnly is a Source that may be unable to deliver a message twice, such as standard input.
type OnceOnly interface {
	Once() bool
}

// Verifier is a Source whose log can be replaced while it is read. Verify returns an error if the messages read so
// far may come from different logs. The runner calls it before each checkpoint, possibly from another goroutine
// than Read.
type Verifier interface {
	Verify(ctx context.Context) error
}

// Committer is a Source that is told the progress of durable processing. next is the offset of the first message
// not covered by a durable checkpoint.
type Committer interface {
	Commit(ctx context.Context, next int64) error
}

// Positioner is a Sink whose outputs must be restored at a restart. The positions after the last Write are saved
// with each checkpoint. Resume cuts a file back to its saved position, so that no point is written twice, and sends
// Position.Unsettled to a database again. It appends to an output that the checkpoint lacks. Nil Positions mean
// that there is no checkpoint: the outputs start empty.
type Positioner interface {
	Positions() Positions
	Resume(at Positions) error
}

// Store keeps the checkpoints of one partition.
type Store interface {
	// Load returns the newest valid checkpoint: a whole one, then the changes to it, in order. It returns
	// ErrNoCheckpoint if there is none.
	Load(ctx context.Context) ([]Checkpoint, error)

	// Save returns when the checkpoint is durable. Changes apply to the checkpoint that this Store saved last, so
	// the first checkpoint must be whole.
	Save(ctx context.Context, c Checkpoint) error
}
