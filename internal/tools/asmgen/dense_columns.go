package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// columnDots processes a register of columns at a time, and loops over the rows.
func (t target) columnDots() {
	t.begin("columnDots", "func(y, a, x *%, m, n int)",
		"sets y_j = sum_i A_ij X_ij, A and X of m rows and n columns, whole registers.")
	stride := t.inBytes(param("n"))
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	t.groupsOf(stride, func(j GPVirtual) {
		sums, v := t.zeros(4), t.vec()
		pa, px, left := param("a"), param("x"), param("m")
		ADDQ(j, pa)
		ADDQ(j, px)
		for _, rows := range []int{4, 1} {
			loop(left, rows, func() {
				for r := range rows {
					t.load(rowAt(pa, r, 0, stride, stride3), v)
					t.fma(rowAt(px, r, 0, stride, stride3), v, sums[r])
				}
				for _, p := range []GPVirtual{pa, px} {
					LEAQ(Mem{Base: p, Index: stride, Scale: uint8(rows)}, p)
				}
			})
		}
		t.add(sums[1], sums[0], sums[0])
		t.add(sums[3], sums[2], sums[2])
		t.add(sums[2], sums[0], sums[0])
		t.store(sums[0], at(param("y"), j, 0))
	})
	t.end()
}

// addLagged keeps a few rows of both matrices in registers, and loops over the terms.
func (t target) addLagged() {
	t.begin("addLagged", "func(c, f, x *%, m, n, k, shift int)",
		"adds to two matrices C and D of m rows and n columns, whole registers: C_ij += sum over l < k of F_(2l, j) x[i n + j + l shift], and D_ij the same with F_(2l+1, j).")
	stride, shift := t.inBytes(param("n")), t.inBytes(param("shift"))
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	t.groupsOf(stride, func(j GPVirtual) {
		first, px, left := param("c"), param("x"), param("m")
		ADDQ(j, first)
		ADDQ(j, px)
		second := copyOf(left)
		IMULQ(stride, second)
		ADDQ(first, second)
		for _, rows := range []int{4, 1} {
			loop(left, rows, func() {
				sums := [2][]Register{t.vecs(rows), t.vecs(rows)}
				for i, c := range []GPVirtual{first, second} {
					for r := range rows {
						t.load(rowAt(c, r, 0, stride, stride3), sums[i][r])
					}
				}
				pf, lagged, terms := param("f"), copyOf(px), param("k")
				ADDQ(j, pf)
				f1, f2, v := t.vec(), t.vec(), t.vec()
				loop(terms, 1, func() {
					t.load(at(pf, nil, 0), f1)
					t.load(at(pf, stride, 0), f2)
					for r := range rows {
						t.load(rowAt(lagged, r, 0, stride, stride3), v)
						t.fma(f1, v, sums[0][r])
						t.fma(f2, v, sums[1][r])
					}
					LEAQ(Mem{Base: pf, Index: stride, Scale: 2}, pf)
					ADDQ(shift, lagged)
				})
				for i, c := range []GPVirtual{first, second} {
					for r := range rows {
						t.store(sums[i][r], rowAt(c, r, 0, stride, stride3))
					}
				}
				for _, p := range []GPVirtual{first, second, px} {
					LEAQ(Mem{Base: p, Index: stride, Scale: uint8(rows)}, p)
				}
			})
		}
	})
	t.end()
}
