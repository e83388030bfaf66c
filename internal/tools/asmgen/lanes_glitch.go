package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// glitch takes a register of variables at a time.
func (t target) glitch() {
	t.begin("glitch", "func(rows, limits, dst, x, last *%, n, stride int)",
		"copies x with NaN in place of glitches and learns the size of increments.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), []string{"mean", "count", "held"}, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		read := func(name string) Register { return t.loadSome(at(param(name), offset, 0), &m) }
		one, zero := l.limit(gliOne), l.none()
		x := read("x")
		size := l.abs(l.minus(x, read("last")))
		there := t.ordered(size, &m)
		mean, count, held := l.get("mean"), l.get("count"), l.get("held")
		wild := l.above(size, l.product(l.limit(gliFactor), mean), &there)
		wild = l.above(count, l.limit(gliAfter), &wild)
		wild = l.above(l.limit(gliHold), held, &wild)
		l.change("held", t.kept(l.plus(held, one), wild), there)
		t.store(l.where(wild, l.limit(gliNaN), x), at(param("dst"), offset, 0))
		size = l.where(wild, zero, size)
		moved := l.above(size, zero, &there)
		count = l.change("count", l.plus(count, one), moved)
		settled := l.above(count, l.limit(gliSettled), nil)
		size = l.where(settled, l.least(size, l.product(l.limit(gliWinsor), mean)), size)
		rate := l.weight(count, one, gliRate)
		l.change("mean", l.plus(mean, l.product(rate, l.minus(size, mean))), moved)
	})
	t.end()
}

// Indices of the constants, as in package lanes.
const (
	gliOne = iota
	gliFactor
	gliAfter
	gliHold
	gliSettled
	gliWinsor
	gliRate
	gliNaN
)
