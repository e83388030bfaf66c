package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// Indices of the constants, as in package lanes.
const (
	momOne = iota
	momForgetting
	momAfter
	momWinsor
	momDegenerate
	momWide
)

// moments takes a register of variables at a time. It neither fuses multiplications
// and additions nor changes their order: all instruction sets give the same bits.
func (t target) moments() {
	t.begin("moments", "func(rows, limits, x *%, n, stride int)",
		"learns a sample: moments of values and increments.")
	n := param("n")
	names := []string{"last", "weight", "mean", "variance", "diffWeight", "diff2", "low", "high", "sd", "rms",
		"unit", "inverse", "steps", "perStep", "floor", "ceiling"}
	t.lanesOf(param("rows"), param("limits"), param("stride"), names, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		zero, one := l.none(), l.limit(momOne)
		// share takes a sample into a weight and returns its share.
		share := func(name string, there mask) (w, share Register) {
			w = l.plus(l.product(l.get(name), l.limit(momForgetting)), one)
			l.change(name, w, there)
			return w, l.quotient(one, w)
		}
		winsorised := func(dev, scale, w Register) Register {
			settled := l.above(scale, zero, nil)
			settled = l.above(w, l.limit(momAfter), &settled)
			return l.where(settled, l.clipped(dev, l.product(l.limit(momWinsor), scale)), dev)
		}
		scaleOf := func(square, rounding Register) Register {
			s := l.root(square)
			return t.kept(s, l.above(s, rounding, nil))
		}

		x := t.loadSome(at(param("x"), offset, 0), &m)
		there := t.ordered(x, &m)
		diff := l.minus(x, l.get("last"))
		l.set("last", x)
		fresh := l.equal(l.get("weight"), zero, &there)
		for _, name := range []string{"low", "high"} {
			bound := l.get(name)
			if name == "low" {
				bound = l.least(bound, x)
			} else {
				bound = l.most(bound, x)
			}
			l.change(name, l.where(fresh, x, bound), there)
		}
		w, part := share("weight", there)
		dev := winsorised(l.minus(x, l.get("mean")), l.get("sd"), w)
		mean := l.change("mean", l.plus(l.get("mean"), l.product(dev, part)), there)
		square := l.product(l.product(dev, dev), l.minus(one, part))
		variance := l.get("variance")
		variance = l.change("variance", l.plus(variance, l.product(l.minus(square, variance), part)), there)
		rounding := l.product(l.limit(momDegenerate), l.abs(mean))
		sd := scaleOf(variance, rounding)
		l.set("sd", sd)
		moving := l.differ(sd, zero)
		unit := l.where(moving, sd, l.limit(momOne))
		l.set("unit", unit)
		l.set("inverse", t.kept(l.quotient(one, unit), moving))

		there = t.ordered(diff, &m)
		w, part = share("diffWeight", there)
		dev = winsorised(diff, l.get("rms"), w)
		square = l.get("diff2")
		square = l.change("diff2", l.plus(square, l.product(l.minus(l.product(dev, dev), square), part)), there)
		rms := scaleOf(square, rounding)
		l.set("rms", rms)
		stepping := l.differ(rms, zero)
		unit = l.where(stepping, rms, l.limit(momOne))
		l.set("steps", unit)
		l.set("perStep", t.kept(l.quotient(one, unit), stepping))
		wide := l.product(l.limit(momWide), rms)
		l.set("floor", l.minus(l.get("low"), wide))
		l.set("ceiling", l.plus(l.get("high"), wide))
	})
	t.end()
}
