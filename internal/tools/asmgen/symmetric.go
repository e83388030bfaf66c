package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Symmetric matrices and triangular factors stand in tiles of 8 x 8 float64, see Sym in
// package vec: tile (I, J), I <= J, follows (I, J-1), and (I+1, I+1) follows the last tile
// of row I.
const (
	side     = 8
	rowBytes = 8 * side
	tileSize = side * rowBytes
)

// groups returns the number of registers in a row of a tile.
func (t target) groups() int { return side / t.lanes }

// element returns the memory of element (r, c) of the tile at p.
func element(p GPVirtual, r, c int) Mem { return at(p, nil, r*rowBytes+8*c) }

func (t target) symAdd() { t.symRank("symAdd", t.fma) }
func (t target) symSub() { t.symRank("symSub", t.fnma) }

// symRank keeps a tile in registers while it adds the terms. With enough registers it processes two tiles, so that each
// broadcast is used twice.
func (t target) symRank(name string, add func(f, w, to Op)) {
	t.begin(name, "func(a *%, nb int, w *%, k int)",
		"adds to the tiles, or subtracts, the sum of w w^T over k terms of length 8 nb.")
	a, w := param("a"), param("w")
	stride := param("nb")
	SHLQ(U8(log2(rowBytes)), stride)
	rows := param("nb")
	some := func(wj GPVirtual, tiles, c int) {
		v := make([][]Register, tiles)
		for i := range v {
			v[i] = t.vecs(side)
			for r := range side {
				t.load(at(a, nil, i*tileSize+r*rowBytes+c*t.bytes()), v[i][r])
			}
		}
		wc, f := t.vecs(tiles), t.vec()
		pi, pj, left := copyOf(w), copyOf(wj), param("k")
		loop(left, 1, func() {
			for i := range v {
				t.load(at(pj, nil, i*rowBytes+c*t.bytes()), wc[i])
			}
			for r := range side {
				t.bcast(at(pi, nil, 8*r), f)
				for i := range v {
					add(f, wc[i], v[i][r])
				}
			}
			ADDQ(stride, pi)
			ADDQ(stride, pj)
		})
		for i := range v {
			for r := range side {
				t.store(v[i][r], at(a, nil, i*tileSize+r*rowBytes+c*t.bytes()))
			}
		}
	}
	loop(rows, 1, func() {
		cols, wj := copyOf(rows), copyOf(w)
		for _, tiles := range []int{3 - t.groups(), 1} {
			loop(cols, tiles, func() {
				for c := range t.groups() {
					some(wj, tiles, c)
				}
				ADDQ(U32(uint32(tiles*tileSize)), a)
				ADDQ(U32(uint32(tiles*rowBytes)), wj)
			})
			if tiles == 1 {
				break
			}
		}
		ADDQ(U32(rowBytes), w)
	})
	t.end()
}

func (t target) symMatVec()    { t.symProduct("symMatVec", false) }
func (t target) symSubMatVec() { t.symProduct("symSubMatVec", true) }

