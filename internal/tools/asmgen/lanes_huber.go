package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// huber takes a register of variables at a time.
func (t target) huber() {
	t.begin("huber", "func(rows, limits, dst, y, forecast *%, n, stride int)",
		"clips errors and learns their mean size.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), []string{"mean", "count", "run"}, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		read := func(name string) Register { return t.loadSome(at(param(name), offset, 0), &m) }
		one := l.limit(hubOne)
		e := l.minus(read("y"), read("forecast"))
		there := t.ordered(e, &m)
		size, mean := l.abs(e), l.get("mean")
		most := l.product(l.limit(hubLimit), mean)
		count := l.change("count", l.plus(l.get("count"), one), there)
		large := l.above(size, most, &there)
		large = l.above(count, l.limit(hubAfter), &large)
		run := l.get("run")
		limited := l.above(l.limit(hubRun), run, &large)
		e, size = l.where(limited, l.clipped(e, most), e), l.where(limited, most, size)
		run = t.kept(l.plus(run, t.kept(one, limited)), large)
		l.change("run", run, there)
		rate := l.weight(count, one, hubRate)
		l.change("mean", l.plus(mean, l.product(rate, l.minus(size, mean))), there)
		t.store(t.kept(e, there), at(param("dst"), offset, 0))
	})
	t.end()
}

// Indices of the constants, as in package lanes.
const (
	hubOne = iota
	hubLimit
	hubAfter
	hubRun
	hubRate
)
