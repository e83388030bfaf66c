package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// panelBytes is the size of a panel of frequencies. Kernels of FourierWeights in package vec process one panel at a time;
// see FourierWeights for the order of the features.
const panelBytes = 64

const panelLanes = panelBytes / size

// panels replaces the number of frequencies by the number of panels.
func (t target) panels(n GPVirtual) GPVirtual {
	ADDQ(U8(uint8(panelLanes-1)), n)
	SHRQ(U8(log2(panelLanes)), n)
	return n
}

// firstPanel replaces the number of frequencies by the number of frequencies in the first panel. The other panels are
// full.
func (t target) firstPanel(n GPVirtual) GPVirtual {
	DECQ(n)
	ANDQ(U8(uint8(panelLanes-1)), n)
	INCQ(n)
	return n
}

// fourierFeatures is the kernel for AVX2, where a panel has two registers.
func (t target) fourierFeatures() {
	t.begin("fourierFeatures", "func(phi, w, x *%, m, n int)", "sets phi to the cosines and sines of W^T x turns in panels, W of m rows and n frequencies.")
	offset, phi := zeroed(), param("phi")
	panel := func(first bool) {
		stride := t.panels(param("n"))
		SHLQ(U8(log2(panelBytes)), stride)
		r := t.project(param("w"), param("x"), param("m"), stride, offset, 2, nil)
		s, c := t.sinCosOf(r, nil)
		if first {
			// The first half fills up before the second begins.
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
