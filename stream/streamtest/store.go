package streamtest

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// TestStore tests the contract of checkpoint.Store. Within one t, all calls of open use the same place. open is
// called again after end, which closes the store.
func TestStore(t *testing.T, open func(t *testing.T) (s checkpoint.Store, end func())) {
	ctx := context.Background()
	s, end := open(t)
	if list, err := s.Load(ctx); !errors.Is(err, checkpoint.ErrNoCheckpoint) {
		t.Fatalf("a new store returned %+v, %v", list, err)
	}
	var want []checkpoint.Checkpoint
	save := func(next, since int64, size int) {
		t.Helper()
		c := checkpoint.Checkpoint{
			Next: next, Since: since, Last: stream.Mark{Offset: next - 1, Hash: uint64(size)}, Outputs: checkpoint.Positions{{Output: "file a", Length: 1234}},
		}
		if since == 0 {
			c.Settings = []checkpoint.Setting{{Key: "model.order", Value: "3"}, {Key: "model.type", Value: "drift"}}
		}
		state := make([]byte, size)
		for k := range state {
			state[k] = byte(int64(k) + next)
		}
		c.State = checkpoint.StateOf(bytes.Clone(state))
		if since == 0 {
			want = nil
		}
		saved := c
		saved.State = checkpoint.StateOf(state)
		if err := s.Save(ctx, saved); err != nil {
			t.Fatal(err)
		}
		clear(state) // it was not to be kept
		want = append(want, c)
	}
	reopen := func() {
		t.Helper()
		end()
		s, end = open(t)
		expect(t, s, want)
	}
	for i := range 5 {
		next := int64(1000 * i)
		save(next, 0, 1<<(4*i)+i)
		if i == 3 {
			expect(t, s, want)
		}
		if i%2 == 1 {
			reopen()
			continue
		}
		if i == 0 {
			continue // Since = 0 would mark the changes as a whole state
		}
		for k := range int64(4) {
			save(next+k+1, next+k, 1<<(5*k)+1)
		}
		if i == 2 {
			reopen()
			if err := s.Save(ctx, checkpoint.Checkpoint{Next: next + 9, Since: next + 4}); err == nil {
				t.Error("a store that has saved nothing yet took changes")
			}
		}
	}
	reopen()
	end()
}

func expect(t *testing.T, s checkpoint.Store, want []checkpoint.Checkpoint) {
	t.Helper()
	got, err := s.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, want, func(a, b checkpoint.Checkpoint) bool { return EqualCheckpoints(t, a, b) }) {
		t.Fatalf("got %v, want %v (next, since, bytes)", places(got), places(want))
	}
}

// EqualCheckpoints reports whether a and b have equal fields and equal bytes of State.
func EqualCheckpoints(t testing.TB, a, b checkpoint.Checkpoint) bool {
	t.Helper()
	var states [2][]byte
	for i, c := range []*checkpoint.Checkpoint{&a, &b} {
		var err error
		if states[i], err = c.State.Bytes(); err != nil || int64(len(states[i])) != c.State.Size {
			t.Fatalf("%d bytes of a state of %d, %v", len(states[i]), c.State.Size, err)
		}
		c.State = checkpoint.State{}
	}
	return reflect.DeepEqual(a, b) && bytes.Equal(states[0], states[1])
}

// places describes a list of checkpoints.
func places(list []checkpoint.Checkpoint) (at [][3]int64) {
	for _, c := range list {
		at = append(at, [3]int64{c.Next, c.Since, c.State.Size})
	}
	return at
}
