package engine

import (
	"slices"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

// TestArena: a slice keeps its elements until the reset, after which the memory is used again.
func TestArena(t *testing.T) {
	var a arena[int]
	if a.copy(nil) != nil || a.copy([]int{}) == nil {
		t.Error("nil and empty are not what they were")
	}
	fill := func() {
		var taken [][]int
		for i := range 200 {
			v := a.take(i % 7)
			for j := range v {
				v[j] = i
			}
			taken = append(taken, v, a.copy(v))
		}
		for i, v := range taken {
			if want := slices.Repeat([]int{i / 2}, i/2%7); !slices.Equal(v, want) || cap(v) != len(v) {
				t.Fatalf("slice %d is %v with room for %d, want %v", i, v, cap(v), want)
			}
		}
	}
	for range 3 {
		fill()
		if want := 2 * (28*21 + 6); a.used != want {
			t.Fatalf("%d elements in use, want %d", a.used, want)
		}
		a.reset()
	}
	var b []int
	if n := testing.AllocsPerRun(10, func() {
		a.reset()
		for range 100 {
			b = a.take(7)
		}
	}); n != 0 {
		t.Errorf("%v allocations of %d elements each", n, len(b))
	}
}

// TestNamesOfDecoded: records share their names as long as those are equal, though the
// decoder uses its memory again.
func TestNamesOfDecoded(t *testing.T) {
	names := [][]string{{"a", "b"}, {"a", "b"}, {"a"}, nil, {"a"}, {"a", "b"}}
	i := 0
	memory := make([]string, 2)
	decode := decoderFunc(func(r *stream.Record, m *stream.Message) error {
		*r = stream.Record{Message: m, Series: "s", Time: 1, Values: []float64{1}}
		if names[i] != nil {
			r.Names = memory[:copy(memory, names[i])]
		}
		i++
		return nil
	})
	var d Decoded
	for range 2 {
		d.Reset()
		for i = 0; i < len(names); {
			d.Decode(decode, &stream.Message{Value: []byte("x")})
		}
		for i := range names {
			_, parts := d.at(i)
			if got := parts[0].record.Names; !slices.Equal(got, names[i]) || (got == nil) != (names[i] == nil) {
				t.Errorf("record %d has %q, want %q", i, got, names[i])
			}
		}
	}
}

type decoderFunc func(r *stream.Record, m *stream.Message) error

func (f decoderFunc) Decode(r *stream.Record, m *stream.Message) error { return f(r, m) }

// TestExcessive: memory that a backlog needed is given up behind it, and memory of a usual size
// is kept.
func TestExcessive(t *testing.T) {
	const many = 1 << 18
	var a arena[int]
	for i, batch := range []struct {
		used int
		kept bool
	}{{many, true}, {many / 3, true}, {5, false}, {5, true}} {
		for range batch.used {
			a.take(1)
		}
		if a.reset(); a.size > 0 != batch.kept {
			t.Errorf("batch %d of %d elements leaves room for %d", i, batch.used, a.size)
		}
	}
	if v := emptied(make([]int, 5, many)); cap(v) > 0 {
		t.Errorf("room for %d elements behind a batch of 5", cap(v))
	}
	if v := emptied(make([]int, many/3, many)); cap(v) != many || len(v) > 0 {
		t.Errorf("%d elements, room for %d", len(v), cap(v))
	}
}
