package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels of Fourier in package vec take a panel of frequencies at a time,
// as many as 64 bytes hold; see there for the order of the features.
const panelBytes = 64

func (t target) panelLanes() int { return panelBytes / t.size }

// panels returns the number of panels.
func (t target) panels() GPVirtual {
	p := param("n")
	ADDQ(U8(uint8(t.panelLanes()-1)), p)
	SHRQ(U8(log2(t.panelLanes())), p)
	return p
}

// firstPanel returns the number of frequencies in the first panel; the others
// are full.
func (t target) firstPanel() GPVirtual {
	n := param("n")
	DECQ(n)
	ANDQ(U8(uint8(t.panelLanes()-1)), n)
	INCQ(n)
	return n
}

// fourierFeatures is made for AVX2, where a panel is two registers.
func (t target) fourierFeatures() {
	t.begin("fourierFeatures", "func(phi, w, x *%, m, n int)", "sets phi to the features of x.")
	offset, phi := zeroed(), param("phi")
	panel := func(first bool) {
		stride := t.panels()
		SHLQ(U8(log2(panelBytes)), stride)
		r := t.project(param("w"), param("x"), param("m"), stride, offset, 2, nil)
		s, c := t.sinCosOf(r, nil)
		if first {
			// Half a register is full before the other begins.
			for i := range 2 {
				n, full, zero := t.firstPanel(), GP64(), zeroed()
				MOVQ(U32(uint32(t.lanes)), full)
				if i == 1 {
					SUBQ(full, n)
					CMOVQLT(zero, n)
				} else {
					CMPQ(n, full)
					CMOVQGT(full, n)
				}
				few := t.tailMask(n)
				t.clean(s[i], few)
				t.clean(c[i], few)
			}
		}
		for i := range 2 {
			t.store(c[i], at(phi, nil, i*t.bytes()))
			t.store(s[i], at(phi, nil, panelBytes+i*t.bytes()))
		}
		ADDQ(U32(2*panelBytes), phi)
		ADDQ(U32(panelBytes), offset)
	}
	panel(true)
	left := t.panels()
	DECQ(left)
	loop(left, 1, func() { panel(false) })
	t.end()
}

const (
	fourierGroup = 4  // panels that fourierMatVec takes together
	fourierRows  = 12 // rows of the matrix that it multiplies at most
	fourierTerms = 3  // that fourierUpdate adds to a matrix of 8 rows at most
)

// fourierMatVec is made for AVX-512, where a panel is one register. It computes
// the angles of all panels first. Then it turns some into features while it
// multiplies the columns of those before: what the one waits for, the other
// fills.
func (t target) fourierMatVec() {
	t.begin("fourierMatVec", "func(y *float64, sums, a, f, phi, w, x *%, m, n, rows, cols, p, k int, limit %)",
		"sets phi to the features of x and sums, which has room for 16 elements, to the product of the first rows, at most 12, of A with phi. A row has cols registers. If p is not zero, it sets y to the first p sums, at most 8, plus those of the k rows of F, each times one of the sums that follow.")
	t.fourier(0, fourierRows, false)
}

// fourierUpdate is fourierMatVec with the weights that it updates on the way.
func (t target) fourierUpdate() {
	t.begin("fourierUpdate", "func(y *float64, sums, a, f, phi, w, x *%, m, n, rows, cols, p, k int, limit %)",
		"adds F^T U to A, where the 3 rows of U follow those of A, at most 8, is then fourierMatVec, and copies phi to the first row of U.")
	t.fourier(1, 8, true)
}

