package lanes

import "github.com/orffvar/forecaster/internal/vec"

// Rows returns rows x n zeros with capacity for whole registers from the last row on: kernels
// store whole registers.
func Rows(rows, n int) []float64 {
	return make([]float64, rows*n, max(rows-1, 0)*n+vec.Stride(n))
}

// statistics sets the rows to Stride(n) elements each, in one piece, and returns it.
func statistics(n int, rows []*[]float64) (all []float64) {
	if n < 1 {
		panic("lanes: no variables")
	}
	stride := vec.Stride(n)
	return split(vec.Aligned(len(rows)*stride), stride, rows)
}

// compact is statistics with rows of n elements for few variables, which no kernel takes: the
// statistics of one variable differ from the statistics of eight.
func compact(n int, rows []*[]float64) (all []float64) {
	if n >= few {
		return statistics(n, rows)
	}
	return split(make([]float64, len(rows)*n), n, rows)
}

// split sets the rows to parts of all, one after the other.
func split(all []float64, stride int, rows []*[]float64) []float64 {
	for i, row := range rows {
		*row = all[i*stride : (i+1)*stride : (i+1)*stride]
	}
	return all
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
