package stream

import "errors"

// Checkpoint is all that a restart needs.
type Checkpoint struct {
	Fingerprint string // of the config and the build that wrote it
	Next        int64  // offset to resume from
	Sink        []byte // position of the sink, see Positioner
	State       []byte // of the engine
}

// ErrNoCheckpoint is returned by a Store that has none.
var ErrNoCheckpoint = errors.New("stream: no checkpoint")