// fourier emits the body of both, for so many rows.
func (t target) fourier(least, most int, update bool) {
	t.angles()
	t.reduceLarge()

	phi := param("phi") // of the features
	features := func(panels int, few *mask, meanwhile []func()) {
		r := make([]Op, panels)
		for i := range r {
			r[i] = at(phi, nil, 2*i*panelBytes)
		}
		s, c, steps := t.turns(r, nil)
		interleave(steps, meanwhile)
		if few != nil {
			t.clean(s[0], *few)
			t.clean(c[0], *few)
		}
		for i := range panels {
			t.store(c[i], at(phi, nil, 2*i*panelBytes))
			t.store(s[i], at(phi, nil, (2*i+1)*panelBytes))
		}
		ADDQ(U32(uint32(2*panels*panelBytes)), phi)
	}

	// The first group has one to four panels, the others four.
	start := t.panels()
	DECQ(start)
	groups := copyOf(start)
	SHRQ(U8(log2(fourierGroup)), groups)
	ANDQ(U8(fourierGroup-1), start)
	few := t.tailMask(t.firstPanel())
	done := label("done")
	for panels := 1; panels <= fourierGroup; panels++ {
		next := label("next")
		CMPQ(start, U8(uint8(panels-1)))
		JNE(LabelRef(next))
		features(panels, &few, nil)
		JMP(LabelRef(done))
		Label(next)
	}
	Label(done)

	rows := param("rows")
	finish := label("finish")
	for n := least; n <= most; n++ {
		next := label("next")
		CMPQ(rows, U8(uint8(n)))
		JNE(LabelRef(next))
		if n == 0 {
			loop(groups, 1, func() { features(fourierGroup, nil, nil) })
		} else {
			t.fourierRows(n, update, groups, func(meanwhile []func()) { features(fourierGroup, nil, meanwhile) })
		}
		JMP(LabelRef(finish))
		Label(next)
	}
	Label(finish)
	t.end()
}

// fourierRows emits the rest for so many rows.
func (t target) fourierRows(rows int, update bool, groups GPVirtual, features func(meanwhile []func())) {
	acc := t.zeros(rows)
	lda := param("cols")
	SHLQ(U8(log2(panelBytes)), lda)
	lda3 := GP64()
	LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	p := []GPVirtual{param("a")}
	for len(p)*4 < rows {
		q := GP64()
		LEAQ(Mem{Base: p[len(p)-1], Index: lda, Scale: 4}, q)
		p = append(p, q)
	}
	phi, x := param("phi"), t.vec()
	moving := append([]GPVirtual{phi}, p...)
	var u, f GPVirtual
	var v Register
	var us, held []Register
	if update {
		u, f, v, us = copyOf(p[0]), param("f"), t.vec(), t.vecs(fourierTerms)
		for range rows {
			ADDQ(lda, u)
		}
		moving = append(moving, u)
		// Loads are as scarce here as multiply-adds; so the registers left keep factors.
		held = t.vecs(min(9-rows, len(us)*rows))
		for i := range held {
			t.bcast(at(f, nil, i*t.size), held[i])
		}
	}
	columns := func(n int, acc ...[]Register) (steps []func()) {
		for c := range n {
			steps = append(steps, func() {
				t.load(at(phi, nil, c*panelBytes), x)
				for s := range us {
					t.load(rowAt(u, s, c*panelBytes, lda, lda3), us[s])
				}
				if update {
					t.store(x, at(u, nil, c*panelBytes))
				}
			})
			for r := range rows {
				steps = append(steps, func() {
					a, sum := rowAt(p[r/4], r%4, c*panelBytes, lda, lda3), acc[c%len(acc)][r]
					if !update {
						t.fma(a, x, sum)
						return
					}
					t.load(a, v)
					for s := range us {
						if i := s*rows + r; i < len(held) {
							t.fma(held[i], us[s], v)
						} else {
							t.fmaBcast(at(f, nil, i*t.size), us[s], v, nil)
						}
					}
					t.store(v, a)
					t.fma(v, x, sum)
				})
			}
		}
		return steps
	}
	advance := func(columns int) {
		for _, r := range moving {
			ADDQ(U32(uint32(columns*panelBytes)), r)
		}
	}
	beside := func(n int) {
		features(columns(n, acc))
		advance(n)
	}
	unlessZero(groups, func() {
		// The first group has one panel at least: two columns.
		DECQ(groups)
		if update {
			// The factors of the newest term may still be on their way.
			features(nil)
			loop(groups, 1, func() { beside(2 * fourierGroup) })
			interleave(columns(2, acc), nil)
			advance(2)
			return
		}
		beside(2)
		loop(groups, 1, func() { beside(2 * fourierGroup) })
	})
	left := copyOf(lda)
	ADDQ(param("a"), left)
	SUBQ(p[0], left)
	// Every other column has sums of its own, because the additions are waited for.
	odd := t.zeros(rows)
	loop(left, 2*panelBytes, func() {
		interleave(columns(2, acc, odd), nil)
		advance(2)
	})
	unlessZero(left, func() {
		interleave(columns(1, acc), nil)
		advance(1)
	})
	for r := range acc {
		t.add(odd[r], acc[r], acc[r])
	}
	to := param("sums")
	var y Register
	for i := 0; i < rows; i += t.lanes {
		v := t.sums(acc[i:min(i+t.lanes, rows)])
		t.store(v, at(to, nil, i*t.size))
		if i == 0 {
			y = v
		}
	}
	n := param("p")
	unlessZero(n, func() {
		outputs := t.tailMask(n)
		g, gram, terms, step := param("f"), to, param("k"), t.inBytes(n)
		ADDQ(step, gram)
		row := t.vec()
		loop(terms, 1, func() {
			t.loadMask(at(g, nil, 0), outputs, row)
			t.fmaBcast(at(gram, nil, 0), row, y, nil)
			ADDQ(step, g)
			ADDQ(U8(uint8(t.size)), gram)
		})
		if t.size == 4 {
			VCVTPS2PD(y.(VecVirtual).AsY(), y)
		}
		storeFew(y, n, param("y"))
	})
}

