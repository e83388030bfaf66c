package main

import (
	"math"
	"slices"
	"sync"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The coefficients of sinCosTurns in package vec, highest power first.
var (
	sinCoef = []float64{
		-0x1.f3d6f85177059p-16, 0x1.597621fbad57bp-11, -0x1.558c6ef6f5f10p-7, 0x1.dbd6f89af7a50p-4,
		-0x1.b1e9f340b91eap-1, 0x1.cda106380081ep+1, -0x1.d3ba5c1c5ef7dp+2, 0x1.1c5831add62ddp+2,
	}
	cosCoef = []float64{
		0x1.877f605fde057p-18, -0x1.360c535045637p-13, 0x1.65aaf265291bap-9, -0x1.2afa997d607f2p-5,
		0x1.54cb8f427d88dp-2, -0x1.e36ab0c0ffbafp+0, 0x1.6f5a49b297649p+2, -0x1.bea5b6072b243p+2,
		0x1.6a09e667f3bccp+0,
	}
)

// The coefficients of sin(2 pi r)/r and cos(2 pi r) in powers of r^2 for r in [-1/32,
// 1/32], highest power first: least squares at Chebyshev points, each coefficient rounded
// before those of higher powers were fitted. Their error is below 1e-16.
var (
	sinNear = []float64{
		0x1.5022093e83e45p+5, -0x1.32d2c18e02d72p+6, 0x1.466bc67603c9ap+6, -0x1.4abbce625bc28p+5, 0x1.921fb54442d18p+2,
	}
	cosNear = []float64{
		0x1.e173e2726c8acp+5, -0x1.55d3ba454287cp+6, 0x1.03c1f080931d3p+6, -0x1.3bd3cc9be43fap+4, 1,
	}
)

// sixteenth added to t with |t| < 2^47 leaves round(16 t) in the last bits of the sum.
const sixteenth = 3 << 47

// trig is a table of sinCoef, cosCoef and 1, each in all elements of an AVX2 register.
var trig = sync.OnceValue(func() Mem {
	m := GLOBL("trig64", RODATA|NOPTR)
	off := 0
	for _, v := range slices.Concat(sinCoef, cosCoef, []float64{1}) {
		for range 32 / size {
			DATA(off, U64(math.Float64bits(v)))
			off += size
		}
	}
	return m
})

// reduce sets r = r - round(r), which is NaN where r is not finite.
func (t target) reduce(r []Register) {
	n := t.vec()
	for i := range r {
		if t.zmm {
			// VREDUCEPD gives zero for infinity; adding 0 r makes it NaN.
			u := t.vec()
			VREDUCEPD(U8(0), r[i], u)
			t.fma(nothing, r[i], u)
			r[i] = u
			continue
		}
		VROUNDPD(U8(0), r[i], n)
		t.sub(n, r[i], r[i])
	}
}

// sixteenths is a table of sin and cos of 0/16 … 15/16 turns, then sinNear and cosNear, then the constant sixteenth.
var sixteenths = sync.OnceValue(func() Mem {
	m := GLOBL("sixteenths", RODATA|NOPTR)
	quarter := []float64{0, 0x1.87de2a6aea963p-2, 0x1.6a09e667f3bcdp-1, 0x1.d906bcf328d46p-1}
	var sines []float64
	for k := range 20 { // the cosines begin at a quarter
		v := quarter[k%4]
		if k/4%2 == 1 {
			v = [4]float64{1, quarter[3], quarter[2], quarter[1]}[k%4]
		}
		if k/8 == 1 {
			v = 0 - v // no negative zero
		}
		sines = append(sines, v)
	}
	for i, v := range slices.Concat(sines[:16], sines[4:], sinNear, cosNear, []float64{sixteenth}) {
		DATA(8*i, U64(math.Float64bits(v)))
	}
	return m
})

// turnsByTable is turns for AVX-512. It computes t = a + b, where a is the nearest sixteenth of a turn. Two registers
// hold the sines of all a, and the polynomials for b need half the terms. Angles are finite and below 2^47.
func (t target) turnsByTable(angles []Register, scale Register) (sin, cos []Register) {
	n := len(angles)
	r, u, s, c := t.vecs(n), t.vecs(n), t.vecs(n), t.vecs(n)
	table, k := GP64(), t.vec()
	LEAQ(sixteenths(), table)
	const (
		sines    = 0
		cosines  = sines + 16*8
		sinFirst = cosines + 16*8
		cosFirst = sinFirst + 5*8
		rounding = cosFirst + 5*8
	)
	each := func(f func(i int)) {
		for i := range n {
			f(i)
		}
	}
	with := func(load func(from, to Op), offset int, f func(i int)) {
		load(at(table, nil, offset), k)
		each(f)
	}
	each(func(i int) { VREDUCEPD(U8(4<<4), angles[i], r[i]) })
	each(func(i int) { t.mul(r[i], r[i], u[i]) })
	for term := range 4 {
		for _, p := range []struct {
			acc   []Register
			first int
		}{{s, sinFirst}, {c, cosFirst}} {
			if term == 0 {
				with(t.bcast, p.first, func(i int) { t.load(k, p.acc[i]) })
			}
			with(t.bcast, p.first+8*(term+1), func(i int) { t.horner(k, u[i], p.acc[i]) })
		}
	}
	each(func(i int) { t.mul(r[i], s[i], s[i]) })
	with(t.bcast, rounding, func(i int) { t.add(angles[i], k, r[i]) })
	with(t.load, sines, func(i int) {
		t.load(k, u[i])
		VPERMT2PD(at(table, nil, sines+64), r[i], u[i])
	})
	with(t.load, cosines, func(i int) { VPERMI2PD(at(table, nil, cosines+64), k, r[i]) })
	if scale != nil {
		each(func(i int) { t.mul(scale, u[i], u[i]) })
		each(func(i int) { t.mul(scale, r[i], r[i]) })
	}
	// sin(a + b) and cos(a + b)
	each(func(i int) {
		t.mul(u[i], s[i], k)
		t.mul(u[i], c[i], u[i])
		t.fma(r[i], s[i], u[i])
		VFMSUB213PD(k, c[i], r[i])
	})
	return u, r
}

// turns returns scale sin(2 pi r) and scale cos(2 pi r) for reduced angles r in turns; scale nil: 1. It is for AVX2, and
// follows sinCosTurns in package vec.
func (t target) turns(r []Register, scale Register) (sin, cos []Register) {
	u, s, c := t.vecs(len(r)), t.vecs(len(r)), t.vecs(len(r))
	table, k := GP64(), t.vec()
	LEAQ(trig(), table)
	coef := func(i int) { t.bcast(at(table, nil, 32*i), k) }
	each := func(f func(i int)) {
		for i := range r {
			f(i)
		}
	}
	each(func(i int) { t.mul(r[i], r[i], u[i]) })
	// The terms of both polynomials in turn, highest power first.
	ns, nc := len(sinCoef), len(cosCoef)
	term := func(acc []Register, first, i int) {
		switch i {
		case 0: // together with term 1
		case 1:
			coef(first + 1)
			each(func(i int) { t.load(k, acc[i]) })
			coef(first)
			each(func(i int) { t.fma(k, u[i], acc[i]) })
		default:
			coef(first + i)
			each(func(i int) { t.horner(k, u[i], acc[i]) })
		}
	}
	for k := nc; k >= 1; k-- {
		term(c, ns, nc-k)
		if k <= ns {
			term(s, 0, ns-k)
		}
	}
	each(func(i int) { t.mul(r[i], s[i], s[i]) })
	twice := u
	if scale != nil {
		each(func(i int) { t.mul(scale, s[i], u[i]) })
	} else {
		twice, scale = s, k
		coef(ns + nc)
	}
	each(func(i int) { t.mul(twice[i], c[i], c[i]) })          // sin = s c
	each(func(i int) { t.hornerMinus(scale, twice[i], s[i]) }) // cos = 1 - s^2
	return c, s
}

// sinCosOf returns scale sin(2 pi r) and scale cos(2 pi r) for any angles r in turns.
func (t target) sinCosOf(r []Register, scale Register) (sin, cos []Register) {
	t.reduce(r)
	if t.zmm {
		return t.turnsByTable(r, scale)
	}
	return t.turns(r, scale)
}

// trigGroup returns the number of registers of angles that are computed together. The number of free registers limits it.
func (t target) trigGroup() int {
	if t.zmm {
		return 4
	}
	return 2
}

func (t target) sinCos() {
	t.begin("sinCos", "func(sin, cos, x *%, n int)", "sets sin and cos to those of x turns.")
	sin, cos, x, n := param("sin"), param("cos"), param("x"), param("n")
	t.columnGroups(n, t.trigGroup(), func(offset GPVirtual, cols int, last *mask) {
		r := t.vecs(cols)
		for c := range cols {
			mem := at(x, offset, c*t.bytes())
			if last != nil && c == cols-1 {
				t.loadMask(mem, *last, r[c])
			} else {
				t.load(mem, r[c])
			}
		}
		s, k := t.sinCosOf(r, nil)
		t.storeGroup(s, sin, offset, last)
		t.storeGroup(k, cos, offset, last)
	})
	t.end()
}

// storeGroup stores registers one after the other. last masks the last register; nil: no mask.
func (t target) storeGroup(v []Register, to, offset GPVirtual, last *mask) {
	for c := range v {
		mem := at(to, offset, c*t.bytes())
		if last != nil && c == len(v)-1 {
			t.storeMask(v[c], *last, mem)
		} else {
			t.store(v[c], mem)
		}
	}
}

func (t target) features() {
	t.begin("features", "func(cos, sin, w, x *%, scale %, m, n int)",
		"sets cos = scale cos(W^T x) and sin = scale sin(W^T x) in turns, W of m rows and n columns.")
	cos, sin, w, x, m, n := param("cos"), param("sin"), param("w"), param("x"), param("m"), param("n")
	stride := t.inBytes(n)
	scale := t.scale1()
	t.columnGroups(n, t.trigGroup(), func(offset GPVirtual, cols int, last *mask) {
		r := t.project(w, x, m, stride, offset, cols, last)
		s, k := t.sinCosOf(r, scale)
		t.storeGroup(s, sin, offset, last)
		t.storeGroup(k, cos, offset, last)
	})
	t.end()
}

// scale1 returns a register with the argument scale in all elements.
func (t target) scale1() Register {
	scale := t.vec()
	t.bcast(number("scale"), scale)
	return scale
}
