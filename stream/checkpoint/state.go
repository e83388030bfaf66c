package checkpoint

import (
	"bytes"
	"errors"
	"io"
)

// State is the encoded state of an engine, or what has changed of it. It is read piece by
// piece: large fleets have no memory for all of it.
type State struct {
	Size int64                         // bytes
	Open func() (io.ReadCloser, error) // reads them from the first one on; nil = there are none
}

// StateOf returns a State that is in memory.
func StateOf(b []byte) State {
	return State{Size: int64(len(b)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }}
}

// Reader opens s.
func (s State) Reader() (io.ReadCloser, error) {
	if s.Open == nil {
		s = StateOf(nil)
	}
	return s.Open()
}

// Bytes returns the bytes of s.
func (s State) Bytes() ([]byte, error) {
	r, err := s.Reader()
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	return b, errors.Join(err, r.Close())
}