// storeFew stores the first n <= 8 float64 of a register, so that what reads them
// one by one has not to wait, as it would after a masked store.
func storeFew(v Register, n, to GPVirtual) {
	few, done := label("few"), label("done")
	CMPQ(n, U8(8))
	JNE(LabelRef(few))
	VMOVUPD(v, at(to, nil, 0))
	JMP(LabelRef(done))
	Label(few)
	y := v.(VecVirtual).AsY()
	for _, size := range []int{4, 2, 1} {
		skip := label("skip")
		TESTQ(U32(uint32(size)), n)
		JZ(LabelRef(skip))
		half := XMM()
		switch size {
		case 4:
			VMOVUPD(y, at(to, nil, 0))
			VEXTRACTF64X4(U8(1), v, y)
		case 2:
			VMOVUPD(y.(VecVirtual).AsX(), at(to, nil, 0))
			VEXTRACTF64X2(U8(1), y, half)
			VMOVUPD(half, y.(VecVirtual).AsX())
		case 1:
			VMOVSD(y.(VecVirtual).AsX(), at(to, nil, 0))
		}
		ADDQ(U8(uint8(8*size)), to)
		Label(skip)
	}
	Label(done)
}

// angles emits the projection: it stores the angles of each panel where its
// cosines will stand.
func (t target) angles() {
	w, x, m, phi := param("w"), param("x"), param("m"), param("phi")
	left := t.panels()
	stride := copyOf(left)
	SHLQ(U8(log2(panelBytes)), stride)
	zero := zeroed()
	for panels := 8; panels >= 1; panels-- {
		loop(left, panels, func() {
			r := t.project(w, x, m, stride, zero, panels, nil)
			for i := range r {
				t.store(r[i], at(phi, nil, 2*i*panelBytes))
			}
			ADDQ(U32(uint32(panels*panelBytes)), w)
			ADDQ(U32(uint32(2*panels*panelBytes)), phi)
		})
	}
}

// reduceLarge emits what the angles need if an input is not below the limit: the
// features of others take angles as they are.
func (t target) reduceLarge() {
	limit, v, k := t.vec(), t.vec(), K()
	large, some := zeroed(), GP64()
	// Numbers are in the order of their bits, without that of the sign.
	abs := func(v Register) {
		if t.size == 4 {
			VPADDD(v, v, v)
		} else {
			VPADDQ(v, v, v)
		}
	}
	t.bcast(number("limit"), limit)
	abs(limit)
	t.columnGroups(param("m"), 1, func(offset GPVirtual, cols int, last *mask) {
		mem := at(param("x"), offset, 0)
		if last != nil {
			t.loadMask(mem, *last, v)
		} else {
			t.load(mem, v)
		}
		abs(v)
		const notLess = 5
		if t.size == 4 {
			VPCMPUD(U8(notLess), limit, v, k)
		} else {
			VPCMPUQ(U8(notLess), limit, v, k)
		}
		KMOVW(k, some.As32())
		ORQ(some, large)
	})
	unlessZero(large, func() {
		phi := param("phi")
		loop(t.panels(), 1, func() {
			r := t.vecs(1)
			t.load(at(phi, nil, 0), r[0])
			t.reduce(r)
			t.store(r[0], at(phi, nil, 0))
			ADDQ(U32(2*panelBytes), phi)
		})
	})
}

// interleave emits steps and spreads others among them.
func interleave(steps, others []func()) {
	n := 0
	for i, emit := range steps {
		emit()
		for ; n*len(steps) < (i+1)*len(others); n++ {
			others[n]()
		}
	}
}
