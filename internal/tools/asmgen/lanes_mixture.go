package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// aggregate processes a register of variables at a time, and loops over the experts.
func (t target) aggregate() {
	t.begin("aggregate", "func(mean, low, high, z, weights, f, x, inverse *%, limit %, experts, n, row, stride int)",
		"standardises the forecasts of the experts and sets their weighted mean and bounds.")
	n, stride := param("n"), t.inBytes(param("stride"))
	limit, least := t.vec(), t.vec()
	t.bcast(number("limit"), limit)
	t.sub(limit, t.zeros(1)[0], least)
	rowBytes := t.inBytes(param("row"))

	t.groupsOf(stride, func(offset GPVirtual) {
		pz, pw, pf, px, inverse := param("z"), param("weights"), param("f"), param("x"), param("inverse")
		for _, p := range []GPVirtual{pz, pw, pf, px, inverse} {
			ADDQ(offset, p)
		}
		m := t.dense(n) // dense rows have only n elements
		last, per := t.vec(), t.vec()
		t.loadMask(at(px, nil, 0), m, last)
		t.load(at(inverse, nil, 0), per)
		sums := t.zeros(3)
		mean, low, high := sums[0], sums[1], sums[2]
		v := t.vec()
		experts := param("experts")
		loop(experts, 1, func() {
			t.loadMask(at(pf, nil, 0), m, v)
			t.sub(last, v, v)
			t.mul(per, v, v)
			VMINPD(limit, v, v)
			VMAXPD(least, v, v)
			t.store(v, at(pz, nil, 0))
			VMINPD(v, low, low)
			VMAXPD(v, high, high)
			t.fma(at(pw, nil, 0), v, mean)
			ADDQ(rowBytes, pf)
			ADDQ(stride, pz)
			ADDQ(stride, pw)
		})
		for i, name := range []string{"mean", "low", "high"} {
			t.store(sums[i], at(param(name), offset, 0))
		}
	})
	t.end()
}

// regrets loops over the experts twice, because the second pass needs the sums of the weights.
func (t target) regrets() {
	t.begin("regrets", "func(rows, weights, regret, square, gain, z, out, y, prior, limits *%, experts, stride, relative, priorRounds int)",
		"learns outcomes: regrets and weights of the experts.")
	stride := param("stride")
	bytes := t.inBytes(stride)
	t.lanesOf(param("rows"), param("limits"), stride, mixtureRule, func(l *lanes, offset GPVirtual) {
		one, zero := l.limit("One"), l.none()
		read := func(name string) Register {
			v := t.vec()
			t.load(at(param(name), offset, 0), v)
			return v
		}
		out := read("out")
		e := l.minus(out, read("y"))
		there := t.ordered(e, nil)
		slope := t.vec()
		absolute, both := label("absolute"), label("both")
		CMPQ(argument(Param("relative")), U32(0))
		JE(LabelRef(absolute))
		{
			squared, scale := l.product(e, e), l.get("Scale")
			seen := l.change("Seen", l.plus(l.get("Seen"), one), there)
			scale = l.where(l.equal(seen, one, &there), squared, scale)
			unit := l.most(scale, l.limit("Smallest"))
			large := l.above(squared, l.product(l.limit("Winsor2"), unit), nil)
			t.unlessEmpty(large, func() {
				t.choose(l.clipped(e, l.product(l.limit("Winsor"), l.root(unit))), large, e)
			})
			t.load(l.quotient(e, unit), slope)
			settled := l.above(seen, l.limit("After"), nil)
			squared = l.where(settled, l.least(squared, l.product(l.limit("Winsor2"), scale)), squared)
			rate := l.weight(seen, one, "Least")
			squared = l.plus(scale, l.product(rate, l.minus(squared, scale)))
			l.set("Scale", l.where(there, squared, scale))
		}
		JMP(LabelRef(both))
		Label(absolute)
		t.load(l.clipped(e, l.limit("Limit")), slope)
		Label(both)
		t.mul(slope, l.limit("Rate"), slope)
		slope = t.kept(slope, there)

		outcomes := l.plus(l.get("Outcomes"), t.kept(one, there))
		ends := l.equal(outcomes, l.limit("Every"), nil)
		l.set("Outcomes", l.minus(outcomes, t.kept(outcomes, ends)))
		due := t.kept(one, ends)
		rounds := l.plus(l.get("Rounds"), due)
		l.set("Rounds", rounds)
		evidence, sure := l.get("evidence"), label("sure")
		CMPQ(argument(Param("priorRounds")), U32(0))
		JE(LabelRef(sure))
		t.load(l.quotient(rounds, l.plus(rounds, l.limit("PriorRounds"))), evidence)
		l.set("evidence", evidence)
		Label(sure)

		sum := l.none()
		weights, regret, square, gain, z := param("weights"), param("regret"), param("square"), param("gain"), param("z")
		row := copyOf(offset)
		g, part, r, s := t.vec(), t.vec(), t.vec(), t.vec()
		experts := param("experts")
		loop(experts, 1, func() {
			t.sub(at(z, row, 0), out, part)
			t.load(at(gain, row, 0), g)
			t.fma(part, slope, g)
			t.mul(g, due, part)
			t.sub(part, g, g)
			t.store(g, at(gain, row, 0))
			t.add(at(regret, row, 0), part, r)
			t.store(r, at(regret, row, 0))
			t.load(at(square, row, 0), s)
			t.fma(part, part, s)
			t.store(s, at(square, row, 0))
			t.add(one, s, s)
			VMAXPD(zero, r, r)
			VDIVPD(s, r, r)
			t.store(r, at(weights, row, 0))
			t.add(r, sum, sum)
			ADDQ(bytes, row)
		})

		// A sum below 1e-308 has no inverse.
		scale, most := l.quotient(one, sum), t.vec()
		t.bcast(largest(), most)
		VMINPD(most, scale, scale)
		t.mul(evidence, scale, scale)
		left := l.where(l.above(sum, zero, nil), l.minus(one, evidence), one)
		row = copyOf(offset)
		prior, experts := param("prior"), param("experts")
		loop(experts, 1, func() {
			t.mul(at(weights, row, 0), scale, r)
			t.fmaBcast(at(prior, nil, 0), left, r, s)
			t.store(r, at(weights, row, 0))
			ADDQ(U32(uint32(size)), prior)
			ADDQ(bytes, row)
		})
	})
	t.end()
}
