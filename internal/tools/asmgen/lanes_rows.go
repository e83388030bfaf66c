package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// standardise loops over the rows, last row first, a register of columns at a time. The next row overwrites elements
// stored beyond the end of a row.
func (t target) standardise() {
	t.begin("standardise", "func(dst, x, mean, inverse *%, limit %, size, n int)",
		"writes the rows of x in reverse order, standardised and clipped.")
	dst, x, n := param("dst"), param("x"), param("n")
	mean, inverse := param("mean"), param("inverse")
	bytes, tail := t.inBytes(n), t.rest(n)
	first := copyOf(x)
	ADDQ(t.inBytes(param("size")), x)
	limit := t.vec()
	t.bcast(number("limit"), limit)
	l := &lanes{target: t}
	top := label("rows")
	Label(top)
	{
		SUBQ(bytes, x)
		t.columns(bytes, tail, 1, func(j GPVirtual, _ int, m *mask) {
			read := func(p GPVirtual) Register { return t.loadSome(at(p, j, 0), m) }
			v := l.product(l.minus(read(x), read(mean)), read(inverse))
			t.store(l.clipped(v, limit), at(dst, j, 0))
		})
		ADDQ(bytes, dst)
	}
	CMPQ(x, first)
	JHI(LabelRef(top))
	t.end()
}

// bound computes a register of forecasts at a time.
func (t target) bound() {
	t.begin("bound", "func(dst, v, origin, unit, last, steps, floor, ceiling *%, limit %, n int)",
		"bounds forecasts, see Moments.Bound.")
	n := param("n")
	bytes, tail := t.inBytes(n), t.rest(n)
	limit := t.vec()
	t.bcast(number("limit"), limit)
	l := &lanes{target: t}
	t.columns(bytes, tail, 1, func(j GPVirtual, _ int, m *mask) {
		read := func(name string) Register { return t.loadSome(at(param(name), j, 0), m) }
		v, last := read("v"), read("last")
		v = t.kept(v, t.ordered(v, nil))
		step := l.minus(l.plus(read("origin"), l.product(read("unit"), v)), last)
		step = l.clipped(step, l.product(limit, read("steps")))
		v = l.plus(last, step)
		v = l.least(l.most(v, read("floor")), read("ceiling"))
		t.store(v, at(param("dst"), j, 0))
	})
	t.end()
}
