package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// ordered returns the mask of the elements of v that are not NaN, within another mask; nil: all elements.
func (t target) ordered(v Register, within *mask) mask {
	return t.compare(7, v, v, within)
}

// compare returns the mask of the elements with the given relation between a and b. relation is the immediate operand of
// the compare instruction.
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

// kept returns a copy of v with zeros outside the mask.
func (t target) kept(v Register, m mask) Register {
	c := t.vec()
	VANDPD(m.v, v, c)
	return c
}

// orNaN returns v with NaN outside the mask.
func (t target) orNaN(v Register, m mask) Register {
	c := t.nans()
	VBLENDVPD(m.v, v, c, c)
	return c
}

// nans returns a register of NaN.
func (t target) nans() Register {
	c := t.vec()
	VPCMPEQQ(c, c, c)
	return c
}

// tally processes a register of variables at a time, and loops over the rows of sums, one horizon after the other.
func (t target) tally() {
	t.begin("tally", "func(totals, sums, errs, waiting *%, offsets *int, y *%, n, rows, size, horizons int)",
		"adds a sample of n variables to the sums of each horizon, and to the totals over the variables.")
	totals, sums, errs, offsets, y := param("totals"), param("sums"), param("errs"), param("offsets"), param("y")
	stride, left := param("n"), param("horizons")
	tail := t.rest(stride)
	SHLQ(U8(log2(size)), stride)
	one := t.vec()
	t.bcast(one64(), one)
	total := t.vecs(3)

	group := func(x, j GPVirtual, m *mask) {
		read := func(p Mem) Register {
			v := t.vec()
			if m != nil {
				t.loadMask(p, *m, v)
			} else {
				t.load(p, v)
			}
			return v
		}
		write := func(v Register, p Mem) {
			if m != nil {
				t.storeMask(v, *m, p)
			} else {
				t.store(v, p)
			}
		}
		size := func(v Register) Register {
			s := t.zeros(1)[0]
			t.sub(v, s, s)
			VMAXPD(v, s, s)
			return s
		}
		row := func(p GPVirtual) GPVirtual {
			r := GP64()
			LEAQ(Mem{Base: p, Index: j, Scale: 1}, r)
			return r
		}
		from, to := row(x), row(sums)
		next := func() Register { // row of the forecasts
			v := read(at(from, nil, 0))
			ADDQ(stride, from)
			return v
		}
		// A masked store covers the start of the next row, and a load from there would
		// wait for it: so each row is stored after the next one was loaded.
		store := func() {}
		sum := func(change func(v Register)) Register { // adds to the next row
			v := read(at(to, nil, 0))
			change(v)
			store()
			place := copyOf(to)
			store = func() { write(v, at(place, nil, 0)) }
			ADDQ(stride, to)
			return v
		}
		add := func(w Register) Register { return sum(func(v Register) { t.add(w, v, v) }) }
		addProduct := func(a, b Register) { sum(func(v Register) { t.fma(a, b, v) }) }

		target, e := read(at(y, j, 0)), read(at(from, nil, 0))
		same := label("same")
		CMPQ(argument(Param("rows")), U32(1))
		JE(LabelRef(same)) // the forecast is the naive one, too
		ADDQ(stride, from)
		Label(same)
		naive := next()
		t.sub(e, target, e)
		t.sub(naive, target, naive)
		nan, other := t.vec(), t.vec()
		t.sub(e, e, nan)
		t.sub(naive, naive, other)
		t.add(other, nan, nan)
		scored := t.ordered(nan, m)
		write(t.orNaN(e, scored), at(errs, j, 0))
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
		done, more, short := label("done"), label("more"), label("short")
		CMPQ(argument(Param("rows")), U32(1))
		JNE(LabelRef(more))
		store()
		JMP(LabelRef(done))
		Label(more)
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

		last := store
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
		Label(done)
		write(t.nans(), at(x, j, 0))
	}
	loop(left, 1, func() {
		x := GP64()
		MOVQ(at(offsets, nil, 0), x)
		SHLQ(U8(log2(size)), x)
		ADDQ(argument(Param("waiting")), x)
		for _, v := range total {
			t.zero(v)
		}
		t.columns(stride, tail, 1, func(j GPVirtual, _ int, m *mask) { group(x, j, m) })
		for i, v := range total {
			t.storeFirst(t.sum(v), at(totals, nil, i*size))
		}
		ADDQ(U32(3*size), totals)
		ADDQ(stride, errs)
		ADDQ(argument(Param("size")), sums)
		ADDQ(U32(size), offsets)
	})
	t.end()
}
