package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// levels processes a register of variables at a time. It neither fuses multiplications and additions nor changes their
// order, so all instruction sets give the same bits.
func (t target) levels() {
	t.begin("levels", "func(rows, limits, x, profile, scale *%, n, stride int)", "compares a sample with the references.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), levelsRule, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		x := t.loadSome(at(param("x"), offset, 0), &m)
		there := t.ordered(l.minus(x, x), &m)
		zero, one := l.none(), l.limit("One")
		count := l.get("Count")
		first := l.equal(count, zero, &there)
		mean, origin := l.change("Mean", x, first), l.change("Origin", x, first)
		count = l.change("Count", l.least(l.plus(count, one), l.limit("Most")), there)
		d, square := l.minus(x, mean), l.get("Variance")
		scale := t.loadSome(at(param("scale"), offset, 0), &m)
		unit := l.plus(square, l.product(l.product(l.limit("Least"), scale), scale))
		varies := l.above(unit, zero, &there)
		inverse := t.kept(l.quotient(one, l.root(unit)), varies)
		l.set("Z", t.kept(l.clipped(l.product(d, inverse), l.limit("ClipZ")), varies))
		unit = l.product(inverse, inverse)

		away := l.minus(l.minus(x, origin), t.loadSome(at(param("profile"), offset, 0), &m))
		known := t.ordered(away, &there)
		known = l.above(l.limit("Known"), zero, &known)
		rate, byDay := l.weight(count, one, "Rate"), l.get("ByDay")
		error := l.get("MeanError")
		fromMean := l.change("MeanError", l.plus(error, l.product(rate, l.minus(l.product(d, d), error))), known)
		error = l.get("DayError")
		error = l.change("DayError", l.plus(error, l.product(rate, l.minus(l.product(away, away), error))), known)
		part := l.where(l.above(byDay, zero, nil), l.limit("Good"), l.limit("Better"))
		better := t.kept(one, l.above(l.product(part, fromMean), error, &known))
		other := t.compare(4, better, byDay, &known)
		for _, name := range []string{"Deviations", "Deviation", "Spread"} {
			l.change(name, zero, other)
		}
		byDay = l.change("ByDay", better, other)
		day := l.above(byDay, zero, &known)
		d, square = l.where(day, away, d), l.where(day, error, square)

		deviations := l.get("Deviations")
		settled := l.above(square, zero, nil)
		settled = l.above(deviations, l.limit("Start"), &settled)
		d = l.where(settled, l.clipped(d, l.product(l.limit("Clip"), l.root(square))), d)
		deviations = l.change("Deviations", l.least(l.plus(deviations, one), l.limit("Most")), there)
		deviation := l.get("Deviation")
		pace := l.where(l.above(l.abs(deviation), l.abs(d), nil), l.limit("Pace"), l.limit("One"))
		pace = l.product(pace, l.weight(deviations, one, "Span"))
		deviation = l.change("Deviation", l.plus(deviation, l.product(pace, l.minus(d, deviation))), there)
		ready := l.above(deviations, l.limit("Start"), &there)
		square = l.least(l.product(l.product(deviation, deviation), unit), l.limit("MostSquare"))
		l.set("Square", t.kept(square, ready))
		last := l.least(l.product(l.product(d, d), unit), l.limit("MostLast"))
		last = t.kept(last, l.above(l.product(d, deviation), zero, nil))
		l.set("Last", t.orNaN(last, ready))
	})
	t.end()
}

// learnLevels takes a register of variables at a time; see levels.
func (t target) learnLevels() {
	t.begin("learnLevels", "func(rows, limits, x, profile, others *%, n, stride int)", "takes a sample into the references.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), levelsRule, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		x := t.loadSome(at(param("x"), offset, 0), &m)
		there := t.ordered(l.minus(x, x), &m)
		there = t.compare(2, l.get("Square"), l.limit("Limit"), &there)
		there = t.compare(2, t.loadSome(at(param("others"), offset, 0), &m), l.limit("Others"), &there)
		zero, one := l.none(), l.limit("One")
		deviation, spread, deviations := l.get("Deviation"), l.get("Spread"), l.get("Deviations")
		square := l.product(deviation, deviation)
		settled := l.above(spread, zero, nil)
		settled = l.above(deviations, l.limit("Start"), &settled)
		square = l.where(settled, l.least(square, l.product(l.limit("Winsor"), spread)), square)
		weight := l.weight(deviations, one, "Rate")
		l.change("Spread", l.plus(spread, l.product(weight, l.minus(square, spread))), there)

		mean, variance, count := l.get("Mean"), l.get("Variance"), l.get("Count")
		d := l.minus(x, mean)
		step := l.minus(l.minus(x, l.get("Origin")), t.loadSome(at(param("profile"), offset, 0), &m))
		square = l.product(d, d)
		settled = l.above(variance, zero, nil)
		settled = l.above(count, l.limit("Start"), &settled)
		far := l.root(l.product(l.limit("Far"), variance))
		d, step = l.where(settled, l.clipped(d, far), d), l.where(settled, l.clipped(step, far), step)
		square = l.where(settled, l.least(square, l.product(l.limit("Winsor"), variance)), square)
		l.set("Step", t.kept(step, there))
		weight = l.weight(count, one, "Rate")
		l.change("Mean", l.plus(mean, l.product(weight, d)), there)
		l.change("Variance", l.plus(variance, l.product(weight, l.minus(square, variance))), there)
	})
	t.end()
}
