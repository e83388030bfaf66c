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
		t.matVec()
		t.updateMatVec()
		t.addOuter()
		t.addMatTVec()
		t.matMulT()
		t.addMatMul()
		t.sinCos()
		t.features()
		t.symRank()
		for terms := range 3 {
			t.symMatVec(terms)
		}
		t.cholesky()
		t.choleskySolve()
	}
	Generate()
}
