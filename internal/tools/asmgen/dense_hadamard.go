package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// hadamard first transforms within registers, then computes two levels per pass. The order of operations is the order of
// the portable version, so the bits are the same.
func (t target) hadamard() {
	t.begin("hadamard", "func(x *%, n int)", "replaces x by its Walsh-Hadamard transform; n is a power of two, a register or more.")
	x := param("x")
	n := param("n")
	end := t.inBytes(n)
	ADDQ(x, end)

	inside := t.butterflies()
	p := copyOf(x)
	whileBelow(p, end, func() {
		v := t.vec()
		t.load(at(p, nil, 0), v)
		v = inside(v)
		t.store(v, at(p, nil, 0))
		ADDQ(U32(uint32(t.bytes())), p)
	})

	SHRQ(U8(log2(t.lanes)), n) // registers
	h := GP64()
	MOVQ(U32(uint32(t.bytes())), h)
	top, rest, done := label("pass"), label("rest"), label("done")
	Label(top)
	CMPQ(n, U32(4))
	JL(LabelRef(rest))
	t.pass(x, end, h, 4)
	SHLQ(U8(2), h)
	SHRQ(U8(2), n)
	JMP(LabelRef(top))
	Label(rest)
	CMPQ(n, U32(2))
	JL(LabelRef(done))
	t.pass(x, end, h, 2)
	Label(done)
	t.end()
}

// pass combines points with distances of h, ..., (radix-1) h bytes.
func (t target) pass(x, end, h GPVirtual, radix int) {
	h3 := GP64()
	LEAQ(Mem{Base: h, Index: h, Scale: 2}, h3)
	group := copyOf(x)
	whileBelow(group, end, func() {
		p, stop := copyOf(group), copyOf(group)
		ADDQ(h, stop)
		whileBelow(p, stop, func() {
			v := t.vecs(radix)
			for r := range v {
				t.load(rowAt(p, r, 0, h, h3), v[r])
			}
			for step := 1; step < radix; step *= 2 {
				for r := range v {
					if r&step == 0 {
						sum, diff := t.vec(), t.vec()
						t.add(v[r+step], v[r], sum)
						t.sub(v[r+step], v[r], diff)
						v[r], v[r+step] = sum, diff
					}
				}
			}
			for r := range v {
				t.store(v[r], rowAt(p, r, 0, h, h3))
			}
			ADDQ(U32(uint32(t.bytes())), p)
		})
		LEAQ(Mem{Base: group, Index: h, Scale: uint8(radix)}, group)
	})
}

// butterflies returns a function that transforms a register within itself.
func (t target) butterflies() func(v Register) Register {
	return func(v Register) Register {
		for _, last := range []bool{false, true} {
			swapped, sum := t.vec(), t.vec()
			if last {
				VPERM2F128(U8(0x01), v, v, swapped)
			} else {
				VPERMILPD(U8(0b0101), v, swapped)
			}
			t.add(v, swapped, sum)
			t.sub(v, swapped, swapped)
			if last {
				VBLENDPD(U8(0b1100), swapped, sum, v)
			} else {
				VBLENDPD(U8(0b1010), swapped, sum, v)
			}
		}
		return v
	}
}

// whileBelow emits a loop of body while p < end. body moves p.
func whileBelow(p, end GPVirtual, body func()) {
	top := label("while")
	Label(top)
	body()
	CMPQ(p, end)
	JB(LabelRef(top))
}
