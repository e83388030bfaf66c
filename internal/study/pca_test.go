package study

import (
	"math"
	"testing"
)

// TestPCAResidual: the history lies along (1, 1), with two rows at the distance r = 1/(s sqrt 2)
// from that axis once it is standardised by the deviation s; the constant variable has no part.
// Its residuals 0, 0, r, r have the mean r/2 and the deviation r/2. So a residual of 2 r, as of
// the row (1, -1) or of a row with a missing value, is (2 - 1/2) / (1/2) = 3 deviations above the
// mean, and one of 0 is one deviation below.
func TestPCAResidual(t *testing.T) {
	nan := math.NaN()
	rows := [][]float64{
		{3, 3, 7}, {-3, -3, 7}, {.5, -.5, 7}, {-.5, .5, 7},
		{1, -1, 7}, {5, 5, 7}, {nan, 2, 7}, {1, -1, nan},
	}
	data := &Samples{Series: []Series{{Name: "s", Variables: []string{"x", "y", "constant"}, Rows: rows}}}
	for i, want := range []float64{nan, nan, nan, nan, 3, -1, 3, 3} {
		if got := pcaScores(data, 4)[i]; math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-6 { // roots of roundings
			t.Errorf("row %d: %g, want %g", i, got, want)
		}
	}
}
