package snapshot_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// pages has some of its numbers in options of a block.
type pages struct {
	first, last int64
	unit        int64 // an option of each option
	byName      map[string]*int64
	order       []string
}

func newPages(names ...string) *pages {
	p := &pages{byName: make(map[string]*int64), order: names}
	for _, n := range names {
		p.byName[n] = new(int64)
	}
	return p
}

func (p *pages) State(c *snapshot.Codec) {
	c.Block(func() {
		c.Int64(&p.first)
		for _, n := range p.order {
			c.Optional(n, func() {
				c.Optional("unit", func() { c.Int64(&p.unit) })
				c.Int64(p.byName[n])
			})
		}
		c.Int64(&p.last)
	})
}

func encodeState(s snapshot.Stateful) []byte {
	c := snapshot.NewEncoder(nil)
	s.State(c)
	return c.Bytes()
}

// TestOptions: options known to both sides are restored in any order. Others are dropped, or keep their values.
func TestOptions(t *testing.T) {
	saved := newPages("a", "b", "c")
	saved.first, saved.last, saved.unit = 1, 2, 3
	for i, n := range saved.order {
		*saved.byName[n] = int64(10 + i)
	}
	data := encodeState(saved)
	for _, c := range []struct {
		names []string
		want  []int64
		unit  int64
	}{
		{[]string{"a", "b", "c"}, []int64{10, 11, 12}, 3},
		{[]string{"c", "a", "b"}, []int64{12, 10, 11}, 3},
		{[]string{"c"}, []int64{12}, 3},
		{[]string{"a", "b", "c", "new"}, []int64{10, 11, 12, -1}, 3},
		{nil, nil, 0},
	} {
		got := newPages(c.names...)
		for _, v := range got.byName {
			*v = -1
		}
		d := snapshot.NewDecoder(data)
		got.State(d)
		if err := d.Finish(); err != nil || got.first != 1 || got.last != 2 || got.unit != c.unit {
			t.Errorf("%v: %v, %d and %d around, unit %d", c.names, err, got.first, got.last, got.unit)
		}
		for i, n := range c.names {
			if *got.byName[n] != c.want[i] {
				t.Errorf("%v: %s is %d, want %d", c.names, n, *got.byName[n], c.want[i])
			}
		}
	}
	again := newPages("a", "b", "c")
	d := snapshot.NewDecoder(data)
	again.State(d)
	if !bytes.Equal(encodeState(again), data) {
		t.Error("a restored state encodes to other bytes")
	}
}

// TestBlocksFindDamage: a block that was cut, or whose option has other bytes than asked
// for, is an error.
func TestBlocksFindDamage(t *testing.T) {
	data := encodeState(newPages("a", "b"))
	for n := range data {
		d := snapshot.NewDecoder(data[:n])
		newPages("a", "b").State(d)
		if err := d.Finish(); !errors.Is(err, snapshot.ErrCorrupt) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	long := snapshot.NewEncoder(nil)
	x := int64(7)
	long.Block(func() {
		long.Optional("a", func() { long.Int64(&x); long.Int64(&x) })
	})
	d := snapshot.NewDecoder(long.Bytes())
	x = 0
	d.Block(func() { d.Optional("a", func() { d.Int64(&x) }) })
	if err := d.Finish(); !errors.Is(err, snapshot.ErrCorrupt) {
		t.Errorf("an option that was not read to its end gave %v", err)
	}
}
