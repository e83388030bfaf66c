package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// Indices of the constants, as in package lanes.
const (
	livOne = iota
	livFloor
	livStart
	livSpan
	livRate
	livLeast
	livLearns
)

// liveliness takes a register of variables at a time. It neither fuses multiplications and
// additions nor changes their order: all instruction sets give the same bits.
func (t target) liveliness() {
	t.begin("liveliness", "func(rows, limits, x, count, variance *%, n, stride int)", "learns the steps of a sample.")
	n := param("n")
	names := []string{"before", "lately", "usual", "square", "last"}
	t.lanesOf(param("rows"), param("limits"), param("stride"), names, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		x, count := t.loadSome(at(param("x"), offset, 0), &m), t.loadSome(at(param("count"), offset, 0), &m)
		there := t.ordered(l.minus(x, x), &m)
		zero, one := l.none(), l.limit(livOne)
		floor := l.product(l.limit(livFloor), l.root(t.loadSome(at(param("variance"), offset, 0), &m)))
		step := l.plus(l.abs(l.minus(x, l.get("before"))), floor)
		l.change("before", x, there)
		moves := l.above(count, one, &there)
		moves = l.above(step, l.limit(livLeast), &moves)
		step = t.logarithm(l.where(moves, step, l.limit(livOne)))

		lately, usual := l.get("lately"), l.get("usual")
		lately = l.change("lately", l.plus(lately, l.product(l.weight(count, one, livSpan), l.minus(step, lately))), moves)
		d, last := l.minus(lately, usual), l.minus(step, usual)
		rate := l.product(l.weight(count, one, livRate), l.limit(livLearns))
		l.change("usual", l.plus(usual, l.product(rate, last)), moves)
		quiet := l.above(zero, d, &moves)
		quiet = l.above(count, l.limit(livStart), &quiet)
		l.set("square", t.kept(l.product(d, d), quiet))
		last = t.kept(l.product(last, last), l.above(zero, last, &quiet))
		l.set("last", t.orNaN(last, moves))
	})
	t.end()
}

// Indices of the constants, as in package lanes.
const (
	resOne = iota
	resSpan
	resPace
	resRate
	resWinsor
	resLimit
)

// residuals takes a register of variables at a time; see liveliness.
func (t target) residuals() {
	t.begin("residuals", "func(rows, limits, r *%, n, stride int)", "learns residuals.")
	n := param("n")
	names := []string{"mean", "usual", "square"}
	t.lanesOf(param("rows"), param("limits"), param("stride"), names, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		r, mean, usual := t.loadSome(at(param("r"), offset, 0), &m), l.get("mean"), l.get("usual")
		pace := l.where(l.above(l.abs(mean), l.abs(r), nil), l.limit(resPace), l.limit(resOne))
		pace = l.product(pace, l.limit(resSpan))
		mean = l.plus(mean, l.product(pace, l.minus(r, mean)))
		l.set("mean", mean)
		square := l.product(mean, mean)
		known := l.above(usual, l.none(), nil)
		relative := t.kept(l.quotient(square, usual), known)
		l.set("square", relative)
		square = l.where(known, l.least(square, l.product(l.limit(resWinsor), usual)), square)
		learnt := t.compare(2, relative, l.limit(resLimit), nil)
		l.change("usual", l.plus(usual, l.product(l.limit(resRate), l.minus(square, usual))), learnt)
	})
	t.end()
}
