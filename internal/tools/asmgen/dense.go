package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func (t target) dot() {
	t.begin("dot", "func(x, y *%, n int) %", "returns the inner product of x and y.")
	x, y, n := param("x"), param("y"), param("n")
	m := t.rest(n)
	bytes := t.inBytes(n)
	acc := t.zeros(4)
	v, w := t.vec(), t.vec()
	t.columns(bytes, m, 4, func(j GPVirtual, count int, m *mask) {
		if m != nil {
			t.loadMask(at(x, j, 0), *m, v)
			t.loadMask(at(y, j, 0), *m, w)
			t.fma(v, w, acc[3])
			return
		}
		for c := range count {
			t.load(at(x, j, c*t.bytes()), v)
			t.fma(at(y, j, c*t.bytes()), v, acc[c])
		}
	})
	t.add(acc[1], acc[0], acc[0])
	t.add(acc[3], acc[2], acc[2])
	t.add(acc[2], acc[0], acc[0])
	s := t.sum(acc[0])
	t.result(s)
	t.end()
}

func (t target) axpy() {
	t.begin("axpy", "func(alpha %, x, y *%, n int)", "adds alpha x to y.")
	x, y, n := param("x"), param("y"), param("n")
	m := t.rest(n)
	bytes := t.inBytes(n)
	f := t.vec()
	t.bcast(number("alpha"), f)
	v := t.vecs(4)
	w := t.vec()
	t.columns(bytes, m, 4, func(j GPVirtual, count int, m *mask) {
		if m != nil {
			t.loadMask(at(y, j, 0), *m, v[0])
			t.loadMask(at(x, j, 0), *m, w)
			t.fma(w, f, v[0])
			t.storeMask(v[0], *m, at(y, j, 0))
			return
		}
		for c := range count {
			t.load(at(y, j, c*t.bytes()), v[c])
			t.fma(at(x, j, c*t.bytes()), f, v[c])
			t.store(v[c], at(y, j, c*t.bytes()))
		}
	})
	t.end()
}

func (t target) scale() {
	t.begin("scale", "func(y *%, alpha %, x *%, n int)", "sets y to alpha x.")
	y, x, n := param("y"), param("x"), param("n")
	m := t.rest(n)
	bytes := t.inBytes(n)
	f, v := t.vec(), t.vec()
	t.bcast(number("alpha"), f)
	t.columns(bytes, m, 4, func(j GPVirtual, count int, m *mask) {
		if m != nil {
			t.loadMask(at(x, j, 0), *m, v)
			t.mul(f, v, v)
			t.storeMask(v, *m, at(y, j, 0))
			return
		}
		for c := range count {
			t.mul(at(x, j, c*t.bytes()), f, v)
			t.store(v, at(y, j, c*t.bytes()))
		}
	})
	t.end()
}

func (t target) times() {
	t.begin("times", "func(x, y *%, n int)", "multiplies x by y, element by element.")
	x, y, n := param("x"), param("y"), param("n")
	m := t.rest(n)
	bytes := t.inBytes(n)
	v, w := t.vec(), t.vec()
	t.columns(bytes, m, 4, func(j GPVirtual, count int, m *mask) {
		if m != nil {
			t.loadMask(at(x, j, 0), *m, v)
			t.loadMask(at(y, j, 0), *m, w)
			t.mul(w, v, v)
			t.storeMask(v, *m, at(x, j, 0))
			return
		}
		for c := range count {
			t.load(at(x, j, c*t.bytes()), v)
			t.mul(at(y, j, c*t.bytes()), v, v)
			t.store(v, at(x, j, c*t.bytes()))
		}
	})
	t.end()
}

func (t target) matVec() {
	t.begin("matVec", "func(y, a, x *%, m, n int)", "sets y = A x, A of m rows and n columns.")
	t.rows(false)
}

func (t target) addOuter() {
	t.begin("addOuter", "func(a *%, alpha %, f, u *%, m, n, step int)",
		"adds alpha f u^T to A, of m rows and n columns, taking each step-th row only.")
	t.rows(true)
}

