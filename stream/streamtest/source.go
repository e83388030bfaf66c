package streamtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// SourceTest describes a source under test.
type SourceTest struct {
	// Open returns a new source of the messages in Want, at the first one.
	Open func(t *testing.T) stream.Source
	Want []stream.Message // at least two
	// Endless marks a source that waits for more messages after Want.
	Endless bool
}

// TestSource tests the contracts of stream.Source and, where implemented,
// checkpoint.Seeker.
func TestSource(t *testing.T, s SourceTest) {
	for _, size := range []int{1, 2, len(s.Want) + 1} {
		t.Run(fmt.Sprint("read ", size), func(t *testing.T) {
			src := s.open(t)
			s.expect(t, src, s.Want, size)
			if !s.Endless {
				for range 2 {
					if n, err := src.Read(context.Background(), make([]stream.Message, 1)); n != 0 || !errors.Is(err, io.EOF) {
						t.Fatalf("after the end Read returned %d, %v", n, err)
					}
				}
			}
		})
	}
	t.Run("ended context loses nothing", func(t *testing.T) {
		src := s.open(t)
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		for i := range s.Want {
			n, err := src.Read(ended, make([]stream.Message, 1))
			if n > 0 {
				continue // allowed: the message was already available
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("with an ended context Read returned %v", err)
			}
			s.expect(t, src, s.Want[i:], 2)
			return
		}
	})
	t.Run("seek", func(t *testing.T) {
		for i := range s.Want {
			src := s.open(t)
			seeker, ok := src.(checkpoint.Seeker)
			if !ok {
				t.Skip("the source has no Seek")
			}
			if err := seeker.Seek(context.Background(), s.Want[i].Offset, stream.Mark{}); err != nil {
				t.Fatal(err)
			}
			s.expect(t, src, s.Want[i:], 2)
		}
	})
}

func (s *SourceTest) open(t *testing.T) stream.Source {
	t.Helper()
	src := s.Open(t)
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return src
}

// expect reads the messages in want, at most size at once.
func (s *SourceTest) expect(t *testing.T, src stream.Source, want []stream.Message, size int) {
	t.Helper()
	dst := make([]stream.Message, size)
	for len(want) > 0 {
		n, err := src.Read(context.Background(), dst)
		if err != nil {
			t.Fatalf("%d messages are missing: %v", len(want), err)
		}
		if n < 1 || n > min(size, len(want)) {
			t.Fatalf("Read returned %d messages, %d were expected", n, min(size, len(want)))
		}
		for i := range n { // after the whole Read: none may overwrite another
			g, w := &dst[i], &want[i]
			if g.Topic != w.Topic || g.Partition != w.Partition || g.Offset != w.Offset ||
				!bytes.Equal(g.Key, w.Key) || !bytes.Equal(g.Value, w.Value) {
				t.Fatalf("got  %s %q %q\nwant %s %q %q", g.Origin(), g.Key, g.Value, w.Origin(), w.Key, w.Value)
			}
		}
		want = want[n:]
	}
}
