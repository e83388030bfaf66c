// Command asmgen writes the kernels of package vec and of package lanes with avo, one
// family per run.
//
// It is a module of its own, so that the forecaster does not depend on avo. The
// go:generate lines of the two packages run it.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
)

// families maps a name to the kernels of one assembly file, in the order of the file. A kernel has an AVX-512 version
// according to its share of a replay; see docs/performance.md.
var families = map[string]func(){
	"dense": func() {
		emit(avx2, target.dot, target.axpy, target.scale, target.times, target.hadamard, target.matVec, target.addOuter,
			target.addMatTVec, target.matMulT, target.addMatMul, target.addOuters, target.columnDots, target.addLagged,
			target.narrow, target.widen)
		emit(avx512, target.dot, target.axpy, target.scale, target.matVec, target.columnDots, target.narrow, target.widen)
	},
	"symmetric": func() {
		emit(avx2, target.symAdd, target.symSub, target.symMatVec, target.symSubMatVec, target.squareMatVec,
			target.squareSub, target.cholesky, target.choleskySolve, target.levinson,
			target.uduProject, target.uduWeigh, target.uduRatios, target.uduUpdate)
		emit(avx512, target.symAdd, target.cholesky, target.choleskySolve, target.levinson,
			target.uduProject, target.uduWeigh, target.uduRatios, target.uduUpdate)
		avx2.pack("pack", false)
		avx2.pack("unpack", true)
	},
	"elementary": func() {
		emit(avx2, target.sinCos, target.features, target.logarithms)
		emit(avx512, target.features)
		avx2.fourierFeatures()
	},
	"lanes": func() {
		emit(avx2, target.aggregate, target.regrets, target.tally, target.cusum, target.moments, target.steps,
			target.standardise, target.bound, target.localMean, target.conformal,
			target.errors, target.noise, target.levels, target.learnLevels, target.liveliness, target.residuals,
			target.ratios, target.addSizes)
	},
}

// emit writes kernels for an instruction set.
func emit(t target, kernels ...func(target)) {
	for _, kernel := range kernels {
		kernel(t)
	}
}

func main() {
	family := flag.String("family", "", "kernels to write: dense, symmetric, elementary or lanes")
	goRules := flag.String("rules", "", "file for the indices of package lanes (default: none)")
	flag.Parse()
	write, ok := families[*family]
	if !ok {
		log.Fatalf("asmgen: -family %q is unknown", *family)
	}
	if *goRules != "" {
		if err := writeRules(*goRules); err != nil {
			log.Fatal(err)
		}
	}
	write()
	Generate()
}
