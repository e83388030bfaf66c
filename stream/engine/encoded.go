package engine

import (
	"io"
	"iter"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// Encoded returns the whole state if all is set, otherwise the changes since the last call of Saved, without series
// that had no record since. All batches must have been scored. Each reading encodes the state again, series by
// series, so the Engine must not learn or score meanwhile.
func (e *Engine) Encoded(all bool) checkpoint.State {
	v := encoding{e, all}
	return checkpoint.State{Size: snapshot.Size(v), Open: func() (io.ReadCloser, error) {
		next, stop := iter.Pull(snapshot.Pieces(v))
		return &pieceReader{next: next, stop: stop}, nil
	}}
}

// encoding is the whole state of an engine, or its changes.
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
	rest []byte // unread end of the current piece
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
