package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// cusum processes a register of sequences at a time. It neither fuses multiplications and additions nor changes their
// order, so all instruction sets give the same bits.
func (t target) cusum() {
	t.begin("cusum", "func(most, rows, x, limits *%, stride int)",
		"learns a value of each sequence; most are the largest sum and length.")
	x := param("x")
	sums := t.zeros(2)
	t.lanesOf(param("rows"), param("limits"), param("stride"), cusumRule, func(l *lanes, offset GPVirtual) {
		get, row, limit := l.get, l.row, l.limit
		put := func(name string) { l.set(name, row[name]) }
		v := t.vec()
		t.load(at(x, offset, 0), v)
		there := t.ordered(v, nil)

		t.add(t.kept(limit("One"), there), get("Count"), row["Count"])
		put("Count")
		dev := t.vec()
		t.sub(get("Mean"), v, dev)
		dev = t.kept(dev, there)

		zero := t.zeros(1)[0]
		ready := t.compare(1, zero, get("Variance"), &there)
		ready = t.compare(1, limit("After"), row["Count"], &ready)
		z, scale := t.vec(), t.vec()
		VMAXPD(get("Square"), row["Variance"], scale)
		VSQRTPD(scale, scale)
		VDIVPD(scale, dev, z)
		for i, name := range []string{"Up", "Down"} {
			s, since := get(name), []string{"SinceUp", "SinceDown"}[i]
			next, age := t.vec(), t.vec()
			if i == 0 {
				t.add(z, s, next)
			} else {
				t.sub(z, s, next)
			}
			t.sub(limit("Shift"), next, next)
			VMAXPD(zero, next, next)
			t.add(limit("One"), get(since), age)
			age = t.kept(age, t.compare(1, zero, next, nil))
			t.choose(next, ready, s)
			t.choose(age, ready, row[since])
			put(name)
			put(since)
			VMAXPD(s, sums[0], sums[0])
		}

		rate := t.vec()
		VDIVPD(row["Count"], limit("One"), rate)
		VMAXPD(limit("Rate"), rate, rate)
		t.add(dev, get("Sum"), row["Sum"])
		put("Sum")
		t.add(t.kept(limit("One"), there), get("Length"), row["Length"])
		put("Length")
		VMAXPD(row["Length"], sums[1], sums[1])
		change := t.vec()
		t.mul(dev, rate, change)
		t.add(t.kept(change, there), row["Mean"], row["Mean"])
		put("Mean")
		t.mul(dev, dev, change)
		t.sub(row["Square"], change, change)
		t.mul(rate, change, change)
		t.add(t.kept(change, there), row["Square"], row["Square"])
		put("Square")
	})
	most := param("most")
	for i, v := range sums {
		t.storeFirst(t.maximum(v), at(most, nil, i*size))
	}
	t.end()
}

// maximum returns the largest element of v as the first element of an xmm register.
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