// rows emits the pass over a matrix for matVec and, with update, for addOuter. It processes several rows at a time.
//
// Each row has a fixed pointer, and one common index moves. With moving pointers the processor assumes that loads depend
// on earlier stores, and the loop takes 1.5 times as long. Values that the loop does not need stay in memory, in the
// place of the arguments.
func (t target) rows(update bool) {
	a, n := param("a"), param("n")
	var u, x, fStep GPVirtual
	if update {
		u = param("u")
	} else {
		x = param("x")
	}
	tail := t.rest(n)
	bytes := t.inBytes(n)
	stride := bytes // from row to row
	if update {
		step := param("step")
		stride = copyOf(bytes)
		IMULQ(step, stride)
		fStep = t.inBytes(step)
	}
	m := argument(Param("m"))
	most := 4
	if t.zmm {
		most = 8
	}

	block := func(rows int) {
		p := []GPVirtual{a}
		for r := 1; r < rows; r++ {
			next := GP64()
			LEAQ(at(p[r-1], stride, 0), next)
			p = append(p, next)
		}
		unroll := 2
		if rows <= 2 {
			unroll = 4
		}
		var acc, fs []Register
		if update {
			fs = t.vecs(rows)
			f := param("f")
			for r := range fs {
				t.bcast(at(f, nil, 0), fs[r])
				ADDQ(fStep, f)
				alpha := t.vec()
				t.bcast(number("alpha"), alpha)
				t.mul(alpha, fs[r], fs[r])
			}
			MOVQ(f, argument(Param("f")))
		} else {
			acc = t.zeros(unroll * rows)
		}
		v, w := t.vec(), t.vec()
		t.columns(bytes, tail, unroll, func(j GPVirtual, count int, m *mask) {
			for c := range count {
				disp := c * t.bytes()
				get := func(p GPVirtual, to Register) {
					if m != nil {
						t.loadMask(at(p, j, disp), *m, to)
					} else {
						t.load(at(p, j, disp), to)
					}
				}
				if update {
					get(u, w)
				} else {
					get(x, w)
				}
				for r := range rows {
					ar := at(p[r], j, disp)
					switch {
					case update:
						get(p[r], v)
						t.fma(fs[r], w, v)
						if m != nil {
							t.storeMask(v, *m, ar)
						} else {
							t.store(v, ar)
						}
					case m != nil:
						t.loadMask(ar, *m, v)
						t.fma(v, w, acc[c*rows+r])
					default:
						t.fma(ar, w, acc[c*rows+r])
					}
				}
			}
		})
		LEAQ(at(p[rows-1], stride, 0), a)
		if !update {
			for r := range rows {
				for c := 1; c < unroll; c++ {
					t.add(acc[c*rows+r], acc[r], acc[r])
				}
			}
			y := param("y")
			t.storeSums(acc[:rows], y)
			ADDQ(U32(uint32(rows*size)), y)
			MOVQ(y, argument(Param("y")))
		}
	}

	top, rest, end := label("rows"), label("rest"), label("end")
	Label(top)
	CMPQ(m, U32(uint32(most)))
	JL(LabelRef(rest))
	block(most)
	SUBQ(U32(uint32(most)), m)
	JMP(LabelRef(top))
	Label(rest)
	for rows := most - 1; rows >= 1; rows-- {
		skip := label("skip")
		CMPQ(m, U32(uint32(rows)))
		JNE(LabelRef(skip))
		block(rows)
		JMP(LabelRef(end))
		Label(skip)
	}
	Label(end)
	t.end()
}

