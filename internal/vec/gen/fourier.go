package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels of Fourier in package vec take a panel of frequencies at a time,
// as many as 64 bytes hold; see there for the order of the features.
const panelBytes = 64

const panelLanes = panelBytes / size

// panels turns the number of frequencies into that of panels.
func (t target) panels(n GPVirtual) GPVirtual {
	ADDQ(U8(uint8(panelLanes-1)), n)
	SHRQ(U8(log2(panelLanes)), n)
	return n
}

// firstPanel turns it into that of frequencies in the first panel; the others are full.
func (t target) firstPanel(n GPVirtual) GPVirtual {
	DECQ(n)
	ANDQ(U8(uint8(panelLanes-1)), n)
	INCQ(n)
	return n
}

// fourierFeatures is made for AVX2, where a panel is two registers.
func (t target) fourierFeatures() {
	t.begin("fourierFeatures", "func(phi, w, x *%, m, n int)", "sets phi to the features of x.")
	offset, phi := zeroed(), param("phi")
	panel := func(first bool) {
		stride := t.panels(param("n"))
		SHLQ(U8(log2(panelBytes)), stride)
		r := t.project(param("w"), param("x"), param("m"), stride, offset, 2, nil)
		s, c := t.sinCosOf(r, nil)
		if first {
			// Half a register is full before the other begins.
			for i := range 2 {
				n, full, zero := t.firstPanel(param("n")), GP64(), zeroed()
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
	left := t.panels(param("n"))
	DECQ(left)
	loop(left, 1, func() { panel(false) })
	t.end()
}

// fourierFields is what fourierCall of package vec has, in its order.
var fourierFields = []string{"a", "g", "w", "sums", "phi", "inputs", "n", "rows", "row", "outputs", "kept", "limit"}

// callField is where fourierCall has it.
func callField(name string) Mem {
	return Mem{Base: param("call"), Disp: 8 * slices.Index(fourierFields, name)}
}

// called loads what fourierCall has of the name.
func called(name string) GPVirtual {
	r := GP64()
	MOVQ(callField(name), r)
	return r
}

// calledPhi returns where the features begin.
func calledPhi() GPVirtual {
	phi := called("phi")
	ADDQ(callField("a"), phi)
	return phi
}

const (
	fourierGroup = 4  // panels that fourier takes together
	fourierRows  = 12 // rows of the matrix that it multiplies at most
	fourierTerms = 3  // rows of U that it adds to a matrix of 8 rows at most
)

// fourier is made for AVX-512, where a panel is one register. It computes the angles of
// all panels first. Then it turns some into features while it multiplies the columns of
// those before: what the one waits for, the other fills.
func (t target) fourier() {
	t.begin("fourier", "func(y *float64, x *%, call *uintptr)",
		"sets phi to the features of x and sums to the products of the first rows, at most 12, with phi. If there are outputs to be stored, at most 8, it sets y to them plus the rows of G, each times one of the sums that follow. But if 3 rows of U are kept, it adds G^T U to A first, and copies phi to the first row of U.")
	t.angles()
	t.reduceLarge()

	phi := calledPhi() // of the features
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

	// The first group has one to four panels, the others four.
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

// eachRows emits body for each number of rows, with a jump to where it ends.
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

// fourierRows emits the rest for so many rows.
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
		// Loads are as scarce here as multiply-adds; so the registers left keep factors.
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
		// The first group has two columns at least. They follow at a distance where there
		// is little to do with them, or where the newest factors may be on their way.
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

// reduceLarge emits what the angles need if an input is not below the limit: the
// features of others take angles as they are.
func (t target) reduceLarge() {
	limit, v, k := t.vec(), t.vec(), K()
	large, some := zeroed(), GP64()
	// Numbers are in the order of their bits, without that of the sign.
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
