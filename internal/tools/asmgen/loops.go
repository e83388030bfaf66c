package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

var labels int

// label returns a new label.
func label(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

// loop emits a loop of body while left >= step. Each iteration subtracts step from left.
func loop(left GPVirtual, step int, body func()) {
	top, done := label("loop"), label("done")
	CMPQ(left, U32(uint32(step)))
	JL(LabelRef(done))
	Label(top)
	body()
	SUBQ(U32(uint32(step)), left)
	if step > 1 {
		CMPQ(left, U32(uint32(step)))
		JGE(LabelRef(top))
	} else {
		JG(LabelRef(top)) // fuses with the subtraction
	}
	Label(done)
}

// unlessZero emits body with a jump over it if r is zero.
func unlessZero(r GPVirtual, body func()) {
	skip := label("skip")
	TESTQ(r, r)
	JZ(LabelRef(skip))
	body()
	Label(skip)
}

// at returns the operand at base + index + disp bytes; index may be nil.
func at(base GPVirtual, index Op, disp int) Mem {
	m := Mem{Base: base, Disp: disp}
	if index != nil {
		m.Index, m.Scale = index.(Register), 1
	}
	return m
}

// rowAt returns the operand disp bytes into row r < 4 after p. Rows are stride bytes
// apart; stride3 is 3 stride.
func rowAt(p GPVirtual, r, disp int, stride, stride3 GPVirtual) Mem {
	switch r {
	case 1, 2:
		return Mem{Base: p, Index: stride, Scale: uint8(r), Disp: disp}
	case 3:
		return Mem{Base: p, Index: stride3, Scale: 1, Disp: disp}
	}
	return Mem{Base: p, Disp: disp}
}

func zeroed() GPVirtual {
	r := GP64()
	XORQ(r, r)
	return r
}

// columns emits body for all elements of vectors: for groups of unroll registers from byte offset j, then for the
// remaining registers, then, with the mask m, for the remaining elements. bytes is the length of the vectors. m is the
// mask of n modulo lanes elements.
func (t target) columns(bytes GPVirtual, m mask, unroll int, body func(j GPVirtual, count int, m *mask)) {
	j, next := zeroed(), GP64()
	for _, u := range []int{unroll, 1} {
		top, done := label("columns"), label("done")
		Label(top)
		LEAQ(Mem{Base: j, Disp: u * t.bytes()}, next)
		CMPQ(next, bytes)
		JG(LabelRef(done))
		body(j, u, nil)
		MOVQ(next, j)
		JMP(LabelRef(top))
		Label(done)
		if unroll == 1 {
			break
		}
	}
	done := label("done")
	CMPQ(j, bytes)
	JE(LabelRef(done))
	body(j, 1, &m)
	Label(done)
}

// rest returns the mask of n modulo lanes elements.
func (t target) rest(n GPVirtual) mask {
	r := copyOf(n)
	ANDQ(U32(uint32(t.lanes-1)), r)
	return t.tailMask(r)
}

// columnGroups emits body for groups of registers that cover n columns, with the offset of the group in bytes. The
// smaller group at the end, with a masked last register, comes first, so that the full groups hide its latency. n is
// overwritten.
func (t target) columnGroups(n GPVirtual, group int, body func(offset GPVirtual, cols int, last *mask)) {
	full := copyOf(n)
	ANDQ(I32(int32(-group*t.lanes)), full) // a power of two
	offset := t.inBytes(full)
	SUBQ(full, n)
	MOVQ(offset, full)
	end := label("end")
	for cols := 1; cols <= group; cols++ {
		next := label("next")
		if cols < group {
			CMPQ(n, U32(uint32(cols*t.lanes)))
			JG(LabelRef(next))
		}
		if cols == 1 {
			TESTQ(n, n)
			JZ(LabelRef(end))
		}
		left := copyOf(n)
		if cols > 1 {
			SUBQ(U32(uint32((cols-1)*t.lanes)), left)
		}
		last := t.tailMask(left)
		body(offset, cols, &last)
		JMP(LabelRef(end))
		Label(next)
	}
	Label(end)
	XORQ(offset, offset)
	top, done := label("group"), label("done")
	Label(top)
	CMPQ(offset, full)
	JE(LabelRef(done))
	body(offset, group, nil)
	ADDQ(U32(uint32(group*t.bytes())), offset)
	JMP(LabelRef(top))
	Label(done)
}

// project returns sum_i x_i A_i over the m rows A_i of a matrix, for cols registers of
// columns from byte offset on. Rows are stride bytes apart.
func (t target) project(a, x, m, stride, offset GPVirtual, cols int, last *mask) []Register {
	sets := 1
	switch {
	case cols <= 2:
		sets = 4
	case cols <= 4 && t.zmm:
		sets = 2
	}
	acc := t.zeros(sets * cols)
	row, px, left := copyOf(a), copyOf(x), copyOf(m)
	ADDQ(offset, row)
	f, v := t.vec(), t.vec()
	var stride3 GPVirtual
	if sets == 4 {
		stride3 = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	}
	one := func(set int) {
		t.bcast(at(px, nil, set*size), f)
		for c := range cols {
			mem := rowAt(row, set, c*t.bytes(), stride, stride3)
			if last != nil && c == cols-1 {
				t.loadMask(mem, *last, v)
				t.fma(v, f, acc[set*cols+c])
			} else {
				t.fma(mem, f, acc[set*cols+c])
			}
		}
	}
	if sets > 1 {
		loop(left, sets, func() {
			for s := range sets {
				one(s)
			}
			LEAQ(Mem{Base: row, Index: stride, Scale: uint8(sets)}, row)
			ADDQ(U32(uint32(sets*size)), px)
		})
	}
	loop(left, 1, func() {
		one(0)
		ADDQ(stride, row)
		ADDQ(U32(uint32(size)), px)
	})
	for s := 1; s < sets; s++ {
		for c := range cols {
			t.add(acc[s*cols+c], acc[c], acc[c])
		}
	}
	return acc[:cols]
}

// groupsOf emits body for each register of a row of stride bytes, with the offset of the
// register.
func (t target) groupsOf(stride GPVirtual, body func(offset GPVirtual)) {
	offset, left := zeroed(), copyOf(stride)
	loop(left, t.bytes(), func() {
		body(offset)
		ADDQ(U32(uint32(t.bytes())), offset)
	})
}
