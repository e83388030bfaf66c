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
	t.begin("fourierFeatures", "func(phi, w, x *%, scale %, m, n int)", "sets phi to the features of x.")
	scale, twice := t.scales()
	offset, phi := zeroed(), param("phi")
	panel := func(first bool) {
		stride := t.panels()
		SHLQ(U8(log2(panelBytes)), stride)
		r := t.project(param("w"), param("x"), param("m"), stride, offset, 2, nil)
		s, c := t.turns(r, scale, twice, nil)
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
	fourierGroup = 4 // panels that fourierStep takes together
	fourierRows  = 8 // rows of the matrix that it updates at most
)

// fourierStep is made for AVX-512, where a panel is one register. It computes the
// features of some panels while it updates and multiplies the columns of those
// before: the former keeps the multipliers busy, the latter the first cache.
func (t target) fourierStep() {
	t.begin("fourierStep", "func(y, a, f, u, phi, w, x *%, scale %, m, n, rows, cols int)",
		"sets phi to the features of x, adds f u^T to the first rows, at most 8, of A, and sets y to their product with phi; y has room for 8 elements. A row has cols registers.")
	scale, twice := t.scales()
	offset := zeroed()
	features := func(panels int, few *mask, meanwhile func(step int)) {
		stride := t.panels()
		SHLQ(U8(log2(panelBytes)), stride)
		r := t.project(param("w"), param("x"), param("m"), stride, offset, panels, nil)
		s, c := t.turns(r, scale, twice, meanwhile)
		if few != nil {
			t.clean(s[0], *few)
			t.clean(c[0], *few)
		}
		phi := param("phi")
		LEAQ(Mem{Base: phi, Index: offset, Scale: 2}, phi)
		for i := range panels {
			t.store(c[i], at(phi, nil, 2*i*panelBytes))
			t.store(s[i], at(phi, nil, (2*i+1)*panelBytes))
		}
		ADDQ(U32(uint32(panels*panelBytes)), offset)
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
	for n := 0; n <= fourierRows; n++ {
		next := label("next")
		CMPQ(rows, U8(uint8(n)))
		JNE(LabelRef(next))
		if n == 0 {
			loop(groups, 1, func() { features(fourierGroup, nil, nil) })
		} else {
			t.fourierRows(n, groups, func(meanwhile func(step int)) { features(fourierGroup, nil, meanwhile) })
		}
		JMP(LabelRef(finish))
		Label(next)
	}
	Label(finish)
	t.end()
}

// fourierRows emits the rest of fourierStep for so many rows.
func (t target) fourierRows(rows int, groups GPVirtual, features func(meanwhile func(step int))) {
	acc := t.zeros(rows)
	lda := param("cols")
	SHLQ(U8(log2(panelBytes)), lda)
	lda3 := GP64()
	LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	p := []GPVirtual{param("a")}
	if rows > 4 {
		q := GP64()
		LEAQ(Mem{Base: p[0], Index: lda, Scale: 4}, q)
		p = append(p, q)
	}
	u, phi, f := param("u"), param("phi"), param("f")
	uv, xv, v := t.vec(), t.vec(), t.vec()
	var fs []Register // where the registers suffice
	if rows <= 5 {
		fs = t.vecs(rows)
		for r := range fs {
			t.bcast(at(f, nil, r*t.size), fs[r])
		}
	}
	column := func(c int) {
		t.load(at(u, nil, c*panelBytes), uv)
		t.load(at(phi, nil, c*panelBytes), xv)
		for r := range rows {
			m := rowAt(p[r/4], r%4, c*panelBytes, lda, lda3)
			t.load(m, v)
			if fs != nil {
				t.fma(fs[r], uv, v)
			} else {
				t.fmaBcast(at(f, nil, r*t.size), uv, v, nil)
			}
			t.store(v, m)
			t.fma(v, xv, acc[r])
		}
	}
	advance := func(columns int) {
		for _, r := range append([]GPVirtual{u, phi}, p...) {
			ADDQ(U32(uint32(columns*panelBytes)), r)
		}
	}
	beside := func(columns int) { // spread over the steps of the polynomials
		features(func(step int) {
			for c := range columns {
				if c*(len(t.sinCoef())-1)/columns == step {
					column(c)
				}
			}
		})
		advance(columns)
	}
	unlessZero(groups, func() {
		beside(2) // the first group has one panel at least
		DECQ(groups)
		loop(groups, 1, func() { beside(2 * fourierGroup) })
	})
	left := copyOf(lda)
	ADDQ(param("a"), left)
	SUBQ(p[0], left)
	loop(left, panelBytes, func() {
		column(0)
		advance(1)
	})
	if t.size == 8 && rows >= t.lanes/2 {
		// A whole register, because the processor would wait for a masked store.
		acc = append(acc, t.zeros(t.lanes-rows)...)
		t.store(t.sums(acc), at(param("y"), nil, 0))
		return
	}
	t.storeSums(acc, param("y"))
}
