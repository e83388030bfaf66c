package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// narrow converts float64 to float32, eight numbers at a time. widen is the inverse.
func (t target) narrow() {
	t.begin("narrow", "func(dst *float32, x *%, n int)", "rounds n numbers, a multiple of 8, to 32 bits.")
	dst, x, n := param("dst"), param("x"), param("n")
	loop(n, side, func() {
		for c := range t.groups() {
			t.storeNarrow(at(x, nil, c*t.bytes()), at(dst, nil, c*t.bytes()/2))
		}
		ADDQ(U8(side*size), x)
		ADDQ(U8(side*size/2), dst)
	})
	t.end()
}

// storeNarrow rounds a register to 32 bits.
func (t target) storeNarrow(from, to Op) {
	if t.zmm {
		half := YMM()
		VCVTPD2PS(from, half)
		VMOVUPS(half, to)
	} else {
		half := XMM()
		VCVTPD2PSY(from, half)
		VMOVUPS(half, to)
	}
}

func (t target) widen() {
	t.begin("widen", "func(dst *%, x *float32, n int)", "sets n numbers, a multiple of 8, to those of 32 bits at x.")
	dst, x, n := param("dst"), param("x"), param("n")
	loop(n, side, func() {
		for c := range t.groups() {
			v := t.vec()
			VCVTPS2PD(at(x, nil, c*t.bytes()/2), v)
			t.store(v, at(dst, nil, c*t.bytes()))
		}
		ADDQ(U8(side*size), dst)
		ADDQ(U8(side*size/2), x)
	})
	t.end()
}
