package stream

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/orffvar/forecaster/eval/snapshot"
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

func (s State) open() (io.ReadCloser, error) {
	if s.Open == nil {
		s = StateOf(nil)
	}
	return s.Open()
}

// Bytes returns the bytes of s.
func (s State) Bytes() ([]byte, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	return b, errors.Join(err, r.Close())
}

// Encoded returns the state, all of it or what has changed since the last call of Saved: series
// without a record since then cost nothing. All batches must have been scored. Each reading
// encodes it again, series by series: nothing may be learnt or scored meanwhile.
func (e *Engine) Encoded(all bool) State {
	v := encoding{e, all}
	return State{Size: snapshot.Size(v), Open: func() (io.ReadCloser, error) {
		next, stop := iter.Pull(snapshot.Pieces(v))
		return &pieceReader{next: next, stop: stop}, nil
	}}
}

// encoding is the state of an engine, or what has changed of it.
type encoding struct {
	e   *Engine
	all bool
}

// State implements snapshot.Stateful.
func (v encoding) State(c *snapshot.Codec) { v.e.stateOfAll(c, v.all) }

// pieceReader reads the pieces of an iterator.
type pieceReader struct {
	next func() ([]byte, bool)
	stop func()
	rest []byte // of the piece under way
}

// Read implements io.Reader.
func (r *pieceReader) Read(p []byte) (n int, err error) {
	for len(r.rest) == 0 {
		piece, ok := r.next()
		if !ok {
			return 0, io.EOF
		}
		r.rest = piece
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *pieceReader) Close() error {
	r.stop()
	return nil
}