// symProduct processes a group of rows together, one row per element of a register. The sums of these rows stay in
// registers, and the products with the transposed tiles are added to y. With update it first subtracts k terms w w^T
// from each tile, see symRank.
func (t target) symProduct(name string, update bool) {
	signature, doc := "func(a *%, nb int, y, x *%, back int)", "adds the product of the tiles with x to y, by rows of tiles. With back = 1 it begins with the last row, to which a points."
	if update {
		signature, doc = "func(a *%, nb int, y, x, w *%, k, back int)", "subtracts k terms w w^T from the tiles and adds the product of the tiles with x to y, see symMatVec and symSub."
	}
	t.begin(name, signature, doc)
	a, y, x := param("a"), param("y"), param("x")
	bytes := param("nb") // length of a term
	SHLQ(U8(log2(rowBytes)), bytes)
	rows := t.lanes
	i, row := zeroed(), param("nb") // offset of the row of tiles in a vector; its bytes
	SHLQ(U8(log2(tileSize)), row)
	forth := label("forth")
	CMPQ(argument(Param("back")), U8(0))
	JE(LabelRef(forth))
	MOVQ(bytes, i)
	SUBQ(U8(rowBytes), i)
	MOVQ(U32(tileSize), row)
	Label(forth)

	strip := func(h int) {
		acc := t.zeros(rows)
		var xi []Register // not with update, where they stay in memory
		if !update {
			xi = t.vecs(rows)
			for r := range xi {
				t.bcast(at(x, i, 8*(h*rows+r)), xi[r])
			}
		}
		xc, yc, f := t.vec(), t.vec(), t.vec()
		p, j := copyOf(a), copyOf(i)
		tile := func(diagonal bool) {
			for c := range t.groups() {
				var v []Register
				if update {
					v = t.updateRows(p, i, j, bytes, h, c)
				}
				disp := c * t.bytes()
				t.load(at(x, j, disp), xc)
				if !diagonal {
					t.load(at(y, j, disp), yc)
				}
				for r := range rows {
					vr := f
					if update {
						vr = v[r]
					} else {
						t.load(element(p, h*rows+r, c*t.lanes), vr)
					}
					t.fma(vr, xc, acc[r])
					switch {
					case diagonal:
					case update:
						t.fmaBcast(at(x, i, 8*(h*rows+r)), vr, yc, f)
					default:
						t.fma(vr, xi[r], yc)
					}
				}
				if !diagonal {
					t.store(yc, at(y, j, disp))
				}
			}
			ADDQ(U32(tileSize), p)
			ADDQ(U32(rowBytes), j)
		}
		tile(true)
		left := copyOf(bytes)
		SUBQ(j, left)
		loop(left, rowBytes, func() { tile(false) })
		s := t.sums(acc)
		yi := at(y, i, h*t.bytes())
		t.add(yi, s, s)
		t.store(s, yi)
	}

	strips, left := label("strip"), param("nb")
	back, next := label("back"), label("next")
	Label(strips)
	for h := range t.groups() {
		strip(h)
	}
	CMPQ(argument(Param("back")), U8(0))
	JNE(LabelRef(back))
	ADDQ(row, a)
	SUBQ(U32(tileSize), row)
	ADDQ(U8(rowBytes), i)
	JMP(LabelRef(next))
	Label(back)
	ADDQ(U32(tileSize), row)
	SUBQ(row, a)
	SUBQ(U8(rowBytes), i)
	Label(next)
	DECQ(left)
	JNZ(LabelRef(strips))
	t.end()
}

// updateRows subtracts the terms from the tile at p, in strip h of the rows and group c of the
// columns, and returns the registers. The rows and columns of the tile belong to the elements of
// the terms from i and j on.
func (t target) updateRows(p, i, j, bytes GPVirtual, h, c int) []Register {
	v := t.vecs(t.lanes)
	for r := range v {
		t.load(element(p, h*t.lanes+r, c*t.lanes), v[r])
	}
	w, terms := param("w"), param("k")
	wj, f := t.vec(), t.vec()
	loop(terms, 1, func() {
		t.load(at(w, j, c*t.bytes()), wj)
		for r := range v {
			t.bcast(at(w, i, 8*(h*t.lanes+r)), f)
			t.fnma(f, wj, v[r])
		}
		ADDQ(bytes, w)
	})
	for r := range v {
		t.store(v[r], element(p, h*t.lanes+r, c*t.lanes))
	}
	return v
}

// subProduct subtracts a^T b, or a b, from group c of the columns of a tile in registers.
// It multiplies the rows of b by the numbers at inv first, unless inv is nil.
func (t target) subProduct(acc []Register, a, b, inv Op, c int, transposed bool) {
	bk, tmp := t.vec(), t.vec()
	for k := range side {
		t.load(element(b.(GPVirtual), k, c*t.lanes), bk)
		if inv != nil {
			t.mulBcast(at(inv.(GPVirtual), nil, 8*k), bk, tmp)
		}
		for r := range acc {
			e := element(a.(GPVirtual), r, k)
			if transposed {
				e = element(a.(GPVirtual), k, r)
			}
			t.fnmaBcast(e, bk, acc[r], tmp)
		}
	}
}

// solveForward solves L X = acc in registers, where the tile at d holds L^T with a unit
// diagonal.
func (t target) solveForward(acc []Register, d GPVirtual) {
	tmp := t.vec()
	for i := range side {
		for k := i + 1; k < side; k++ {
			t.fnmaBcast(element(d, i, k), acc[i], acc[k], tmp)
		}
	}
}