// addMatTVec keeps a group of columns of y in registers, and loops over the rows of A.
func (t target) addMatTVec() {
	t.begin("addMatTVec", "func(y, a, x *%, m, n int)", "adds A^T x to y, A of m rows and n columns.")
	y, a, x, m, n := param("y"), param("a"), param("x"), param("m"), param("n")
	stride := t.inBytes(n)
	t.columnGroups(n, 4, func(offset GPVirtual, cols int, last *mask) {
		acc := t.project(a, x, m, stride, offset, cols, last)
		tmp := t.vec()
		for c := range cols {
			yc := at(y, offset, c*t.bytes())
			if last != nil && c == cols-1 {
				t.loadMask(yc, *last, tmp)
				t.add(tmp, acc[c], acc[c])
				t.storeMask(acc[c], *last, yc)
			} else {
				t.add(yc, acc[c], acc[c])
				t.store(acc[c], yc)
			}
		}
	})
	t.end()
}

// matMulT multiplies blocks of rows of A and B, so that each load is used several times.
func (t target) matMulT() {
	t.begin("matMulT", "func(c, a, b *%, m, n, k, ldc, lda int)",
		"adds A B^T to C, C of m rows and n columns; rows of C are ldc apart, those of A and B lda.")
	c, a, b, m := param("c"), param("a"), param("b"), param("m")
	k := param("k")
	tail := t.rest(k)
	bytes := t.inBytes(k)
	cols := t.inBytes(param("n"))
	ldc, lda := t.inBytes(param("ldc")), t.inBytes(param("lda"))
	lda3 := GP64()
	LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	rowsB := t.lanes / 2
	block := func(ra, rb int, b, c GPVirtual) {
		acc := t.zeros(ra * rb)
		bs := t.vecs(rb)
		av := t.vec()
		ja, jb, left := copyOf(a), copyOf(b), copyOf(bytes)
		row := func(p GPVirtual, r int) Mem { return rowAt(p, r, 0, lda, lda3) }
		loop(left, t.bytes(), func() {
			for r := range rb {
				t.load(row(jb, r), bs[r])
			}
			for i := range ra {
				t.load(row(ja, i), av)
				for r := range rb {
					t.fma(bs[r], av, acc[i*rb+r])
				}
			}
			ADDQ(U32(uint32(t.bytes())), ja)
			ADDQ(U32(uint32(t.bytes())), jb)
		})
		unlessZero(left, func() {
			for r := range rb {
				t.loadMask(row(jb, r), tail, bs[r])
			}
			for i := range ra {
				t.loadMask(row(ja, i), tail, av)
				for r := range rb {
					t.fma(bs[r], av, acc[i*rb+r])
				}
			}
		})
		to := copyOf(c)
		if ra%2 == 0 && rb == t.lanes/2 {
			// Two rows of C fill a register.
			for i := 0; i < ra; i += 2 {
				low, high := t.halves(t.sums(acc[i*rb : (i+2)*rb]))
				for _, v := range []Register{low, high} {
					t.add(at(to, nil, 0), v, v)
					t.store(v, at(to, nil, 0))
					ADDQ(ldc, to)
				}
			}
			return
		}
		for i := range ra {
			for r := range rb {
				mem := at(to, nil, r*size)
				s := t.sum(acc[i*rb+r])
				t.addFirst(mem, s)
				t.storeFirst(s, mem)
			}
			if i < ra-1 {
				ADDQ(ldc, to)
			}
		}
	}
	strip := func(ra int) {
		pb, pc, left := copyOf(b), copyOf(c), copyOf(cols)
		for _, rb := range []int{rowsB, 1} {
			loop(left, rb*size, func() {
				block(ra, rb, pb, pc)
				for range rb {
					ADDQ(lda, pb)
				}
				ADDQ(U32(uint32(rb*size)), pc)
			})
		}
		for range ra {
			ADDQ(lda, a)
			ADDQ(ldc, c)
		}
	}
	loop(m, 4, func() { strip(4) })
	loop(m, 1, func() { strip(1) })
	t.end()
}

