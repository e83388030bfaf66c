package footprint_test

import (
	"runtime"
	"testing"

	"github.com/orffvar/forecaster/internal/footprint"
)

type node struct {
	name     string
	values   []float64
	next     *node
	children map[string]*node
	any      any
	pair     [2][]int32
}

func build(depth int) *node {
	if depth == 0 {
		return nil
	}
	n := &node{name: "static", values: make([]float64, 100*depth, 120*depth), next: build(depth - 1), any: &[3]int{1, 2, 3}}
	n.pair[1] = make([]int32, 1000)
	n.children = map[string]*node{"a": build(depth / 3), "self": n}
	return n
}

// TestOf: the footprint is what the heap grows by. The tolerance of 5 % is that of the maps,
// whose layout belongs to the runtime.
func TestOf(t *testing.T) {
	const copies = 50
	kept := make([]*node, copies)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range kept {
		kept[i] = build(9)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := float64(after.HeapAlloc-before.HeapAlloc) / copies
	if got := float64(footprint.Of(kept[0])); !(got >= .95*grown && got <= 1.05*grown) {
		t.Errorf("got %v bytes, the heap has grown by %v", got, grown)
	}
	runtime.KeepAlive(kept)
}

// TestOnce: memory reached twice counts once, and nil counts nothing.
func TestOnce(t *testing.T) {
	v := make([]float64, 1000)
	one := footprint.Of(v)
	if two := footprint.Of(v, v, struct{ a, b []float64 }{v, nil}); two != one {
		t.Errorf("a shared slice counts %d, then %d", one, two)
	}
	if got := footprint.Of((*node)(nil), []int(nil), nil); got != 0 {
		t.Errorf("nothing counts %d", got)
	}
}
