package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// ordered returns the mask of the elements of v that are not NaN, within another
// mask unless that is nil.
func (t target) ordered(v Register, within *mask) mask {
	return t.compare(7, v, v, within)
}

// compare returns the mask of the elements for which the relation between a and b
// holds that the instruction set has under this number.
func (t target) compare(relation uint8, a, b Register, within *mask) mask {
	if t.zmm {
		k := K()
		if within == nil {
			VCMPPD(U8(relation), b, a, k)
		} else {
			VCMPPD(U8(relation), b, a, within.k, k)
		}
		return mask{k: k}
	}
	v := t.vec()
	VCMPPD(U8(relation), b, a, v)
	if within != nil {
		VANDPD(within.v, v, v)
	}
	return mask{v: v}
}

// kept returns a copy of v that is zero outside the mask.
func (t target) kept(v Register, m mask) Register {
	c := t.vec()
	if t.zmm {
		VMOVUPD_Z(v, m.k, c)
	} else {
		VANDPD(m.v, v, c)
	}
	return c
}

// orNaN returns v with NaN outside the mask.
func (t target) orNaN(v Register, m mask) Register {
	c := t.vec()
	if t.zmm {
		VPTERNLOGQ(U8(0xff), nothing, nothing, c)
		VMOVUPD(v, m.k, c)
		return c
	}
	VPCMPEQQ(c, c, c)
	VBLENDVPD(m.v, v, c, c)
	return c
}

// tally takes a register of variables at a time and goes down the rows of sums.
func (t target) tally() {
	t.begin("tally", "func(total, sums, errs, x, y *%, n, rows int)",
		"adds a sample of n variables to the sums, and to the totals over the variables.")
	sums, errs, x, y, n := param("sums"), param("errs"), param("x"), param("y"), param("n")
	stride := t.inBytes(n)
	total := t.zeros(3)
	one := t.vec()
	t.bcast(one64(), one)

	group := func(m *mask) {
		read := func(p GPVirtual) Register {
			v := t.vec()
			if m != nil {
				t.loadMask(at(p, nil, 0), *m, v)
			} else {
				t.load(at(p, nil, 0), v)
			}
			return v
		}
		write := func(v Register, p GPVirtual) {
			if m != nil {
				t.storeMask(v, *m, at(p, nil, 0))
			} else {
				t.store(v, at(p, nil, 0))
			}
		}
		size := func(v Register) Register {
			s := t.zeros(1)[0]
			t.sub(v, s, s)
			VMAXPD(v, s, s)
			return s
		}
		from, to := copyOf(x), copyOf(sums)
		next := func() Register { // row of the forecasts
			v := read(from)
			ADDQ(stride, from)
			return v
		}
		// A masked store covers the start of the next row, and a load from there would
		// wait for it: so each row is stored after the next one was loaded.
		store := func() {}
		sum := func(change func(v Register)) Register { // of the next row
			v := read(to)
			change(v)
			store()
			place := copyOf(to)
			store = func() { write(v, place) }
			ADDQ(stride, to)
			return v
		}
		add := func(w Register) Register { return sum(func(v Register) { t.add(w, v, v) }) }
		addProduct := func(a, b Register) { sum(func(v Register) { t.fma(a, b, v) }) }

		target, e, naive := read(y), next(), next()
		t.sub(e, target, e)
		t.sub(naive, target, naive)
		nan, other := t.vec(), t.vec()
		t.sub(e, e, nan)
		t.sub(naive, naive, other)
		t.add(other, nan, nan)
		scored := t.ordered(nan, m)
		write(t.orNaN(e, scored), errs)
		e, naive, target = t.kept(e, scored), t.kept(naive, scored), t.kept(target, scored)

		unit := t.kept(one, scored)
		count := add(unit)
		t.add(unit, total[0], total[0])
		square := t.vec()
		t.mul(e, e, square)
		add(square)
		t.add(square, total[1], total[1])
		addProduct(square, square)
		absolute := size(e)
		add(absolute)
		t.add(absolute, total[2], total[2])

		deviation, rest := t.vec(), t.vec()
		sum(func(mean Register) {
			t.sub(mean, target, deviation)
			t.load(t.kept(deviation, scored), deviation)
			VDIVPD(count, deviation, rest)
			t.add(t.kept(rest, scored), mean, mean)
			t.sub(mean, target, rest)
		})
		addProduct(deviation, rest)
		addProduct(naive, naive)
		add(size(naive))

		reference := next()
		t.sub(reference, target, reference)
		t.sub(reference, reference, nan)
		both := t.ordered(nan, &scored)
		add(t.kept(one, both))
		add(t.kept(square, both))
		reference = t.kept(reference, both)
		addProduct(reference, reference)

		short, last := label("short"), store
		store = func() {}
		CMPQ(argument(Param("rows")), U32(3))
		JE(LabelRef(short))
		lower, width := next(), next()
		over := t.vec()
		t.sub(width, target, over)
		t.sub(lower, width, width)
		t.sub(target, lower, lower)
		t.sub(width, width, nan)
		bounded := t.ordered(nan, &scored)
		add(t.kept(one, bounded))
		zero := t.zeros(1)[0]
		VMAXPD(zero, over, over)
		VMAXPD(zero, lower, lower)
		t.add(over, lower, lower)
		add(t.kept(one, t.compare(1, zero, lower, &bounded)))
		add(t.kept(width, bounded))
		add(t.kept(lower, bounded))
		store()
		Label(short)
		last()
	}
	loop(n, t.lanes, func() {
		group(nil)
		for _, p := range []GPVirtual{sums, errs, x, y} {
			ADDQ(U32(uint32(t.bytes())), p)
		}
	})
	unlessZero(n, func() {
		m := t.tailMask(n)
		group(&m)
	})
	to := param("total")
	for i, v := range total {
		t.storeFirst(t.sum(v), at(to, nil, i*size))
	}
	t.end()
}
