package lanes

import "github.com/orffvar/forecaster/internal/vec"

// Rows returns a rows x n matrix of zeros. Its capacity has room for whole registers from the start of the last row:
// kernels store whole registers.
func Rows(rows, n int) []float64 {
	return make([]float64, rows*n, max(rows-1, 0)*n+vec.Stride(n))
}

// statistics allocates Stride(n) elements per row in one piece, which it returns, and sets the rows.
func statistics(n int, rows []*[]float64) (all []float64) {
	if n < 1 {
		panic("lanes: no variables")
	}
	stride := vec.Stride(n)
	return split(vec.Aligned(len(rows)*stride), stride, rows)
}

// compact is statistics, but with rows of n elements if n < few: no kernel processes so small rows.
func compact(n int, rows []*[]float64) (all []float64) {
	if n >= few {
		return statistics(n, rows)
	}
	return split(make([]float64, len(rows)*n), n, rows)
}

// split sets the rows to consecutive parts of all.
func split(all []float64, stride int, rows []*[]float64) []float64 {
	for i, row := range rows {
		*row = all[i*stride : (i+1)*stride : (i+1)*stride]
	}
	return all
}

// few is the least number of variables for a kernel: for fewer, Go is faster than the call of a kernel, with the same
// bits.
const few = 3

// Clip returns v limited to [-limit, limit]; NaN stays NaN. It is faster than min and max, which must order zeros and
// NaNs.
func Clip(v, limit float64) float64 {
	if v > limit {
		return limit
	}
	if v < -limit {
		return -limit
	}
	return v
}

// Weight returns max(1/count, least): the weight of the latest of count values in a running mean.
func Weight(count, least float64) float64 {
	if count*least < 1 {
		return 1 / count
	}
	return least
}
