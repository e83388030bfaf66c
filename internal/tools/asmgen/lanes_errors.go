package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// errors processes a register of variables at a time. It neither fuses multiplications and additions nor changes their
// order, so all instruction sets give the same bits.
func (t target) errors() {
	t.begin("errors", "func(rows, limits, y, forecast *%, n, stride int)", "learns the errors of forecasts.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), errorsRule, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		err := l.minus(t.loadSome(at(param("y"), offset, 0), &m), t.loadSome(at(param("forecast"), offset, 0), &m))
		there := t.ordered(l.minus(err, err), &m)
		err = t.kept(err, there)
		l.set("Error", err)
		zero, one := l.none(), l.limit("One")
		size := l.abs(l.product(err, l.limit("Factor")))
		count := l.change("Count", l.least(l.plus(l.get("Count"), one), l.limit("Most")), there)
		settled := l.above(count, l.limit("Start"), &there)
		scale, recent := l.get("Scale"), l.get("Recent")
		unit := l.root(l.plus(l.product(scale, scale), l.product(l.limit("Part"), recent)))
		known := l.above(unit, zero, &settled)
		ratio := l.where(known, l.quotient(size, unit), l.limit("Novel"))
		ratio = t.kept(ratio, l.above(size, zero, &settled))
		far := l.above(ratio, l.limit("Far"), &known)
		size = l.where(far, l.product(l.limit("Far"), unit), size)
		ratio = l.where(far, l.least(ratio, l.limit("Largest")), ratio)
		l.set("Ratio", ratio)

		quantile, rate := l.get("Quantile"), l.weight(count, one, "Rate")
		surprisal := l.quotient(l.product(l.limit("Tail"), ratio), quantile)
		surprisal = l.where(l.above(ratio, quantile, nil), l.limit("Minus"), surprisal)
		l.set("Surprisal", t.orNaN(surprisal, there))
		usual := t.compare(2, ratio, quantile, &settled)
		l.change("Quantile", l.minus(quantile, l.product(l.product(quantile, rate), l.get("Excess"))), usual)

		lately := l.weight(count, one, "Recent")
		l.change("Recent", l.plus(recent, l.product(lately, l.minus(l.product(size, size), recent))), there)
		known = l.above(scale, zero, &settled)
		size = l.where(known, l.least(size, l.product(l.limit("Winsor"), scale)), size)
		l.change("Scale", l.plus(scale, l.product(rate, l.minus(size, scale))), there)
	})
	t.end()
}

// noise takes a register of variables at a time; see errors.
func (t target) noise() {
	t.begin("noise", "func(rows, limits, variance *%, n, stride int)", "learns the surprisals of errors.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), errorsRule, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		surprisal := l.get("Surprisal")
		there := t.ordered(surprisal, &m)
		zero, one := l.none(), l.limit("One")
		usual, scale, err := l.get("Usual"), l.get("Scale"), l.get("Error")
		surprisal = l.least(surprisal, l.limit("MostSurprisal"))
		small := l.product(l.limit("Least"), t.loadSome(at(param("variance"), offset, 0), &m))
		surprisal = l.where(l.above(small, l.product(err, err), nil), zero, surprisal)
		after := l.product(l.product(l.limit("Aftermath"), scale), scale)
		quiet := l.above(l.get("Recent"), after, &there)
		surprisal = l.where(l.above(usual, surprisal, &quiet), usual, surprisal)
		last, count, lately := l.minus(surprisal, usual), l.get("Count"), l.get("Lately")
		lately = l.change("Lately", l.plus(lately, l.product(l.weight(count, one, "Lately"), l.minus(surprisal, lately))), there)
		rate := l.product(l.weight(count, one, "Rate"), l.limit("Learns"))
		usual = l.change("Usual", l.plus(usual, l.product(rate, last)), there)
		mean := l.minus(lately, usual)
		l.set("Square", t.kept(l.product(mean, mean), there))
		l.set("Last", t.kept(l.product(last, last), l.above(l.product(last, mean), zero, &there)))
	})
	t.end()
}
