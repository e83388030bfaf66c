package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// moments processes a register of variables at a time. It neither fuses multiplications and additions nor changes their
// order, so all instruction sets give the same bits.
func (t target) moments() {
	t.begin("moments", "func(rows, limits, x *%, n, stride int)",
		"learns a sample: moments of values and increments.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), momentsRule, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		zero, one := l.none(), l.limit("One")
		// share takes a sample into a weight and returns its share.
		share := func(name string, there mask) (w, share Register) {
			w = l.plus(l.product(l.get(name), l.limit("Forgetting")), one)
			l.change(name, w, there)
			return w, l.quotient(one, w)
		}
		winsorised := func(dev, scale, w Register) Register {
			settled := l.above(scale, zero, nil)
			settled = l.above(w, l.limit("After"), &settled)
			return l.where(settled, l.clipped(dev, l.product(l.limit("Winsor"), scale)), dev)
		}
		scaleOf := func(square, rounding Register) Register {
			s := l.root(square)
			return t.kept(s, l.above(s, rounding, nil))
		}

		x := t.loadSome(at(param("x"), offset, 0), &m)
		there := t.ordered(x, &m)
		diff := l.minus(x, l.get("Last"))
		l.set("Last", x)
		fresh := l.equal(l.get("Weight"), zero, &there)
		for _, name := range []string{"Low", "High"} {
			bound := l.get(name)
			if name == "Low" {
				bound = l.least(bound, x)
			} else {
				bound = l.most(bound, x)
			}
			l.change(name, l.where(fresh, x, bound), there)
		}
		w, part := share("Weight", there)
		dev := winsorised(l.minus(x, l.get("Mean")), l.get("SD"), w)
		mean := l.change("Mean", l.plus(l.get("Mean"), l.product(dev, part)), there)
		square := l.product(l.product(dev, dev), l.minus(one, part))
		variance := l.get("Variance")
		variance = l.change("Variance", l.plus(variance, l.product(l.minus(square, variance), part)), there)
		rounding := l.product(l.limit("Degenerate"), l.abs(mean))
		sd := scaleOf(variance, rounding)
		l.set("SD", sd)
		moving := l.differ(sd, zero)
		unit := l.where(moving, sd, l.limit("One"))
		l.set("Unit", unit)
		l.set("Inverse", t.kept(l.quotient(one, unit), moving))

		there = t.ordered(diff, &m)
		w, part = share("DiffWeight", there)
		dev = winsorised(diff, l.get("RMS"), w)
		square = l.get("Diff2")
		square = l.change("Diff2", l.plus(square, l.product(l.minus(l.product(dev, dev), square), part)), there)
		rms := scaleOf(square, rounding)
		l.set("RMS", rms)
		stepping := l.differ(rms, zero)
		unit = l.where(stepping, rms, l.limit("One"))
		l.set("Steps", unit)
		l.set("PerStep", t.kept(l.quotient(one, unit), stepping))
		wide := l.product(l.limit("Wide"), rms)
		l.set("Floor", l.minus(l.get("Low"), wide))
		l.set("Ceiling", l.plus(l.get("High"), wide))
	})
	t.end()
}
