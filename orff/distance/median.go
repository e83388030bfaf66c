// Package distance computes medians of the distances between inputs, the usual bandwidths of Gaussian kernels: between
// given rows, or between the first inputs of a stream.
package distance

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// medianPoints limits Median to half a million distances.
const medianPoints = 1000

// Median returns the median of the Euclidean distances between pairs of distinct rows of x, row-major with rows of
// length d: the usual bandwidth of a Gaussian kernel. Of more than 1000 rows, it takes 1000 at random without
// replacement; the seed determines them. It ignores rows with a NaN or an infinity. It returns 1 if the median is 0 or
// there are fewer than two rows.
func Median(x []float64, d int, seed uint64) float64 {
	if d < 1 || len(x)%d != 0 {
		panic("orff: distance.Median needs whole rows")
	}
	rows := make([][]float64, 0, len(x)/d)
	for ; len(x) > 0; x = x[d:] {
		if numeric.Finite(x[:d]) {
			rows = append(rows, x[:d])
		}
	}
	if len(rows) > medianPoints {
		r := random.New(seed)
		for i := range medianPoints { // the first steps of a Fisher-Yates shuffle
			j := i + r.Intn(len(rows)-i)
			rows[i], rows[j] = rows[j], rows[i]
		}
		rows = rows[:medianPoints]
	}
	n := len(rows)
	squares := make([]float64, 0, n*(n-1)/2)
	for i, a := range rows {
		for _, b := range rows[:i] {
			var s float64
			for k := range a {
				s += (a[k] - b[k]) * (a[k] - b[k])
			}
			squares = append(squares, s)
		}
	}
	if len(squares) == 0 {
		return 1
	}
	slices.Sort(squares)
	m := len(squares) / 2
	median := math.Sqrt(squares[m])
	if len(squares)%2 == 0 {
		median = (median + math.Sqrt(squares[m-1])) / 2
	}
	if median == 0 {
		return 1
	}
	return median
}
