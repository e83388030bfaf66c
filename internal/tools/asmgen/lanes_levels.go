package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// Indices of the constants, as in package lanes.
const (
	levOne = iota
	levMost
	levRate
	levSpan
	levStart
	levClip
	levLeast
	levClipZ
	levBetter
	levGood
	levMostSquare
	levMostLast
	levWinsor
	levFar
	levKnown
	levPace
	levLimit
	levOthers
)

var levelNames = []string{"count", "origin", "mean", "variance", "dayError", "meanError", "byDay", "deviations",
	"deviation", "spread", "z", "square", "last", "step"}

// levels takes a register of variables at a time. It neither fuses multiplications and
// additions nor changes their order: all instruction sets give the same bits.
func (t target) levels() {
	t.begin("levels", "func(rows, limits, x, profile, scale *%, n, stride int)", "compares a sample with the references.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), levelNames, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		x := t.loadSome(at(param("x"), offset, 0), &m)
		there := t.ordered(l.minus(x, x), &m)
		zero, one := l.none(), l.limit(levOne)
		count := l.get("count")
		first := l.equal(count, zero, &there)
		mean, origin := l.change("mean", x, first), l.change("origin", x, first)
		count = l.change("count", l.least(l.plus(count, one), l.limit(levMost)), there)
		d, square := l.minus(x, mean), l.get("variance")
		scale := t.loadSome(at(param("scale"), offset, 0), &m)
		unit := l.plus(square, l.product(l.product(l.limit(levLeast), scale), scale))
		varies := l.above(unit, zero, &there)
		inverse := t.kept(l.quotient(one, l.root(unit)), varies)
		l.set("z", t.kept(l.clipped(l.product(d, inverse), l.limit(levClipZ)), varies))
		unit = l.product(inverse, inverse)

		away := l.minus(l.minus(x, origin), t.loadSome(at(param("profile"), offset, 0), &m))
		known := t.ordered(away, &there)
		known = l.above(l.limit(levKnown), zero, &known)
		rate, byDay := l.weight(count, one, levRate), l.get("byDay")
		error := l.get("meanError")
		fromMean := l.change("meanError", l.plus(error, l.product(rate, l.minus(l.product(d, d), error))), known)
		error = l.get("dayError")
		error = l.change("dayError", l.plus(error, l.product(rate, l.minus(l.product(away, away), error))), known)
		part := l.where(l.above(byDay, zero, nil), l.limit(levGood), l.limit(levBetter))
		better := t.kept(one, l.above(l.product(part, fromMean), error, &known))
		other := t.compare(4, better, byDay, &known)
		for _, name := range []string{"deviations", "deviation", "spread"} {
			l.change(name, zero, other)
		}
		byDay = l.change("byDay", better, other)
		day := l.above(byDay, zero, &known)
		d, square = l.where(day, away, d), l.where(day, error, square)

		deviations := l.get("deviations")
		settled := l.above(square, zero, nil)
		settled = l.above(deviations, l.limit(levStart), &settled)
		d = l.where(settled, l.clipped(d, l.product(l.limit(levClip), l.root(square))), d)
		deviations = l.change("deviations", l.least(l.plus(deviations, one), l.limit(levMost)), there)
		deviation := l.get("deviation")
		pace := l.where(l.above(l.abs(deviation), l.abs(d), nil), l.limit(levPace), l.limit(levOne))
		pace = l.product(pace, l.weight(deviations, one, levSpan))
		deviation = l.change("deviation", l.plus(deviation, l.product(pace, l.minus(d, deviation))), there)
		ready := l.above(deviations, l.limit(levStart), &there)
		square = l.least(l.product(l.product(deviation, deviation), unit), l.limit(levMostSquare))
		l.set("square", t.kept(square, ready))
		last := l.least(l.product(l.product(d, d), unit), l.limit(levMostLast))
		last = t.kept(last, l.above(l.product(d, deviation), zero, nil))
		l.set("last", t.orNaN(last, ready))
	})
	t.end()
}

// learnLevels takes a register of variables at a time; see levels.
func (t target) learnLevels() {
	t.begin("learnLevels", "func(rows, limits, x, profile, others *%, n, stride int)", "takes a sample into the references.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), levelNames, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		x := t.loadSome(at(param("x"), offset, 0), &m)
		there := t.ordered(l.minus(x, x), &m)
		there = t.compare(2, l.get("square"), l.limit(levLimit), &there)
		there = t.compare(2, t.loadSome(at(param("others"), offset, 0), &m), l.limit(levOthers), &there)
		zero, one := l.none(), l.limit(levOne)
		deviation, spread, deviations := l.get("deviation"), l.get("spread"), l.get("deviations")
		square := l.product(deviation, deviation)
		settled := l.above(spread, zero, nil)
		settled = l.above(deviations, l.limit(levStart), &settled)
		square = l.where(settled, l.least(square, l.product(l.limit(levWinsor), spread)), square)
		weight := l.weight(deviations, one, levRate)
		l.change("spread", l.plus(spread, l.product(weight, l.minus(square, spread))), there)

		mean, variance, count := l.get("mean"), l.get("variance"), l.get("count")
		d := l.minus(x, mean)
		step := l.minus(l.minus(x, l.get("origin")), t.loadSome(at(param("profile"), offset, 0), &m))
		square = l.product(d, d)
		settled = l.above(variance, zero, nil)
		settled = l.above(count, l.limit(levStart), &settled)
		far := l.root(l.product(l.limit(levFar), variance))
		d, step = l.where(settled, l.clipped(d, far), d), l.where(settled, l.clipped(step, far), step)
		square = l.where(settled, l.least(square, l.product(l.limit(levWinsor), variance)), square)
		l.set("step", t.kept(step, there))
		weight = l.weight(count, one, levRate)
		l.change("mean", l.plus(mean, l.product(weight, d)), there)
		l.change("variance", l.plus(variance, l.product(weight, l.minus(square, variance))), there)
	})
	t.end()
}
