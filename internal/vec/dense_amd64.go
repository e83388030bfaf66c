package vec

import (
	"github.com/orffvar/forecaster/internal/isa"
)

//go:generate go run -C ../tools/asmgen . -family dense -out ../../vec/dense_amd64.s -stubs ../../vec/dense_stubs_amd64.go -pkg vec

// The functions below call the kernel of the active instruction set. With AVX-512 they call the AVX2 kernel if there is
// no AVX-512 kernel. The address of the first element must exist even if a kernel reads no element.

func dot(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	switch isa.Active {
	case isa.AVX512:
		return dotAVX512(&x[0], &y[0], len(x))
	case isa.AVX2:
		return dotAVX2(&x[0], &y[0], len(x))
	}
	return dotPortable(x, y)
}

func axpy(alpha float64, x, y []float64) {
	if len(x) == 0 {
		return
	}
	switch isa.Active {
	case isa.AVX512:
		axpyAVX512(alpha, &x[0], &y[0], len(x))
	case isa.AVX2:
		axpyAVX2(alpha, &x[0], &y[0], len(x))
	default:
		axpyPortable(alpha, x, y)
	}
}

func scale(y []float64, alpha float64, x []float64) {
	if len(x) == 0 {
		return
	}
	switch isa.Active {
	case isa.AVX512:
		scaleAVX512(&y[0], alpha, &x[0], len(x))
	case isa.AVX2:
		scaleAVX2(&y[0], alpha, &x[0], len(x))
	default:
		scalePortable(y, alpha, x)
	}
}

func times(x, y []float64) {
	if len(x) == 0 {
		return
	}
	if isa.Active == isa.Portable {
		timesPortable(x, y)
		return
	}
	timesAVX2(&x[0], &y[0], len(x))
}

func hadamard(x []float64) {
	if isa.Active == isa.Portable || len(x) < 4 {
		hadamardPortable(x)
		return
	}
	hadamardAVX2(&x[0], len(x))
}

func matVec(y, a, x []float64) {
	if len(a) == 0 {
		clear(y)
		return
	}
	switch isa.Active {
	case isa.AVX512:
		matVecAVX512(&y[0], &a[0], &x[0], len(y), len(x))
	case isa.AVX2:
		matVecAVX2(&y[0], &a[0], &x[0], len(y), len(x))
	default:
		matVecPortable(y, a, x)
	}
}

func addMatTVec(y, a, x []float64) {
	if len(a) == 0 {
		return
	}
	if isa.Active == isa.Portable {
		addMatTVecPortable(y, a, x)
		return
	}
	addMatTVecAVX2(&y[0], &a[0], &x[0], len(x), len(y))
}

func addOuter(a []float64, alpha float64, x, y []float64) {
	m, n := len(x), len(y)
	switch {
	case len(a) == 0:
		return
	case isa.Active == isa.Portable:
		addOuterPortable(a, alpha, x, y)
		return
	case n == 1:
		axpy(alpha*y[0], x, a)
		return
	}
	// The masked store at the end of a row covers the start of the next row. A load from there would wait for the store.
	// So one pass over a narrow matrix skips rows, and several passes cover all rows.
	step := stepOf(m, n, 8)
	for i := range step {
		rows := (m - i + step - 1) / step
		addOuterAVX2(&a[i*n], alpha, &x[i], &y[0], rows, n, step)
	}
}

// stepOf returns the number of passes over an m x n matrix with registers of lanes elements.
func stepOf(m, n, lanes int) int {
	if n%lanes == 0 || m <= 8 {
		return 1
	}
	return min(2+lanes/n, m)
}

// panel is the number of columns per pass of a matrix product: a dozen rows of this length stay in the first-level cache.
const panel = 256

func matMulT(c, a, b []float64, m, n, k int) {
	if isa.Active == isa.Portable {
		matMulTPortable(c, a, b, m, n, k)
		return
	}
	clear(c)
	if len(c) == 0 {
		return
	}
	for j := 0; j < k; j += panel {
		matMulTAVX2(&c[0], &a[j], &b[j], m, n, min(panel, k-j), n, k)
	}
}

func addMatMul(c []float64, alpha float64, a, b []float64, m, n, k int) {
	if isa.Active == isa.Portable {
		addMatMulPortable(c, alpha, a, b, m, n, k)
		return
	}
	if m == 0 || k == 0 {
		return
	}
	for j := 0; j < n; j += panel {
		addMatMulAVX2(&c[j], alpha, &a[0], &b[j], m, min(panel, n-j), k, n, k, n)
	}
}

func columnDots(y, a, x []float64) {
	if len(a) == 0 {
		clear(y)
		return
	}
	switch isa.Active {
	case isa.AVX512:
		columnDotsAVX512(&y[0], &a[0], &x[0], len(a)/len(y), len(y))
	case isa.AVX2:
		columnDotsAVX2(&y[0], &a[0], &x[0], len(a)/len(y), len(y))
	default:
		columnDotsPortable(y, a, x)
	}
}

func addLagged(c, f, x []float64, m, n, k, shift int) {
	if isa.Active == isa.Portable {
		addLaggedPortable(c, f, x, m, n, k, shift)
		return
	}
	addLaggedAVX2(&c[0], &f[0], &x[0], m, n, k, shift)
}

func addOuters(a, g, u []float64, m, k, n int) {
	if m == 0 || k == 0 {
		return
	}
	if isa.Active == isa.Portable {
		addOutersPortable(a, g, u, m, k, n)
		return
	}
	addOutersAVX2(&a[0], &g[0], &u[0], m, k, n/4, n/4)
}

// narrow and widen need lengths that are multiples of eight.
func narrow(dst []float32, x []float64) {
	if len(x) == 0 {
		return
	}
	switch isa.Active {
	case isa.AVX512:
		narrowAVX512(&dst[0], &x[0], len(x))
	case isa.AVX2:
		narrowAVX2(&dst[0], &x[0], len(x))
	default:
		narrowPortable(dst, x)
	}
}

func widen(dst []float64, x []float32) {
	if len(x) == 0 {
		return
	}
	switch isa.Active {
	case isa.AVX512:
		widenAVX512(&dst[0], &x[0], len(x))
	case isa.AVX2:
		widenAVX2(&dst[0], &x[0], len(x))
	default:
		widenPortable(dst, x)
	}
}
