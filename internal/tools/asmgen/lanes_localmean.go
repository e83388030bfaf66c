package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// localMean takes a register of variables at a time.
func (t target) localMean() {
	t.begin("localMean", "func(rows, limits, x *%, n, stride int)",
		"learns a sample: local means and variances.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), localMeanRule, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		one, zero := l.limit("One"), l.none()
		x := t.loadSome(at(param("x"), offset, 0), &m)
		there := t.ordered(x, &m)
		before, mean, variance := t.vec(), l.get("Mean"), l.get("Variance")
		t.load(l.get("Count"), before)
		old := l.above(before, zero, &there)
		count := l.change("Count", l.plus(before, one), there)
		dev := l.minus(x, mean)
		next := l.plus(mean, l.product(l.weight(count, one, "Rate"), dev))
		settled := l.above(before, l.limit("After"), nil)
		sd := l.get("SD")
		settled = l.above(sd, zero, &settled)
		dev = l.where(settled, l.clipped(dev, l.product(l.limit("Winsor"), sd)), dev)
		rate := l.weight(before, one, "Slow")
		spread := l.plus(variance, l.product(rate, l.minus(l.product(dev, dev), variance)))
		variance = l.change("Variance", spread, old)
		mean = l.change("Mean", l.where(old, next, x), there)
		rounding := l.product(l.limit("Degenerate"), l.abs(mean))
		sd = l.root(variance)
		sd = t.kept(sd, l.above(sd, rounding, nil))
		l.set("SD", sd)
		moving := l.differ(sd, zero)
		unit := l.where(moving, sd, l.limit("One"))
		l.set("Unit", unit)
		l.set("Inverse", t.kept(l.quotient(one, unit), moving))
	})
	t.end()
}
