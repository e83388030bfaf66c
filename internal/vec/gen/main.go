// Command gen writes the assembly kernels of package vec with avo.
//
// It is a module of its own, so that the forecaster does not depend on avo. Run
// it by go generate in the directory above.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	for _, t := range []target{avx2, avx512} {
		t.dot()
		t.axpy()
		t.scale()
		t.times()
		t.hadamard()
		t.matVec()
		t.addOuter()
		t.addMatTVec()
		t.matMulT()
		t.addMatMul()
		t.addOuters()
		t.aggregate()
		t.regrets()
		t.sinCos()
		t.features()
		t.symRank("symAdd", t.fma)
		t.symRank("symSub", t.fnma)
		t.symMatVec("symMatVec", false)
		t.symMatVec("symSubMatVec", true)
		t.squareMatVec()
		t.squareSub()
		t.cholesky()
		t.choleskySolve()
		t.tally()
		t.cusum()
		t.moments()
		t.steps()
		t.standardise()
		t.bound()
		t.huber()
		t.glitch()
		t.level()
		t.conformal()
		t.logarithms()
		t.columnDots()
		t.addLagged()
		t.levinson()
	}
	avx2.fourierFeatures()
	avx512.fourier()
	avx2.pack("pack", false)
	avx2.pack("unpack", true)
	Generate()
}
