package streamtest

import (
	"context"
	"io"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

// memory is a source of three messages. It counts the seeks.
type memory struct {
	next  int
	seeks *int
}

func (m *memory) Read(ctx context.Context, dst []stream.Message) (n int, err error) {
	for ; n < len(dst) && m.next < 3; n, m.next = n+1, m.next+1 {
		dst[n] = message(m.next)
	}
	if n == 0 {
		err = io.EOF
	}
	return n, err
}

func (m *memory) Seek(_ context.Context, next int64, _ stream.Mark) error {
	*m.seeks++
	m.next = int(next)
	return nil
}

func (*memory) Close() error { return nil }

func message(i int) stream.Message {
	return stream.Message{Topic: "t", Offset: int64(i), Value: []byte{byte('a' + i)}}
}

// A source that can go on from a message is asked to, from each of them.
func TestSourceSeeks(t *testing.T) {
	seeks := 0
	TestSource(t, SourceTest{
		Open: func(*testing.T) stream.Source { return &memory{seeks: &seeks} },
		Want: []stream.Message{message(0), message(1), message(2)},
	})
	if seeks != 3 {
		t.Errorf("%d seeks to three messages", seeks)
	}
}
