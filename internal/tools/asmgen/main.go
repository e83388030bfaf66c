// Command gen writes the kernels of package vec and of package lanes with avo, one
// family a run.
//
// It is a module of its own, so that the forecaster does not depend on avo. The
// go:generate lines of the two packages run it.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
)

// families are the kernels of one assembly file each, in its order.
var families = map[string]func(){
	"dense": func() {
		both(target.dot, target.axpy, target.scale, target.times, target.hadamard, target.matVec, target.addOuter,
			target.addMatTVec, target.matMulT, target.addMatMul, target.addOuters, target.columnDots, target.addLagged, target.narrow, target.widen)
	},
	"symmetric": func() {
		both(target.symAdd, target.symSub, target.symMatVec, target.symSubMatVec, target.squareMatVec, target.squareSub,
			target.cholesky, target.choleskySolve, target.levinson,
			target.uduProject, target.uduWeigh, target.uduRatios, target.uduUpdate)
		avx2.pack("pack", false)
		avx2.pack("unpack", true)
	},
	"elementary": func() {
		both(target.sinCos, target.features, target.logarithms)
		avx2.fourierFeatures()
	},
	"fourier": func() { avx512.fourier() },
	"lanes": func() {
		both(target.aggregate, target.regrets, target.tally, target.cusum, target.moments, target.steps,
			target.standardise, target.bound, target.localMean, target.conformal,
			target.errors, target.noise, target.levels, target.learnLevels, target.liveliness, target.residuals)
	},
}

// both emits kernels for both instruction sets.
func both(kernels ...func(target)) {
	for _, t := range []target{avx2, avx512} {
		for _, emit := range kernels {
			emit(t)
		}
	}
}

func main() {
	family := flag.String("family", "", "kernels to write: dense, symmetric, elementary, fourier or lanes")
	flag.Parse()
	emit, ok := families[*family]
	if !ok {
		log.Fatalf("gen: -family %q is unknown", *family)
	}
	emit()
	Generate()
}
