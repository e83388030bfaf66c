package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// Indices of the constants, as in package lanes.
const (
	errOne = iota
	errMost
	errRate
	errRecent
	errStart
	errPart
	errFar
	errNovel
	errWinsor
	errTail
	errLately
	errMostSurprisal
	errLeast
	errAftermath
	errLargest
	errFactor
	errLearns
	errMinus
)

var errorNames = []string{"count", "scale", "recent", "quantile", "excess", "lately", "usual", "error", "ratio",
	"surprisal", "square", "last"}

// errors takes a register of variables at a time. It neither fuses multiplications and
// additions nor changes their order: all instruction sets give the same bits.
func (t target) errors() {
	t.begin("errors", "func(rows, limits, y, forecast *%, n, stride int)", "learns the errors of forecasts.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), errorNames, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		err := l.minus(t.loadSome(at(param("y"), offset, 0), &m), t.loadSome(at(param("forecast"), offset, 0), &m))
		there := t.ordered(l.minus(err, err), &m)
		err = t.kept(err, there)
		l.set("error", err)
		zero, one := l.none(), l.limit(errOne)
		size := l.abs(l.product(err, l.limit(errFactor)))
		count := l.change("count", l.least(l.plus(l.get("count"), one), l.limit(errMost)), there)
		settled := l.above(count, l.limit(errStart), &there)
		scale, recent := l.get("scale"), l.get("recent")
		unit := l.root(l.plus(l.product(scale, scale), l.product(l.limit(errPart), recent)))
		known := l.above(unit, zero, &settled)
		ratio := l.where(known, l.quotient(size, unit), l.limit(errNovel))
		ratio = t.kept(ratio, l.above(size, zero, &settled))
		far := l.above(ratio, l.limit(errFar), &known)
		size = l.where(far, l.product(l.limit(errFar), unit), size)
		ratio = l.where(far, l.least(ratio, l.limit(errLargest)), ratio)
		l.set("ratio", ratio)

		quantile, rate := l.get("quantile"), l.weight(count, one, errRate)
		surprisal := l.quotient(l.product(l.limit(errTail), ratio), quantile)
		surprisal = l.where(l.above(ratio, quantile, nil), l.limit(errMinus), surprisal)
		l.set("surprisal", t.orNaN(surprisal, there))
		usual := t.compare(2, ratio, quantile, &settled)
		l.change("quantile", l.minus(quantile, l.product(l.product(quantile, rate), l.get("excess"))), usual)

		lately := l.weight(count, one, errRecent)
		l.change("recent", l.plus(recent, l.product(lately, l.minus(l.product(size, size), recent))), there)
		known = l.above(scale, zero, &settled)
		size = l.where(known, l.least(size, l.product(l.limit(errWinsor), scale)), size)
		l.change("scale", l.plus(scale, l.product(rate, l.minus(size, scale))), there)
	})
	t.end()
}

// noise takes a register of variables at a time; see errors.
func (t target) noise() {
	t.begin("noise", "func(rows, limits, variance *%, n, stride int)", "learns the surprisals of errors.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), errorNames, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		surprisal := l.get("surprisal")
		there := t.ordered(surprisal, &m)
		zero, one := l.none(), l.limit(errOne)
		usual, scale, err := l.get("usual"), l.get("scale"), l.get("error")
		surprisal = l.least(surprisal, l.limit(errMostSurprisal))
		small := l.product(l.limit(errLeast), t.loadSome(at(param("variance"), offset, 0), &m))
		surprisal = l.where(l.above(small, l.product(err, err), nil), zero, surprisal)
		after := l.product(l.product(l.limit(errAftermath), scale), scale)
		quiet := l.above(l.get("recent"), after, &there)
		surprisal = l.where(l.above(usual, surprisal, &quiet), usual, surprisal)
		last, count, lately := l.minus(surprisal, usual), l.get("count"), l.get("lately")
		lately = l.change("lately", l.plus(lately, l.product(l.weight(count, one, errLately), l.minus(surprisal, lately))), there)
		rate := l.product(l.weight(count, one, errRate), l.limit(errLearns))
		usual = l.change("usual", l.plus(usual, l.product(rate, last)), there)
		mean := l.minus(lately, usual)
		l.set("square", t.kept(l.product(mean, mean), there))
		l.set("last", t.kept(l.product(last, last), l.above(l.product(last, mean), zero, &there)))
	})
	t.end()
}