// solveBackward solves L^T X = acc in registers.
func (t target) solveBackward(acc []Register, d GPVirtual) {
	tmp := t.vec()
	for i := side - 1; i >= 0; i-- {
		for k := range i {
			t.fnmaBcast(element(d, k, i), acc[i], acc[k], tmp)
		}
	}
}

func (t target) loadTile(p GPVirtual, c int) []Register {
	v := t.vecs(side)
	for r := range v {
		t.load(element(p, r, c*t.lanes), v[r])
	}
	return v
}

func (t target) storeTile(v []Register, p GPVirtual, c int) {
	for r := range v {
		t.store(v[r], element(p, r, c*t.lanes))
	}
}

// factorTile replaces the tile at d by L^T with a unit diagonal, and sets inv to the
// reciprocals of the pivots. The chain from pivot to pivot bounds its speed.
func (t target) factorTile(d, inv GPVirtual, one Register) {
	tmp := t.vec()
	var rows []Register
	if t.zmm {
		rows = t.loadTile(d, 0)
	}
	for i := range side {
		pivot := t.vec()
		x := pivot.(VecVirtual).AsX()
		switch {
		case t.zmm && i > 0:
			VALIGNQ(U8(uint8(i)), rows[i], rows[i], pivot)
			t.store(rows[i], element(d, i, 0))
		case t.zmm:
			t.load(rows[i], pivot)
		default:
			VMOVSD(element(d, i, i), x)
		}
		VDIVSD(x, one.(VecVirtual).AsX(), x)
		VMOVSD(x, at(inv, nil, 8*i))
		r := t.vec()
		t.bcast(x, r)
		scaled := t.vecs(t.groups())
		for c := range scaled {
			if t.zmm {
				t.mul(rows[i], r, scaled[c])
			} else {
				t.mul(element(d, i, c*t.lanes), r, scaled[c])
			}
			for k := i + 1; k < side; k++ {
				if t.zmm {
					t.fnmaBcast(element(d, i, k), scaled[c], rows[k], tmp)
					continue
				}
				v := t.vec()
				t.load(element(d, k, c*t.lanes), v)
				t.fnmaBcast(element(d, i, k), scaled[c], v, tmp)
				t.store(v, element(d, k, c*t.lanes))
			}
		}
		for c := range scaled {
			t.store(scaled[c], element(d, i, c*t.lanes))
		}
	}
}

// cholesky is a left-looking factorisation by tiles. For each row of tiles it subtracts the contribution of the rows
// above, factors the diagonal tile, and solves for the other tiles.
func (t target) cholesky() {
	t.begin("cholesky", "func(u *%, nb int, inv *%)",
		"replaces the tiles by L^T on the diagonal and D L^T beside it, and sets inv to 1/D.")
	u, inv := param("u"), param("inv")
	one := t.vec()
	bits := GP64()
	MOVQ(U64(0x3ff0000000000000), bits)
	x := XMM()
	VMOVQ(bits, x)
	t.bcast(x, one)

	p := copyOf(u)    // present tile
	top := copyOf(u)  // tile (0, I)
	above := zeroed() // I
	left := param("nb")

	product := func(acc []Register, colTop GPVirtual, c int) {
		a, b, k, step, pinv := copyOf(top), copyOf(colTop), copyOf(above), param("nb"), param("inv")
		SHLQ(U8(log2(tileSize)), step)
		loop(k, 1, func() {
			SUBQ(U32(tileSize), step)
			t.subProduct(acc, a, b, pinv, c, true)
			ADDQ(step, a)
			ADDQ(step, b)
			ADDQ(U32(rowBytes), pinv)
		})
	}
	loop(left, 1, func() {
		for c := range t.groups() {
			acc := t.loadTile(p, c)
			product(acc, top, c)
			t.storeTile(acc, p, c)
		}
		t.factorTile(p, inv, one)
		d, colTop, others := copyOf(p), copyOf(top), copyOf(left)
		SUBQ(U8(1), others)
		ADDQ(U32(tileSize), p)
		loop(others, 1, func() {
			ADDQ(U32(tileSize), colTop)
			for c := range t.groups() {
				acc := t.loadTile(p, c)
				product(acc, colTop, c)
				t.solveForward(acc, d)
				t.storeTile(acc, p, c)
			}
			ADDQ(U32(tileSize), p)
		})
		ADDQ(U32(tileSize), top)
		ADDQ(U32(rowBytes), inv)
		ADDQ(U8(1), above)
	})
	t.end()
}

