package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// localMean takes a register of variables at a time.
func (t target) localMean() {
	t.begin("localMean", "func(rows, limits, x *%, n, stride int)",
		"learns a sample: local means and variances.")
	n := param("n")
	names := []string{"count", "mean", "variance", "sd", "unit", "inverse"}
	t.lanesOf(param("rows"), param("limits"), param("stride"), names, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		one, zero := l.limit(locOne), l.none()
		x := t.loadSome(at(param("x"), offset, 0), &m)
		there := t.ordered(x, &m)
		before, mean, variance := t.vec(), l.get("mean"), l.get("variance")
		t.load(l.get("count"), before)
		old := l.above(before, zero, &there)
		count := l.change("count", l.plus(before, one), there)
		dev := l.minus(x, mean)
		next := l.plus(mean, l.product(l.weight(count, one, locRate), dev))
		settled := l.above(before, l.limit(locAfter), nil)
		sd := l.get("sd")
		settled = l.above(sd, zero, &settled)
		dev = l.where(settled, l.clipped(dev, l.product(l.limit(locWinsor), sd)), dev)
		rate := l.weight(before, one, locSlow)
		spread := l.plus(variance, l.product(rate, l.minus(l.product(dev, dev), variance)))
		variance = l.change("variance", spread, old)
		mean = l.change("mean", l.where(old, next, x), there)
		rounding := l.product(l.limit(locDegenerate), l.abs(mean))
		sd = l.root(variance)
		sd = t.kept(sd, l.above(sd, rounding, nil))
		l.set("sd", sd)
		moving := l.differ(sd, zero)
		unit := l.where(moving, sd, l.limit(locOne))
		l.set("unit", unit)
		l.set("inverse", t.kept(l.quotient(one, unit), moving))
	})
	t.end()
}

// Indices of the constants, as in package lanes.
const (
	locOne = iota
	locRate
	locSlow
	locAfter
	locWinsor
	locDegenerate
)
