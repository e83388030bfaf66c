package file

import (
	"context"
	"io"
)

// live reads from an input that may block, such as standard input or a pipe, until its context ends. Its
// goroutine ends after close, when the Read in progress returns. A Read of standard input cannot be interrupted,
// so that goroutine may last until the program ends.
type live struct {
	ctx    context.Context // context of the Read in progress
	chunks chan chunk
	closed chan struct{}
	rest   []byte
	err    error
}

type chunk struct {
	data []byte
	err  error
}

func newLive(r io.Reader) *live {
	l := &live{ctx: context.Background(), chunks: make(chan chunk), closed: make(chan struct{})}
	go func() {
		for {
			buf := make([]byte, 1<<16)
			n, err := r.Read(buf)
			select {
			case l.chunks <- chunk{buf[:n], err}:
			case <-l.closed:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return l
}

func (l *live) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		select {
		case c := <-l.chunks:
			l.rest, l.err = c.data, c.err
		case <-l.ctx.Done():
			return 0, l.ctx.Err()
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *live) close() { close(l.closed) }
