package vec

import (
	"fmt"
	"math"
	"os"
	"slices"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C gen . -out ../kernels_amd64.s -stubs ../stubs_amd64.go -pkg vec

// active is set once, before main starts; only tests change it.
var active = choose(os.Getenv("FORECASTER_VEC"))

// best returns the best implementation that processor and system support.
func best() implementation {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return portable
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL || !x.HasAVX512BW:
		return avx2
	}
	return avx512
}

// choose returns the implementation of the given name, or the best one if the
// name is empty. A name that cannot be had stops the program: whoever forces an
// implementation wants that one.
func choose(name string) implementation {
	if name == "" {
		return best()
	}
	i := implementation(slices.Index(implementationNames[:], name))
	if i < 0 {
		panic(fmt.Sprintf("vec: FORECASTER_VEC=%s: want portable, avx2 or avx512", name))
	}
	if i > best() {
		panic(fmt.Sprintf("vec: FORECASTER_VEC=%s: this processor has only %s", name, best()))
	}
	return i
}

// madd returns x y + z, rounded as the kernels in use round it.
func madd(x, y, z float64) float64 {
	if active == portable {
		return float64(x*y) + z
	}
	return math.FMA(x, y, z)
}

// The functions below only choose. The kernels read nothing when a length is
// zero, but a pointer to the first element must exist.

func dot(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	switch active {
	case avx512:
		return dotAVX512(&x[0], &y[0], len(x))
	case avx2:
		return dotAVX2(&x[0], &y[0], len(x))
	}
	return dotPortable(x, y)
}

func axpy(alpha float64, x, y []float64) {
	if len(x) == 0 {
		return
	}
	switch active {
	case avx512:
		axpyAVX512(alpha, &x[0], &y[0], len(x))
	case avx2:
		axpyAVX2(alpha, &x[0], &y[0], len(x))
	default:
		axpyPortable(alpha, x, y)
	}
}

func matVec(y, a, x []float64) {
	if len(a) == 0 {
		clear(y)
		return
	}
	switch active {
	case avx512:
		matVecAVX512(&y[0], &a[0], &x[0], len(y), len(x))
	case avx2:
		matVecAVX2(&y[0], &a[0], &x[0], len(y), len(x))
	default:
		matVecPortable(y, a, x)
	}
}

func addMatTVec(y, a, x []float64) {
	if len(a) == 0 {
		return
	}
	switch active {
	case avx512:
		addMatTVecAVX512(&y[0], &a[0], &x[0], len(x), len(y))
	case avx2:
		addMatTVecAVX2(&y[0], &a[0], &x[0], len(x), len(y))
	default:
		addMatTVecPortable(y, a, x)
	}
}

func addOuter(a []float64, alpha float64, x, y []float64) {
	if len(a) == 0 {
		return
	}
	switch active {
	case avx512:
		addOuterAVX512(&a[0], alpha, &x[0], &y[0], len(x), len(y))
	case avx2:
		addOuterAVX2(&a[0], alpha, &x[0], &y[0], len(x), len(y))
	default:
		addOuterPortable(a, alpha, x, y)
	}
}

func updateMatVec(y, a, g, u, x []float64) {
	if len(a) == 0 {
		clear(y)
		return
	}
	switch active {
	case avx512:
		updateMatVecAVX512(&y[0], &a[0], &g[0], &u[0], &x[0], len(y), len(x))
	case avx2:
		updateMatVecAVX2(&y[0], &a[0], &g[0], &u[0], &x[0], len(y), len(x))
	default:
		updateMatVecPortable(y, a, g, u, x)
	}
}

func matMulT(c, a, b []float64, m, n, k int) {
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		clear(c)
		return
	}
	switch active {
	case avx512:
		matMulTAVX512(&c[0], &a[0], &b[0], m, n, k)
	case avx2:
		matMulTAVX2(&c[0], &a[0], &b[0], m, n, k)
	default:
		matMulTPortable(c, a, b, m, n, k)
	}
}

func addMatMul(c []float64, alpha float64, a, b []float64, m, n, k int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	switch active {
	case avx512:
		addMatMulAVX512(&c[0], alpha, &a[0], &b[0], m, n, k)
	case avx2:
		addMatMulAVX2(&c[0], alpha, &a[0], &b[0], m, n, k)
	default:
		addMatMulPortable(c, alpha, a, b, m, n, k)
	}
}

func sinCos(sin, cos, t []float64) {
	if len(t) == 0 {
		return
	}
	switch active {
	case avx512:
		sinCosAVX512(&sin[0], &cos[0], &t[0], len(t))
	case avx2:
		sinCosAVX2(&sin[0], &cos[0], &t[0], len(t))
	default:
		sinCosPortable(sin, cos, t)
	}
}

func features(phi, w, x []float64, scale float64) {
	d := len(phi) / 2
	if d == 0 {
		return
	}
	if len(x) == 0 {
		featuresPortable(phi, w, x, scale)
		return
	}
	switch active {
	case avx512:
		featuresAVX512(&phi[0], &phi[d], &w[0], &x[0], scale, len(x), d)
	case avx2:
		featuresAVX2(&phi[0], &phi[d], &w[0], &x[0], scale, len(x), d)
	default:
		featuresPortable(phi, w, x, scale)
	}
}

func symRank(t []float64, nb int, g, w []float64, terms int) {
	if nb == 0 {
		return
	}
	switch active {
	case avx512:
		symRankAVX512(&t[0], nb, &g[0], &w[0], terms)
	case avx2:
		symRankAVX2(&t[0], nb, &g[0], &w[0], terms)
	default:
		symRankPortable(t, nb, g, w, terms)
	}
}

func symMatVec(t []float64, nb int, g, w []float64, terms int, y, x []float64) {
	if nb == 0 {
		return
	}
	switch {
	case active == avx512 && terms == 0:
		symMatVec0AVX512(&t[0], nb, &g[0], &w[0], &y[0], &x[0])
	case active == avx512 && terms == 1:
		symMatVec1AVX512(&t[0], nb, &g[0], &w[0], &y[0], &x[0])
	case active == avx512:
		symMatVec2AVX512(&t[0], nb, &g[0], &w[0], &y[0], &x[0])
	case active == avx2 && terms == 0:
		symMatVec0AVX2(&t[0], nb, &g[0], &w[0], &y[0], &x[0])
	case active == avx2 && terms == 1:
		symMatVec1AVX2(&t[0], nb, &g[0], &w[0], &y[0], &x[0])
	case active == avx2:
		symMatVec2AVX2(&t[0], nb, &g[0], &w[0], &y[0], &x[0])
	default:
		symMatVecPortable(t, nb, g, w, terms, y, x)
	}
}

func cholesky(u []float64, nb int, inv []float64) {
	if nb == 0 {
		return
	}
	switch active {
	case avx512:
		choleskyAVX512(&u[0], nb, &inv[0])
	case avx2:
		choleskyAVX2(&u[0], nb, &inv[0])
	default:
		choleskyPortable(u, nb, inv)
	}
}

func choleskySolve(u []float64, nb int, inv, rhs []float64) {
	if nb == 0 {
		return
	}
	switch active {
	case avx512:
		choleskySolveAVX512(&u[0], nb, &inv[0], &rhs[0])
	case avx2:
		choleskySolveAVX2(&u[0], nb, &inv[0], &rhs[0])
	default:
		choleskySolvePortable(u, nb, inv, rhs)
	}
}