// addMatMul keeps a block of C in registers, and loops over the inner dimension.
func (t target) addMatMul() {
	t.begin("addMatMul", "func(c *%, alpha %, a, b *%, m, n, k, ldc, lda, ldb int)",
		"adds alpha A B to C, C of m rows and n columns, k columns in A; rows are ldc, lda and ldb apart.")
	c, a, n := param("c"), param("a"), param("n")
	ldc, lda, ldb := t.inBytes(param("ldc")), t.inBytes(param("lda")), t.inBytes(param("ldb"))
	group := t.bytes() / 16
	t.columnGroups(n, group, func(offset GPVirtual, cols int, last *mask) {
		pa, pc, rowsLeft := copyOf(a), copyOf(c), param("m")
		ADDQ(offset, pc)
		for _, rows := range []int{4, 1} {
			loop(rowsLeft, rows, func() {
				acc := t.zeros(rows * cols)
				bs := t.vecs(cols)
				f := t.vec()
				ja, pb, left := copyOf(pa), param("b"), param("k")
				ADDQ(offset, pb)
				lda3 := GP64()
				LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
				loop(left, 1, func() {
					for j := range cols {
						mem := at(pb, nil, j*t.bytes())
						if last != nil && j == cols-1 {
							t.loadMask(mem, *last, bs[j])
						} else {
							t.load(mem, bs[j])
						}
					}
					for i := range rows {
						t.bcast(rowAt(ja, i, 0, lda, lda3), f)
						for j := range cols {
							t.fma(bs[j], f, acc[i*cols+j])
						}
					}
					ADDQ(U32(uint32(size)), ja)
					ADDQ(ldb, pb)
				})
				t.bcast(number("alpha"), f)
				for i := range rows {
					for j := range cols {
						mem := at(pc, nil, j*t.bytes())
						if last != nil && j == cols-1 {
							t.loadMask(mem, *last, bs[j])
							t.fma(acc[i*cols+j], f, bs[j])
							t.storeMask(bs[j], *last, mem)
						} else {
							t.load(mem, bs[j])
							t.fma(acc[i*cols+j], f, bs[j])
							t.store(bs[j], mem)
						}
					}
					ADDQ(ldc, pc)
					ADDQ(lda, pa)
				}
			})
		}
	})
	t.end()
}

// addOuters keeps a block of A in registers, and loops over the terms. Rows are whole registers.
func (t target) addOuters() {
	t.begin("addOuters", "func(a, f, u *%, m, k, cols, n int)",
		"adds F^T U to cols registers of each row of A, m rows; F is k x m, rows of A and U are n registers apart.")
	a, g, stride, m := param("a"), param("f"), param("n"), param("m")
	SHLQ(U8(log2(t.bytes())), stride)
	gs := t.inBytes(param("m"))
	for rows := 2; rows >= 1; rows-- {
		block := func() {
			left, j := param("cols"), zeroed()
			for _, cols := range []int{4, 2, 1} {
				loop(left, cols, func() {
					p := copyOf(a)
					ADDQ(j, p)
					mem := func(r, c int) Mem { return rowAt(p, r, c*t.bytes(), stride, stride) }
					acc, uv, f := t.vecs(rows*cols), t.vecs(cols), t.vec()
					for r := range rows {
						for c := range cols {
							t.load(mem(r, c), acc[r*cols+c])
						}
					}
					pg, pu, terms := copyOf(g), param("u"), param("k")
					ADDQ(j, pu)
					loop(terms, 1, func() {
						for c := range cols {
							t.load(at(pu, nil, c*t.bytes()), uv[c])
						}
						for r := range rows {
							t.bcast(at(pg, nil, r*size), f)
							for c := range cols {
								t.fma(uv[c], f, acc[r*cols+c])
							}
						}
						ADDQ(gs, pg)
						ADDQ(stride, pu)
					})
					for r := range rows {
						for c := range cols {
							t.store(acc[r*cols+c], mem(r, c))
						}
					}
					ADDQ(U32(uint32(cols*t.bytes())), j)
				})
			}
			for range rows {
				ADDQ(stride, a)
			}
			ADDQ(U32(uint32(rows*size)), g)
		}
		loop(m, rows, block)
	}
	t.end()
}
