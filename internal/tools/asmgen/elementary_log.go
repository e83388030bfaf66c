package main

import (
	"math"
	"sync"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// logTable has the constants of log in package vec, and the constants that convert the exponent to a number.
var logTable = []uint64{
	0x3ff0000000000000 - 0x3fe6a09e667f3bcd, // added to the bits of x: the exponent is that of x/(sqrt(2)/2)
	0x4330000000000000,                      // 2^52: its low bits are an integer
	0x3ff0000000000000,                      // 1, and the bias of the exponent
	math.Float64bits(1<<52 + 1023),
	math.Float64bits(2),
	math.Float64bits(.5),
	math.Float64bits(6.93147180369123816490e-01), math.Float64bits(1.90821492927058770002e-10),
	math.Float64bits(6.666666666666735130e-01), math.Float64bits(3.999999999940941908e-01),
	math.Float64bits(2.857142874366239149e-01), math.Float64bits(2.222219843214978396e-01),
	math.Float64bits(1.818357216161805012e-01), math.Float64bits(1.531383769920937332e-01),
	math.Float64bits(1.479819860510658591e-01),
}

const (
	logShift = iota
	logMantissa
	logOne
	logBias
	logTwo
	logHalf
	logLn2Hi
	logLn2Lo
	logL1
)

var logConstants = sync.OnceValue(func() Mem {
	m := GLOBL("logarithm", RODATA|NOPTR)
	for i, v := range logTable {
		DATA(8*i, U64(v))
	}
	return m
})

// logarithms processes a register at a time. NaN stays NaN.
func (t target) logarithms() {
	t.begin("logTo", "func(dst, x *%, n int)", "sets dst to the logarithms of x.")
	dst, from, n := param("dst"), param("x"), param("n")
	tail := t.rest(n)
	t.columns(t.inBytes(n), tail, 1, func(j GPVirtual, _ int, m *mask) {
		x := t.loadSome(at(from, j, 0), m)
		t.choose(t.logarithm(x), t.ordered(x, nil), x)
		if m != nil {
			t.storeMask(x, *m, at(dst, j, 0))
		} else {
			t.store(x, at(dst, j, 0))
		}
	})
	t.end()
}

// logarithm returns log(x), by the operations of log in package vec, so that the bits are the same. The elements of x
// are positive normal numbers.
func (t target) logarithm(x Register) Register {
	constant := func(i int) Register {
		v := t.vec()
		t.bcast(logConstants().Offset(8*i), v)
		return v
	}
	mul := func(a, b Register) Register {
		v := t.vec()
		t.mul(a, b, v)
		return v
	}
	add := func(a, b Register) Register {
		v := t.vec()
		t.add(a, b, v)
		return v
	}
	sub := func(a, b Register) Register { // a - b
		v := t.vec()
		t.sub(b, a, v)
		return v
	}
	l := func(i int) Register { return constant(logL1 + i - 1) }
	exponent, f, k := t.vec(), t.vec(), t.vec()
	VPADDQ(constant(logShift), x, exponent)
	VPSRLQ(U8(52), exponent, exponent)
	VPSLLQ(U8(52), exponent, f)
	VPSUBQ(f, x, f)
	VPADDQ(constant(logOne), f, f)
	VPADDQ(constant(logMantissa), exponent, k)
	t.sub(constant(logBias), k, k)
	t.sub(constant(logOne), f, f)
	s := t.vec()
	VDIVPD(add(constant(logTwo), f), f, s)
	s2 := mul(s, s)
	s4 := mul(s2, s2)
	odd := mul(s2, add(l(1), mul(s4, add(l(3), mul(s4, add(l(5), mul(s4, l(7))))))))
	even := mul(s4, add(l(2), mul(s4, add(l(4), mul(s4, l(6))))))
	r := add(odd, even)
	half := mul(mul(constant(logHalf), f), f)
	inner := add(mul(s, add(half, r)), mul(k, constant(logLn2Lo)))
	return sub(mul(k, constant(logLn2Hi)), sub(sub(half, inner), f))
}
