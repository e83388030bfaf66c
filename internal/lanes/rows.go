package lanes

import "github.com/orffvar/forecaster/internal/vec"

// Rows returns rows x n zeros with capacity for whole registers from the last row on: kernels
// store whole registers.
func Rows(rows, n int) []float64 {
	return make([]float64, rows*n, max(rows-1, 0)*n+vec.Stride(n))
}

// statistics returns rows of Stride(n) elements in one piece, and the i-th of them.
func statistics(rows, n int) (all []float64, row func(i int) []float64) {
	if n < 1 {
		panic("lanes: no variables")
	}
	stride := vec.Stride(n)
	all = vec.Aligned(rows * stride)
	return all, func(i int) []float64 { return all[i*stride : (i+1)*stride : (i+1)*stride] }
}

// compact is statistics with rows of n elements for few variables, which no kernel takes: the
// statistics of one variable are not those of eight.
func compact(rows, n int) (all []float64, row func(i int) []float64) {
	if n >= few {
		return statistics(rows, n)
	}
	all = make([]float64, rows*n)
	return all, func(i int) []float64 { return all[i*n : (i+1)*n : (i+1)*n] }
}

// few variables take less time in Go than the call of a kernel, which gives the same
// bits.
const few = 3

// Clip returns v limited to [-limit, limit]; NaN stays NaN. It is faster than min and
// max, which have to order zeros and NaNs.
func Clip(v, limit float64) float64 {
	if v > limit {
		return limit
	}
	if v < -limit {
		return -limit
	}
	return v
}

// Weight returns max(1/count, least), the weight of the last of count values in a
// running mean.
func Weight(count, least float64) float64 {
	if count*least < 1 {
		return 1 / count
	}
	return least
}
