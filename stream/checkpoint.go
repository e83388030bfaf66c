package stream

import "errors"

// Checkpoint is all that a restart needs.
type Checkpoint struct {
	Fingerprint string // of the config and the build that wrote it
	Next        int64  // offset to resume from
	Sink        []byte // position of the sink, see Positioner
	DeadLetters []byte // position of the dead letters, likewise
	State       []byte // of the engine
}

// ErrNoCheckpoint is returned by a Store that has none.
var ErrNoCheckpoint = errors.New("stream: no checkpoint")

// ErrCorrupt is wrapped by the errors of UnmarshalBinary that mean damage: an
// older checkpoint may still be good.
var ErrCorrupt = errors.New("stream: damaged checkpoint")

// ErrVersion is wrapped by the error of UnmarshalBinary for a checkpoint that a
// newer build wrote.
var ErrVersion = errors.New("stream: checkpoint of an unknown version")

// AppendBinary appends the checkpoint in the format of docs/checkpoint-format.md.
func (c *Checkpoint) AppendBinary(dst []byte) ([]byte, error) { panic("stream: not yet") }

// UnmarshalBinary decodes what AppendBinary wrote. It finds every truncation
// and every single flipped bit. The fields share no memory with b.
func (c *Checkpoint) UnmarshalBinary(b []byte) error { panic("stream: not yet") }
