package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// steps processes a register of variables at a time. It neither fuses multiplications and additions nor changes their
// order, so all instruction sets give the same bits.
func (t target) steps() {
	t.begin("steps", "func(rows, limits, x, last *%, n, stride int)",
		"learns the increments x - last.")
	n := param("n")
	t.lanesOf(param("rows"), param("limits"), param("stride"), stepsRule, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		zero, one := l.none(), l.limit("One")
		read := func(name string) Register {
			v := t.vec()
			t.loadMask(at(param(name), offset, 0), m, v)
			return v
		}
		step := l.minus(read("x"), read("last"))
		there := t.ordered(step, &m)
		size := l.abs(step)
		count := l.get("Count")
		target := l.clipped(l.product(step, l.get("Inverse")), l.limit("Winsor"))
		l.set("Target", t.orNaN(target, l.above(count, zero, &there)))

		moved := l.above(size, zero, nil)
		count = l.change("Count", l.plus(count, one), moved)
		mean, square := l.get("Square"), l.product(size, size)
		settled := l.above(count, l.limit("After"), nil)
		square = l.where(settled, l.least(square, l.product(l.limit("Winsor2"), mean)), square)
		rate := l.weight(count, one, "Rate")
		mean = l.change("Square", l.plus(mean, l.product(l.minus(square, mean), rate)), moved)
		root := l.root(mean)
		unit := l.where(l.differ(root, zero), root, l.limit("One"))
		l.set("Unit", unit)
		l.set("Inverse", l.quotient(one, unit))
	})
	t.end()
}
