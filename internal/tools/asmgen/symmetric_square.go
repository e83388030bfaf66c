package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// squareMatVec computes x^T A, which equals A x for a symmetric A.
func (t target) squareMatVec() {
	t.begin("squareMatVec", "func(y, a, x *%, n, stride int) %",
		"sets y = A x for a symmetric A of n rows, stride elements apart, and returns the inner product of x and y.")
	y, a, x, n := param("y"), param("a"), param("x"), param("n")
	tail := t.rest(n)
	stride := t.inBytes(param("stride"))
	total := t.zeros(1)[0]
	t.columns(t.inBytes(n), tail, 1, func(j GPVirtual, _ int, m *mask) {
		acc := t.project(a, x, n, stride, j, 1, nil)[0]
		v := t.vec()
		if m != nil {
			t.loadMask(at(x, j, 0), *m, v)
			t.storeMask(acc, *m, at(y, j, 0))
		} else {
			t.load(at(x, j, 0), v)
			t.store(acc, at(y, j, 0))
		}
		t.fma(acc, v, total)
	})
	t.result(t.sum(total))
	t.end()
}

// squareSub keeps a register of columns, and loops over the rows.
func (t target) squareSub() {
	t.begin("squareSub", "func(a, w, u *%, root %, n, stride int)",
		"sets w = root u and A -= w w^T, A of n rows, stride elements apart.")
	a, w, u, n := param("a"), param("w"), param("u"), param("n")
	tail := t.rest(n)
	stride := t.inBytes(param("stride"))
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	root := t.vec()
	t.bcast(number("root"), root)
	t.columns(t.inBytes(n), tail, 1, func(j GPVirtual, _ int, m *mask) {
		v := t.vec()
		if m != nil {
			t.loadMask(at(u, j, 0), *m, v)
		} else {
			t.load(at(u, j, 0), v)
		}
		t.mul(root, v, v)
		t.store(v, at(w, j, 0)) // with zeros up to the length of a row of A
	})
	t.groupsOf(stride, func(j GPVirtual) {
		wide, v, tmp := t.vec(), t.vec(), t.vec()
		t.load(at(w, j, 0), wide)
		row, narrow, left := copyOf(a), copyOf(w), copyOf(n)
		ADDQ(j, row)
		for _, rows := range []int{4, 1} {
			loop(left, rows, func() {
				for r := range rows {
					t.load(rowAt(row, r, 0, stride, stride3), v)
					t.fnmaBcast(at(narrow, nil, r*size), wide, v, tmp)
					t.store(v, rowAt(row, r, 0, stride, stride3))
				}
				for range rows {
					ADDQ(stride, row)
				}
				ADDQ(U32(uint32(rows*size)), narrow)
			})
		}
	})
	t.end()
}
