package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// cusum takes a register of sequences at a time. It neither fuses multiplications
// and additions nor changes their order: all instruction sets give the same bits.
func (t target) cusum() {
	t.begin("cusum", "func(most, rows, x, limits *%, stride int)",
		"learns a value of each sequence; most are the largest sum and length.")
	x := param("x")
	sums := t.zeros(2)
	names := []string{"count", "mean", "square", "sum", "length", "variance", "up", "down", "sinceUp", "sinceDown"}
	t.lanesOf(param("rows"), param("limits"), param("stride"), names, func(l *lanes, offset GPVirtual) {
		get, row, limit := l.get, l.row, l.limit
		put := func(name string) { l.set(name, row[name]) }
		v := t.vec()
		t.load(at(x, offset, 0), v)
		there := t.ordered(v, nil)

		t.add(t.kept(limit(3), there), get("count"), row["count"])
		put("count")
		dev := t.vec()
		t.sub(get("mean"), v, dev)
		dev = t.kept(dev, there)

		zero := t.zeros(1)[0]
		ready := t.compare(1, zero, get("variance"), &there)
		ready = t.compare(1, limit(0), row["count"], &ready)
		z, scale := t.vec(), t.vec()
		VMAXPD(get("square"), row["variance"], scale)
		VSQRTPD(scale, scale)
		VDIVPD(scale, dev, z)
		for i, name := range []string{"up", "down"} {
			s, since := get(name), []string{"sinceUp", "sinceDown"}[i]
			next, age := t.vec(), t.vec()
			if i == 0 {
				t.add(z, s, next)
			} else {
				t.sub(z, s, next)
			}
			t.sub(limit(1), next, next)
			VMAXPD(zero, next, next)
			t.add(limit(3), get(since), age)
			age = t.kept(age, t.compare(1, zero, next, nil))
			t.choose(next, ready, s)
			t.choose(age, ready, row[since])
			put(name)
			put(since)
			VMAXPD(s, sums[0], sums[0])
		}

		rate := t.vec()
		VDIVPD(row["count"], limit(3), rate)
		VMAXPD(limit(2), rate, rate)
		t.add(dev, get("sum"), row["sum"])
		put("sum")
		t.add(t.kept(limit(3), there), get("length"), row["length"])
		put("length")
		VMAXPD(row["length"], sums[1], sums[1])
		change := t.vec()
		t.mul(dev, rate, change)
		t.add(t.kept(change, there), row["mean"], row["mean"])
		put("mean")
		t.mul(dev, dev, change)
		t.sub(row["square"], change, change)
		t.mul(rate, change, change)
		t.add(t.kept(change, there), row["square"], row["square"])
		put("square")
	})
	most := param("most")
	for i, v := range sums {
		t.storeFirst(t.maximum(v), at(most, nil, i*size))
	}
	t.end()
}

// maximum returns the largest element of v in the first place of an xmm register.
func (t target) maximum(v Register) VecVirtual {
	x := XMM()
	VEXTRACTF128(U8(1), v, x)
	VMAXPD(v.(VecVirtual).AsX(), x, x)
	swap := XMM()
	VPERMILPD(U8(0b01), x, swap)
	VMAXPD(swap, x, x)
	return x.(VecVirtual)
}

// choose copies the elements of the mask from v to to.
func (t target) choose(v Register, m mask, to Register) {
	VBLENDVPD(m.v, v, to, to)
}