// choleskySolve treats the right-hand sides as an additional column of tiles.
func (t target) choleskySolve() {
	t.begin("choleskySolve", "func(u *%, nb int, inv, rhs *%)",
		"solves L D L^T X = B for the 8 columns of B, in place.")
	u, inv, rhs := param("u"), param("inv"), param("rhs")
	d := copyOf(u)
	p := copyOf(rhs)
	top := copyOf(u)
	above, left := zeroed(), param("nb")
	down := param("nb")
	SHLQ(U8(log2(tileSize)), down) // from a diagonal tile to the next one, less a tile
	loop(left, 1, func() {
		for c := range t.groups() {
			acc := t.loadTile(p, c)
			a, b, k, step := copyOf(top), copyOf(rhs), copyOf(above), param("nb")
			SHLQ(U8(log2(tileSize)), step)
			loop(k, 1, func() {
				SUBQ(U32(tileSize), step)
				t.subProduct(acc, a, b, nil, c, true)
				ADDQ(step, a)
				ADDQ(U32(tileSize), b)
			})
			t.solveForward(acc, d)
			tmp := t.vec()
			for r := range acc {
				t.mulBcast(at(inv, nil, 8*r), acc[r], tmp)
			}
			t.storeTile(acc, p, c)
		}
		ADDQ(down, d)
		SUBQ(U32(tileSize), down)
		ADDQ(U32(rowBytes), inv)
		ADDQ(U32(tileSize), p)
		ADDQ(U32(tileSize), top)
		ADDQ(U8(1), above)
	})

	// Backwards; the tiles of a row follow its diagonal tile.
	left, below := param("nb"), zeroed()
	loop(left, 1, func() {
		ADDQ(U32(tileSize), down)
		SUBQ(down, d)
		SUBQ(U32(rowBytes), inv)
		SUBQ(U32(tileSize), p)
		for c := range t.groups() {
			acc := t.zeros(side)
			a, b, k := copyOf(d), copyOf(p), copyOf(below)
			loop(k, 1, func() {
				ADDQ(U32(tileSize), a)
				ADDQ(U32(tileSize), b)
				t.subProduct(acc, a, b, nil, c, false)
			})
			tmp := t.vec()
			for r := range acc {
				t.bcast(at(inv, nil, 8*r), tmp)
				VFMADD213PD(element(p, r, c*t.lanes), tmp, acc[r])
			}
			t.solveBackward(acc, d)
			t.storeTile(acc, p, c)
		}
		ADDQ(U8(1), below)
	})
	t.end()
}

// pack copies four rows into neighbouring columns of rhs, or back.
func (t target) pack(name string, back bool) {
	t.begin(name, "func(rhs, r0, r1, r2, r3 *%, n int)",
		"copies four rows of length n into four columns of rhs, or back.")
	rhs, n := param("rhs"), param("n")
	rows := []GPVirtual{param("r0"), param("r1"), param("r2"), param("r3")}
	tail := t.rest(n)
	four := func(m *mask) {
		v, w := t.vecs(4), t.vecs(4)
		for i := range v {
			switch {
			case back:
				t.load(at(rhs, nil, i*rowBytes), v[i])
			case m != nil:
				t.loadMask(at(rows[i], nil, 0), *m, v[i])
			default:
				t.load(at(rows[i], nil, 0), v[i])
			}
		}
		for i := 0; i < 4; i += 2 {
			VUNPCKLPD(v[i+1], v[i], w[i])
			VUNPCKHPD(v[i+1], v[i], w[i+1])
		}
		for i := range 2 {
			VPERM2F128(U8(0x20), w[2+i], w[i], v[i])
			VPERM2F128(U8(0x31), w[2+i], w[i], v[2+i])
		}
		for i := range v {
			switch {
			case !back:
				t.store(v[i], at(rhs, nil, i*rowBytes))
			case m != nil:
				t.storeMask(v[i], *m, at(rows[i], nil, 0))
			default:
				t.store(v[i], at(rows[i], nil, 0))
			}
		}
	}
	loop(n, 4, func() {
		four(nil)
		for _, r := range rows {
			ADDQ(U32(32), r)
		}
		ADDQ(U32(4*rowBytes), rhs)
	})
	unlessZero(n, func() { four(&tail) })
	t.end()
}
