package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// liveliness processes a register of variables at a time. It neither fuses multiplications and additions nor changes
// their order, so all instruction sets give the same bits.
func (t target) liveliness() {
	t.begin("liveliness", "func(rows, limits, x, count, variance *%, n, stride int)", "learns the steps of a sample.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), livelinessRule, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		x, count := t.loadSome(at(param("x"), offset, 0), &m), t.loadSome(at(param("count"), offset, 0), &m)
		there := t.ordered(l.minus(x, x), &m)
		zero, one := l.none(), l.limit("One")
		floor := l.product(l.limit("Floor"), l.root(t.loadSome(at(param("variance"), offset, 0), &m)))
		step := l.plus(l.abs(l.minus(x, l.get("Before"))), floor)
		l.change("Before", x, there)
		moves := l.above(count, one, &there)
		moves = l.above(step, l.limit("Least"), &moves)
		step = t.logarithm(l.where(moves, step, l.limit("One")))

		lately, usual := l.get("Lately"), l.get("Usual")
		lately = l.change("Lately", l.plus(lately, l.product(l.weight(count, one, "Span"), l.minus(step, lately))), moves)
		d, last := l.minus(lately, usual), l.minus(step, usual)
		rate := l.product(l.weight(count, one, "Rate"), l.limit("Learns"))
		l.change("Usual", l.plus(usual, l.product(rate, last)), moves)
		quiet := l.above(zero, d, &moves)
		quiet = l.above(count, l.limit("Start"), &quiet)
		l.set("Square", t.kept(l.product(d, d), quiet))
		last = t.kept(l.product(last, last), l.above(zero, last, &quiet))
		l.set("Last", t.orNaN(last, moves))
	})
	t.end()
}

// residuals takes a register of variables at a time; see liveliness.
func (t target) residuals() {
	t.begin("residuals", "func(rows, limits, r *%, n, stride int)", "learns residuals.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), residualsRule, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		r, mean, usual := t.loadSome(at(param("r"), offset, 0), &m), l.get("Mean"), l.get("Usual")
		pace := l.where(l.above(l.abs(mean), l.abs(r), nil), l.limit("Pace"), l.limit("One"))
		pace = l.product(pace, l.limit("Span"))
		mean = l.plus(mean, l.product(pace, l.minus(r, mean)))
		l.set("Mean", mean)
		square := l.product(mean, mean)
		known := l.above(usual, l.none(), nil)
		relative := t.kept(l.quotient(square, usual), known)
		l.set("Square", relative)
		square = l.where(known, l.least(square, l.product(l.limit("Winsor"), usual)), square)
		learnt := t.compare(2, relative, l.limit("Limit"), nil)
		l.change("Usual", l.plus(usual, l.product(l.limit("Rate"), l.minus(square, usual))), learnt)
	})
	t.end()
}
