package streamtest

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

// TestStore tests the contract of stream.Store. A call of open means one place
// per t: it is called again after close, which ends what it returned.
func TestStore(t *testing.T, open func(t *testing.T) (s stream.Store, end func())) {
	ctx := context.Background()
	s, end := open(t)
	if c, err := s.Load(ctx); !errors.Is(err, stream.ErrNoCheckpoint) {
		t.Fatalf("a new store returned %+v, %v", c, err)
	}
	var want stream.Checkpoint
	for i := range 5 {
		want = stream.Checkpoint{
			Fingerprint: "model abc, build def", Next: int64(1000 * i), Sink: []byte("1234"), DeadLetters: []byte("5"),
			State: make([]byte, 1<<(4*i)+i),
		}
		for k := range want.State {
			want.State[k] = byte(k + i)
		}
		saved := want
		saved.State = append([]byte(nil), want.State...)
		if err := s.Save(ctx, saved); err != nil {
			t.Fatal(err)
		}
		clear(saved.State) // it was not to be kept
		expect(t, s, want)
		if i%2 == 1 {
			end()
			s, end = open(t)
			expect(t, s, want)
		}
	}
	end()
}

func expect(t *testing.T, s stream.Store, want stream.Checkpoint) {
	t.Helper()
	got, err := s.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got the checkpoint at %d of %d bytes, want that at %d of %d", got.Next, len(got.State), want.Next, len(want.State))
	}
}
