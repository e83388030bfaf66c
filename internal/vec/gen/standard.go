package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

// standardise goes down the rows, the last first, a register of columns at a time.
// What it stores beyond a row the next one overwrites.
func (t target) standardise() {
	t.begin("standardise", "func(dst, x, mean, inverse *%, limit %, rows, n int)",
		"sets dst to the rows of x, the last first, less the means, times inverse, limited.")
	dst, x, n, rows := param("dst"), param("x"), param("n"), param("rows")
	mean, inverse := param("mean"), param("inverse")
	bytes, tail := t.inBytes(n), t.rest(n)
	last := copyOf(rows)
	IMULQ(bytes, last)
	ADDQ(last, x)
	limit := t.vec()
	t.bcast(number("limit"), limit)
	l := &lanes{target: t}
	loop(rows, 1, func() {
		SUBQ(bytes, x)
		t.columns(bytes, tail, 1, func(j GPVirtual, _ int, m *mask) {
			read := func(p GPVirtual) Register { return t.loadSome(at(p, j, 0), m) }
			v := l.product(l.minus(read(x), read(mean)), read(inverse))
			t.store(l.clipped(v, limit), at(dst, j, 0))
		})
		ADDQ(bytes, dst)
	})
	t.end()
}

// bound sets a register of forecasts at a time.
func (t target) bound() {
	t.begin("bound", "func(dst, said, origin, unit, last, steps, floor, ceiling *%, limit %, n int)",
		"makes forecasts of what was said of them.")
	n := param("n")
	bytes, tail := t.inBytes(n), t.rest(n)
	limit := t.vec()
	t.bcast(number("limit"), limit)
	l := &lanes{target: t}
	t.columns(bytes, tail, 1, func(j GPVirtual, _ int, m *mask) {
		read := func(name string) Register { return t.loadSome(at(param(name), j, 0), m) }
		said, last := read("said"), read("last")
		said = t.kept(said, t.ordered(said, nil))
		step := l.minus(l.plus(read("origin"), l.product(read("unit"), said)), last)
		step = l.clipped(step, l.product(limit, read("steps")))
		v := l.plus(last, step)
		v = l.least(l.most(v, read("floor")), read("ceiling"))
		t.store(v, at(param("dst"), j, 0))
	})
	t.end()
}

// huber takes a register of variables at a time.
func (t target) huber() {
	t.begin("huber", "func(rows, limits, dst, y, forecast *%, n, stride int)",
		"sets dst to the errors that are learnt from.")
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
		rate := l.falling(count, one, hubRate)
		l.change("mean", l.plus(mean, l.product(rate, l.minus(size, mean))), there)
		t.store(t.kept(e, there), at(param("dst"), offset, 0))
	})
	t.end()
}

// The limits, in the order of package vec.
const (
	hubOne = iota
	hubLimit
	hubAfter
	hubRun
	hubRate
)

// glitch takes a register of variables at a time.
func (t target) glitch() {
	t.begin("glitch", "func(rows, limits, dst, x, last *%, n, stride int)",
		"copies x, but for values that are out of all proportion.")
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
		rate := l.falling(count, one, gliRate)
		l.change("mean", l.plus(mean, l.product(rate, l.minus(size, mean))), moved)
	})
	t.end()
}

// The limits, in the order of package vec.
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

// level takes a register of variables at a time.
func (t target) level() {
	t.begin("level", "func(rows, limits, x *%, n, stride int)",
		"takes a sample into the local means.")
	n := param("n")
	names := []string{"count", "mean", "variance", "sd", "unit", "inverse"}
	t.lanesOf(param("rows"), param("limits"), param("stride"), names, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		one, zero := l.limit(levOne), l.none()
		x := t.loadSome(at(param("x"), offset, 0), &m)
		there := t.ordered(x, &m)
		before, mean, variance := t.vec(), l.get("mean"), l.get("variance")
		t.load(l.get("count"), before)
		old := l.above(before, zero, &there)
		count := l.change("count", l.plus(before, one), there)
		dev := l.minus(x, mean)
		next := l.plus(mean, l.product(l.falling(count, one, levRate), dev))
		settled := l.above(before, l.limit(levAfter), nil)
		sd := l.get("sd")
		settled = l.above(sd, zero, &settled)
		dev = l.where(settled, l.clipped(dev, l.product(l.limit(levWinsor), sd)), dev)
		rate := l.falling(before, one, levSlow)
		spread := l.plus(variance, l.product(rate, l.minus(l.product(dev, dev), variance)))
		variance = l.change("variance", spread, old)
		mean = l.change("mean", l.where(old, next, x), there)
		rounding := l.product(l.limit(levDegenerate), l.plus(one, l.abs(mean)))
		sd = l.root(variance)
		sd = t.kept(sd, l.above(sd, rounding, nil))
		l.set("sd", sd)
		moving := l.differ(sd, zero)
		unit := l.where(moving, sd, l.limit(levOne))
		l.set("unit", unit)
		l.set("inverse", t.kept(l.quotient(one, unit), moving))
	})
	t.end()
}

// The limits, in the order of package vec.
const (
	levOne = iota
	levRate
	levSlow
	levAfter
	levWinsor
	levDegenerate
)
