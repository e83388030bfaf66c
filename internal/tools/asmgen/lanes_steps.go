package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// Indices of the constants, as in package lanes.
const (
	stepOne = iota
	stepAfter
	stepWinsor
	stepWinsor2
	stepRate
)

// steps takes a register of variables at a time. It neither fuses multiplications and
// additions nor changes their order: all instruction sets give the same bits.
func (t target) steps() {
	t.begin("steps", "func(rows, limits, x, last *%, n, stride int)",
		"learns the increments x - last.")
	n := param("n")
	names := []string{"target", "count", "square", "unit", "inverse"}
	t.lanesOf(param("rows"), param("limits"), param("stride"), names, func(l *lanes, offset GPVirtual) {
		m := t.dense(n)
		zero, one := l.none(), l.limit(stepOne)
		read := func(name string) Register {
			v := t.vec()
			t.loadMask(at(param(name), offset, 0), m, v)
			return v
		}
		step := l.minus(read("x"), read("last"))
		there := t.ordered(step, &m)
		size := l.abs(step)
		count := l.get("count")
		target := l.clipped(l.product(step, l.get("inverse")), l.limit(stepWinsor))
		l.set("target", t.orNaN(target, l.above(count, zero, &there)))

		moved := l.above(size, zero, nil)
		count = l.change("count", l.plus(count, one), moved)
		mean, square := l.get("square"), l.product(size, size)
		settled := l.above(count, l.limit(stepAfter), nil)
		square = l.where(settled, l.least(square, l.product(l.limit(stepWinsor2), mean)), square)
		rate := l.weight(count, one, stepRate)
		mean = l.change("square", l.plus(mean, l.product(l.minus(square, mean), rate)), moved)
		root := l.root(mean)
		unit := l.where(l.differ(root, zero), root, l.limit(stepOne))
		l.set("unit", unit)
		l.set("inverse", l.quotient(one, unit))
	})
	t.end()
}
