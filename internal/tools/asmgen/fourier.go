package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// fourierFields are the fields of fourierCall in package vec, in its order.
var fourierFields = []string{"a", "g", "w", "sums", "phi", "inputs", "n", "rows", "row", "outputs", "kept", "limit"}

// callField returns the memory of a field of the argument call.
func callField(name string) Mem {
	return Mem{Base: param("call"), Disp: 8 * slices.Index(fourierFields, name)}
}

// called loads a field of the argument call.
func called(name string) GPVirtual {
	r := GP64()
	MOVQ(callField(name), r)
	return r
}

// calledPhi returns the address of the features.
func calledPhi() GPVirtual {
	phi := called("phi")
	ADDQ(callField("a"), phi)
	return phi
}

const (
	fourierGroup = 4  // panels whose features are computed together
	fourierRows  = 12 // rows that are multiplied at most
	fourierTerms = 3  // rows of U that are added to A, of at most 8 rows
)

// fourier is for AVX-512, where a panel is one register. It computes the angles of all
// panels first. Then it computes the features of a group of panels while it multiplies
// the columns of the group before: each fills the latencies of the other.
func (t target) fourier() {
	t.begin("fourier", "func(y *float64, x *%, call *uintptr)",
		"sets phi to the features of x, and sums to the products of the first rows of A and U, at most 12, with phi. With outputs, at most 8, it sets y = A phi + G^T U phi. If U has 3 rows, it first sets A += G^T U, and copies phi to the first row of U.")
	t.angles()
	t.reduceLarge()

	phi := calledPhi()
	features := func(panels int, few *mask, meanwhile []func()) {
		r := make([]Op, panels)
		for i := range r {
			r[i] = at(phi, nil, 2*i*panelBytes)
		}
		s, c, steps := t.turnsByTable(r, nil)
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

	// The first group has one to four panels, the other groups have four.
	start := t.panels(called("n"))
	DECQ(start)
	groups := copyOf(start)
	SHRQ(U8(log2(fourierGroup)), groups)
	ANDQ(U8(fourierGroup-1), start)
	few := t.tailMask(t.firstPanel(called("n")))
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

	product, outputs, finish := label("product"), called("outputs"), label("finish")
	CMPQ(outputs, U8(0))
	JE(LabelRef(product))
	CMPQ(callField("kept"), U8(fourierTerms))
	JNE(LabelRef(product))
	t.eachRows(outputs, 1, 8, finish, func(n int) { t.fourierRows(n, true, groups, features) })
	Label(product)
	t.eachRows(called("rows"), 0, fourierRows, finish, func(n int) { t.fourierRows(n, false, groups, features) })
	Label(finish)
	t.end()
}

// eachRows emits body for each number of rows from least to most, and a jump to the one
// for the given number. Each body ends with a jump to end.
func (t target) eachRows(rows GPVirtual, least, most int, end string, body func(n int)) {
	at := make([]string, most+1)
	for n := range at {
		at[n] = label("rows")
	}
	var choose func(least, most int)
	choose = func(least, most int) {
		if least == most {
			JMP(LabelRef(at[least]))
			return
		}
		half, above := (least+most)/2, label("above")
		CMPQ(rows, U8(uint8(half)))
		JG(LabelRef(above))
		choose(least, half)
		Label(above)
		choose(half+1, most)
	}
	choose(least, most)
	for n := least; n <= most; n++ {
		Label(at[n])
		body(n)
		JMP(LabelRef(end))
	}
}

// fourierRows emits the features of the remaining groups and the products of so many
// rows, with update the addition of G^T U.
func (t target) fourierRows(rows int, update bool, groups GPVirtual, features func(panels int, few *mask, meanwhile []func())) {
	if rows == 0 {
		loop(groups, 1, func() { features(fourierGroup, nil, nil) })
		return
	}
	acc := t.zeros(rows)
	lda := called("row")
	lda3 := GP64()
	LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	p := []GPVirtual{called("a")}
	for len(p)*4 < rows {
		q := GP64()
		LEAQ(Mem{Base: p[len(p)-1], Index: lda, Scale: 4}, q)
		p = append(p, q)
	}
	phi, x := calledPhi(), t.vec()
	moving := append([]GPVirtual{phi}, p...)
	var u, f GPVirtual
	var v Register
	var us, held []Register
	if update {
		u, f, v, us = copyOf(p[0]), called("g"), t.vec(), t.vecs(fourierTerms)
		for range rows {
			ADDQ(lda, u)
		}
		moving = append(moving, u)
		// Loads bound the loop as much as multiply-adds do, so free registers hold factors.
		held = t.vecs(min(9-rows, len(us)*rows))
		for i := range held {
			t.bcast(at(f, nil, i*size), held[i])
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
							t.fmaBcast(at(f, nil, i*size), us[s], v, nil)
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
		features(fourierGroup, nil, columns(n, acc))
		advance(n)
	}
	unlessZero(groups, func() {
		DECQ(groups)
		// The first group has at least two columns. Their products begin one group later
		// where there are few, or where the newest factors may not have arrived.
		if update || rows <= 8 {
			features(fourierGroup, nil, nil)
			loop(groups, 1, func() { beside(2 * fourierGroup) })
			interleave(columns(2, acc), nil)
			advance(2)
			return
		}
		beside(2)
		loop(groups, 1, func() { beside(2 * fourierGroup) })
	})
	left := copyOf(lda)
	ADDQ(callField("a"), left)
	SUBQ(p[0], left)
	// Even and odd columns have separate sums, to halve the chain of additions.
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
	to := called("sums")
	var y Register
	for i := 0; i < rows; i += t.lanes {
		v := t.sums(acc[i:min(i+t.lanes, rows)])
		t.store(v, at(to, nil, i*size))
		if i == 0 {
			y = v
		}
	}
	n := called("outputs")
	unlessZero(n, func() {
		if !update {
			outputs := t.tailMask(n)
			g, gram, terms, step := called("g"), to, called("kept"), t.inBytes(n)
			ADDQ(step, gram)
			row := t.vec()
			loop(terms, 1, func() {
				t.loadMask(at(g, nil, 0), outputs, row)
				t.fmaBcast(at(gram, nil, 0), row, y, nil)
				ADDQ(step, g)
				ADDQ(U8(uint8(size)), gram)
			})
		}
		storeFew(y, n, param("y"))
	})
}

// storeFew stores the first n <= 8 elements of a register without a mask: a later load of
// one element would have to wait for a masked store.
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

// angles emits W^T x and stores the angles of each panel in the place of its cosines.
func (t target) angles() {
	w, x, m, phi := called("w"), param("x"), called("inputs"), calledPhi()
	left := t.panels(called("n"))
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

// reduceLarge emits the reduction of all angles if an input is not below the limit:
// turnsByTable takes angles below 2^47.
func (t target) reduceLarge() {
	limit, v, k := t.vec(), t.vec(), K()
	large, some := zeroed(), GP64()
	// Without the sign bit, numbers have the order of their bits.
	abs := func(v Register) {
		VPADDQ(v, v, v)
	}
	t.bcast(callField("limit"), limit)
	abs(limit)
	t.columnGroups(called("inputs"), 1, func(offset GPVirtual, cols int, last *mask) {
		mem := at(param("x"), offset, 0)
		if last != nil {
			t.loadMask(mem, *last, v)
		} else {
			t.load(mem, v)
		}
		abs(v)
		const notLess = 5
		VPCMPUQ(U8(notLess), limit, v, k)
		KMOVW(k, some.As32())
		ORQ(some, large)
	})
	unlessZero(large, func() {
		phi := calledPhi()
		loop(t.panels(called("n")), 1, func() {
			r := t.vecs(1)
			t.load(at(phi, nil, 0), r[0])
			t.reduce(r)
			t.store(r[0], at(phi, nil, 0))
			ADDQ(U32(2*panelBytes), phi)
		})
	})
}

// interleave emits steps and, evenly between them, others.
func interleave(steps, others []func()) {
	n := 0
	for i, emit := range steps {
		emit()
		for ; n*len(steps) < (i+1)*len(others); n++ {
			others[n]()
		}
	}
}
