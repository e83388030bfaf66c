package checkpoint

import (
	"bytes"
	"errors"
	"io"
)

// State is the encoded state of an engine, or its changes. It is read in pieces, because the whole state of a large
// fleet may not fit into memory.
type State struct {
	Size int64                         // length in bytes
	Open func() (io.ReadCloser, error) // opens a reader at the first byte; nil = no bytes
}

// StateOf returns a State held in memory.
func StateOf(b []byte) State {
	return State{Size: int64(len(b)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }}
}

// Reader opens a reader of s.
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
