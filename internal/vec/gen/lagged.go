package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// columnDots takes a register of columns at a time and goes down the rows.
func (t target) columnDots() {
	t.begin("columnDots", "func(y, a, x *%, m, n int)",
		"sets y to the inner products of the columns of A and X, both of m rows and n columns, whole registers.")
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

// addLagged keeps a few rows of both matrices in registers and runs over the terms.
func (t target) addLagged() {
	t.begin("addLagged", "func(c, f, x *%, m, n, k, shift int)",
		"adds the products of k pairs of rows of F with the rows of X, from the first on, from shift elements later and so on, to two matrices of m rows and n columns, whole registers.")
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

// levinson has a system in each element of a register. Only b and r, which are not its
// own, are masked.
func (t target) levinson() {
	t.begin("levinson", "func(head, x, b, r *%, order, stride, row, n int)",
		"solves n Toeplitz systems; see Toeplitz for the rows of head and x. Rows of b and r are stride apart.")
	head, b, r, stride, row := param("head"), param("b"), param("r"), t.inBytes(param("stride")), t.inBytes(param("row"))
	tail := t.tailMask(param("n"))
	bytes := param("order")
	IMULQ(row, bytes)
	x0, x1, now, next := param("x"), GP64(), GP64(), GP64()
	LEAQ(at(x0, bytes, 0), x1)
	LEAQ(at(x1, bytes, 0), now)
	ADDQ(row, now) // after the -1
	LEAQ(at(now, bytes, 0), next)
	ADDQ(row, next)

	power, one := t.vec(), t.vec()
	t.load(at(head, nil, 0), power)
	t.bcast(one64(), one)
	k, d, e, v, w := t.vecs(3), t.zeros(3), t.vecs(3), t.vec(), t.vec()
	done := zeroed() // bytes of each solution
	top, end := label("order"), label("end")
	Label(top)
	CMPQ(done, bytes)
	JE(LabelRef(end))

	// e is what the right-hand sides have in the next row, less what the solutions
	// so far make of it.
	t.load(rowAt(head, 2, 0, row, row), e[0])
	t.loadMask(at(b, nil, 0), tail, e[1])
	t.loadMask(at(r, nil, 0), tail, e[2])
	ADDQ(stride, b)
	t.load(rowAt(head, 1, 0, row, row), v)
	still := t.compare(14, power, v, nil) // greater
	VDIVPD(power, one, v)
	t.clean(v, still)
	for s := range k {
		t.sub(d[s], e[s], e[s])
		t.mul(v, e[s], k[s])
		t.zero(d[s])
	}
	product := copyOf(head)
	ADDQ(row, product)
	ADDQ(row, product)
	for _, p := range [][2]int{{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}} {
		ADDQ(row, product)
		to := at(product, nil, 0)
		t.load(to, v)
		t.fma(k[p[0]], e[p[1]], v)
		t.store(v, to)
	}
	t.load(one, v)
	t.fnma(k[2], k[2], v)
	t.mul(v, power, power)

	j, back, lag := zeroed(), GP64(), copyOf(r)
	LEAQ(at(now, done, 0), back)
	rows := label("rows")
	Label(rows)
	SUBQ(row, back)
	t.load(at(back, nil, 0), v)
	t.loadMask(at(lag, nil, 0), tail, w)
	for s, p := range [][2]GPVirtual{{x0, x0}, {x1, x1}, {now, next}} {
		t.load(at(p[0], j, 0), e[s])
		t.fnma(k[s], v, e[s])
		t.store(e[s], at(p[1], j, 0))
		t.fma(e[s], w, d[s])
	}
	SUBQ(stride, lag)
	ADDQ(row, j)
	CMPQ(j, done)
	JLE(LabelRef(rows))

	XCHGQ(now, next)
	ADDQ(stride, r)
	ADDQ(row, done)
	JMP(LabelRef(top))
	Label(end)
	t.end()
}
