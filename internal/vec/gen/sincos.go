package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The coefficients of package vec, highest power first.
var (
	sinCoef = []float64{
		0x1.9d462020fcc78p-21, -0x1.6f7acdb8f6580p-16, 0x1.e8f3675ee37ddp-12,
		-0x1.e3074dfaf87afp-8, 0x1.5078348551854p-4, -0x1.32d2cce627c86p-1,
		0x1.466bc6775aa7dp+1, -0x1.4abbce625be52p+2, 0x1.921fb54442d18p+1,
	}
	cosCoef = []float64{
		0x1.1678f9078a9b3p-18, -0x1.b6957b54dd389p-14, 0x1.f9d254582ac30p-10,
		-0x1.a6d1efc8c38bep-6, 0x1.e1f506813a321p-3, -0x1.55d3c7e3bfbf5p+0,
		0x1.03c1f081b5992p+2, -0x1.3bd3cc9be45dbp+2, 1,
	}
)

// The same for float32: five nodes, errors 1.1e-7.
var (
	sinCoef32 = []float64{0x1.3e1420p-4, -0x1.32531ep-1, 0x1.4668f0p+1, -0x1.4abbc4p+2, 0x1.921fb6p+1}
	cosCoef32 = []float64{0x1.c1e8dcp-3, -0x1.54f5a0p+0, 0x1.03bd00p+2, -0x1.3bd3a6p+2, 0x1.fffffep-1}
)

var constTables = map[int]Mem{}

// constants returns a table of sin and cos coefficients in turn and then a one,
// each filling an AVX2 register. The linker aligns no better than that, so the
// wider registers take single numbers.
func (t target) constants() Mem {
	if m, ok := constTables[t.size]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("trig%d", 8*t.size), RODATA|NOPTR)
	off := 0
	put := func(v float64) {
		for range 32 / t.size {
			if t.size == 4 {
				DATA(off, U32(math.Float32bits(float32(v))))
			} else {
				DATA(off, U64(math.Float64bits(v)))
			}
			off += t.size
		}
	}
	for i := range t.sinCoef() {
		put(t.sinCoef()[i])
		put(t.cosCoef()[i])
	}
	put(1)
	constTables[t.size] = m
	return m
}

func (t target) sinCoef() []float64 {
	if t.size == 4 {
		return sinCoef32
	}
	return sinCoef
}

func (t target) cosCoef() []float64 {
	if t.size == 4 {
		return cosCoef32
	}
	return cosCoef
}

// turns replaces each register of angles in turns by the sine and returns the
// cosines: the two half-angle polynomials of package vec. Both are times the
// number in scale, of which twice has the double; nil stands for one.
// meanwhile, if not nil, emits other work after each of the steps of the
// polynomials, so that the processor finds it beside them.
func (t target) turns(r []Register, scale, twice Register, meanwhile func(step int)) (sin, cos []Register) {
	u, s, c := t.vecs(len(r)), t.vecs(len(r)), t.vecs(len(r))
	table := GP64()
	LEAQ(t.constants(), table)
	coef := func(i int) Mem { return at(table, nil, 32*i) }
	for i := range r {
		switch {
		case t.zmm && t.size == 4:
			VRNDSCALEPS(U8(0), r[i], u[i])
		case t.zmm:
			VRNDSCALEPD(U8(0), r[i], u[i])
		case t.size == 4:
			VROUNDPS(U8(0), r[i], u[i])
		default:
			VROUNDPD(U8(0), r[i], u[i])
		}
		t.sub(u[i], r[i], r[i])
		t.mul(r[i], r[i], u[i])
	}
	t.bcast(coef(0), s[0])
	t.bcast(coef(1), c[0])
	for i := range r[1:] {
		t.load(s[0], s[1+i])
		t.load(c[0], c[1+i])
	}
	n := len(t.sinCoef())
	sk, ck := t.vec(), t.vec()
	for k := 1; k < n; k++ {
		// Loads are as scarce as multiplications.
		t.bcast(coef(2*k), sk)
		t.bcast(coef(2*k+1), ck)
		for i := range r {
			t.horner(sk, u[i], s[i])
			t.horner(ck, u[i], c[i])
		}
		if meanwhile != nil {
			meanwhile(k - 1)
		}
	}
	for i := range r {
		t.mul(r[i], s[i], s[i])
		if scale == nil {
			t.add(s[i], s[i], u[i])
		} else {
			t.mul(twice, s[i], u[i])
		}
		t.mul(u[i], c[i], r[i]) // sin = 2 s c
		if scale == nil {
			t.bcast(coef(2*n), c[i])
		} else {
			t.load(scale, c[i])
		}
		t.fnma(u[i], s[i], c[i]) // cos = 1 - 2 s^2
	}
	return r, c
}

// trigGroup is how many registers of angles go through turns together: as many
// as the registers allow.
func (t target) trigGroup() int {
	if t.zmm {
		return 4
	}
	return 2
}

func (t target) sinCos() {
	t.begin("sinCos", "func(sin, cos, x *%, n int)", "sets sin and cos of x turns.")
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
		s, k := t.turns(r, nil, nil, nil)
		t.storeGroup(s, sin, offset, last)
		t.storeGroup(k, cos, offset, last)
	})
	t.end()
}

// storeGroup stores registers one after the other, the last one masked.
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
		"sets cos and sin, of length n, to those of W^T x turns, times scale; W has m rows.")
	cos, sin, w, x, m, n := param("cos"), param("sin"), param("w"), param("x"), param("m"), param("n")
	stride := t.inBytes(n)
	scale, twice := t.scales()
	t.columnGroups(n, t.trigGroup(), func(offset GPVirtual, cols int, last *mask) {
		r := t.project(w, x, m, stride, offset, cols, last)
		s, k := t.turns(r, scale, twice, nil)
		t.storeGroup(s, sin, offset, last)
		t.storeGroup(k, cos, offset, last)
	})
	t.end()
}

// scales returns registers full of the argument scale and of its double.
func (t target) scales() (scale, twice Register) {
	scale, twice = t.vec(), t.vec()
	t.bcast(number("scale"), scale)
	t.add(scale, scale, twice)
	return scale, twice
}
