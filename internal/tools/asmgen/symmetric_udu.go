package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Column j of a UDU, see package vec, has 16 (j/16 + 1) float32. Kernels take four columns at a
// time: all four have one length.
const (
	uduColumns = 4
	uduBytes   = 64 // 16 rows
)

// uduStep emits body for each four columns from column first on, a multiple of 4; n is a multiple
// of 4. length is that of their columns in bytes; body moves a to the column after them.
func (t target) uduStep(first, n GPVirtual, body func(length GPVirtual)) {
	length, four := copyOf(first), copyOf(first)
	SHRQ(U8(4), length)
	INCQ(length)
	SHLQ(U8(log2(uduBytes)), length)
	ANDQ(U8(15), four)
	loop(n, uduColumns, func() {
		body(length)
		same := label("same")
		ADDQ(U8(uduColumns), four)
		CMPQ(four, U8(16))
		JL(LabelRef(same))
		XORQ(four, four)
		ADDQ(U8(uduBytes), length)
		Label(same)
	})
}

func (t target) uduProject() {
	t.begin("uduProject", "func(f, u, x *float32, n int)", "sets f = U^T x, U of n columns.")
	f, u, x := param("f"), param("u"), param("x")
	var places Register // indices of the four sums, one per quarter of a register
	if t.zmm {
		places = ZMM()
		VMOVUPS(quarters(), places)
	}
	t.uduStep(zeroed(), param("n"), func(length GPVirtual) {
		length3 := GP64()
		LEAQ(Mem{Base: length, Index: length, Scale: 2}, length3)
		acc, xi := t.zeros(uduColumns), t.vec()
		px, left := copyOf(x), copyOf(length)
		loop(left, t.bytes(), func() {
			VMOVUPS(at(px, nil, 0), xi)
			for c := range acc {
				VFMADD231PS(rowAt(u, c, 0, length, length3), xi, acc[c])
			}
			ADDQ(U8(t.bytes()), px)
			ADDQ(U8(t.bytes()), u)
		})
		ADDQ(length3, u)
		sums := XMM()
		if t.zmm {
			tmp := ZMM()
			for _, pair := range [][2]Register{{acc[0], acc[1]}, {acc[2], acc[3]}, {acc[0], acc[2]}} {
				VSHUFF64X2(U8(0x88), pair[1], pair[0], tmp)
				VSHUFF64X2(U8(0xdd), pair[1], pair[0], pair[0])
				VADDPS(tmp, pair[0], pair[0])
			}
			s := acc[0]
			for _, swap := range []uint8{0b01001110, 0b10110001} {
				VPERMILPS(U8(swap), s, tmp)
				VADDPS(tmp, s, s)
			}
			VPERMPS(s, places, s)
			VMOVUPS(s.(VecVirtual).AsX(), at(f, nil, 0))
		} else {
			VHADDPS(acc[1], acc[0], acc[0])
			VHADDPS(acc[3], acc[2], acc[2])
			VHADDPS(acc[2], acc[0], acc[0])
			VEXTRACTF128(U8(1), acc[0], sums)
			VADDPS(acc[0].(VecVirtual).AsX(), sums, sums)
			VMOVUPS(sums, at(f, nil, 0))
		}
		ADDQ(U8(4*uduColumns), f)
	})
	t.end()
}

// quarters returns the indices of the first element of each quarter of a register.
func quarters() Mem {
	m := GLOBL("quarters", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(uint32(i%4*4)))
	}
	return m
}

