package thesis

import (
	"math"
	"testing"
)

// TestZScore: standardised columns have mean 0 and standard deviation 1. A constant column becomes 0.
func TestZScore(t *testing.T) {
	rows := [][]float64{{1, 10, 4}, {2, 30, 4}, {3, 20, 4}}
	zScore(rows)
	r := math.Sqrt(1.5) // three values a unit apart have the variance 2/3
	for i, want := range [][]float64{{-r, -r, 0}, {0, r, 0}, {r, 0, 0}} {
		for j, w := range want {
			if !(math.Abs(rows[i][j]-w) <= 1e-15) {
				t.Errorf("%v, want %v", rows[i], want)
			}
		}
	}
}