// uduWeigh first adds within a register, so that only one addition per register depends on the previous addition.
func (t target) uduWeigh() {
	t.begin("uduWeigh", "func(v *float32, sums, d *%, f *float32, n int) %",
		"sets v = D f and sums to the sums of f_i v_i, i <= j, and returns the last one; n is a multiple of 8.")
	v, sums, d, f, n := param("v"), param("sums"), param("d"), param("f"), param("n")
	none, before, last := t.zeros(1)[0], t.zeros(1)[0], t.vec()
	loop(n, side, func() {
		for c := range t.groups() {
			w, q, shifted := t.vec(), t.vec(), t.vec()
			VCVTPS2PD(at(f, nil, c*t.bytes()/2), q)
			t.mul(at(d, nil, c*t.bytes()), q, w)
			t.storeNarrow(w, at(v, nil, c*t.bytes()/2))
			t.mul(w, q, q)
			if t.zmm {
				for _, by := range []int{1, 2, 4} {
					VALIGNQ(U8(8-by), none, q, shifted)
					t.add(shifted, q, q)
				}
				VSHUFF64X2(U8(0xff), q, q, last)
				VPERMILPD(U8(0xff), last, last)
			} else {
				VSHUFPD(U8(0), q, none, shifted)
				t.add(shifted, q, q)
				VPERM2F128(U8(0x08), q, q, shifted)
				VPERMILPD(U8(0b1100), shifted, shifted)
				t.add(shifted, q, q)
				VPERMPD(U8(0xff), q, last)
			}
			t.add(before, q, q)
			t.store(q, at(sums, nil, c*t.bytes()))
			t.add(last, before, before)
		}
		for _, p := range []GPVirtual{v, f} {
			ADDQ(U8(side*size/2), p)
		}
		for _, p := range []GPVirtual{sums, d} {
			ADDQ(U8(side*size), p)
		}
	})
	t.result(before.(VecVirtual).AsX())
	t.end()
}

func (t target) uduRatios() {
	t.begin("uduRatios", "func(ratio *float32, d, sums *%, f *float32, r %, n int)",
		"sets ratio = -f / a and D = D a / b, where a is r + sums and b is r + the sums one further; n is a multiple of 8.")
	ratio, d, sums, f, n := param("ratio"), param("d"), param("sums"), param("f"), param("n")
	r, one, minus := t.vec(), t.vec(), t.vec()
	t.bcast(number("r"), r)
	t.bcast(one64(), one)
	t.sub(one, t.zeros(1)[0], minus)
	loop(n, side, func() {
		for c := range t.groups() {
			a, b, inverse, fc := t.vec(), t.vec(), t.vec(), t.vec()
			t.add(at(sums, nil, c*t.bytes()), r, a)
			t.add(at(sums, nil, c*t.bytes()+size), r, b)
			t.mul(a, b, inverse)
			VDIVPD(inverse, one, inverse)
			t.mul(inverse, b, b)
			t.mul(b, minus, b)
			VCVTPS2PD(at(f, nil, c*t.bytes()/2), fc)
			t.mul(fc, b, b)
			t.storeNarrow(b, at(ratio, nil, c*t.bytes()/2))
			t.mul(inverse, a, inverse)
			t.mul(inverse, a, a)
			t.mul(at(d, nil, c*t.bytes()), a, a)
			t.store(a, at(d, nil, c*t.bytes()))
		}
		for _, p := range []GPVirtual{ratio, f} {
			ADDQ(U8(side*size/2), p)
		}
		for _, p := range []GPVirtual{sums, d} {
			ADDQ(U8(side*size), p)
		}
	})
	t.end()
}

func (t target) uduUpdate() {
	t.begin("uduUpdate", "func(u, k, v, l *float32, first, n int)",
		"adds l_j k to each of n columns of U from column first on, where k is the sum of v_i times column i before it changes, i < j, and of k at the start.")
	u, k, v, l := param("u"), param("k"), param("v"), param("l")
	t.uduStep(param("first"), param("n"), func(length GPVirtual) {
		length3 := GP64()
		LEAQ(Mem{Base: length, Index: length, Scale: 2}, length3)
		vs, ls := t.vecs(uduColumns), t.vecs(uduColumns)
		for c := range vs {
			VBROADCASTSS(at(v, nil, 4*c), vs[c])
			VBROADCASTSS(at(l, nil, 4*c), ls[c])
		}
		sum, now, next := t.vec(), t.vec(), t.vec()
		pk, left := copyOf(k), copyOf(length)
		loop(left, t.bytes(), func() {
			VMOVUPS(at(pk, nil, 0), sum)
			for c := range vs {
				e := rowAt(u, c, 0, length, length3)
				VMOVUPS(e, now)
				VMOVAPS(now, next)
				VFMADD231PS(sum, ls[c], next)
				VFMADD231PS(now, vs[c], sum)
				VMOVUPS(next, e)
			}
			VMOVUPS(sum, at(pk, nil, 0))
			ADDQ(U8(t.bytes()), pk)
			ADDQ(U8(t.bytes()), u)
		})
		ADDQ(length3, u)
		ADDQ(U8(4*uduColumns), v)
		ADDQ(U8(4*uduColumns), l)
	})
	t.end()
}
