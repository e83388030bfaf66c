package detection

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The sums that slide over a series agree with those of each window.
func TestRollingMoments(t *testing.T) {
	const window = 7
	r := rand.New(rand.NewPCG(1, 1))
	w := rolling{ring: make([]float64, 0, window)}
	var all []float64
	for range 200 {
		v := 1e6 + r.NormFloat64()
		w.add(v)
		all = append(all, v)
		last := all[max(0, len(all)-window):]
		mean, square := 0., 0.
		for _, u := range last {
			mean += u / float64(len(last))
		}
		for _, u := range last {
			square += (u - mean) * (u - mean) / float64(len(last))
		}
		gotMean, gotSD := w.moments()
		// The values have 10 digits before those that differ.
		if !(math.Abs(gotMean-mean) <= 1e-8) || !(math.Abs(gotSD-math.Sqrt(square)) <= 1e-5) {
			t.Fatalf("after %d values: %v ± %v, want %v ± %v", len(all), gotMean, gotSD, mean, math.Sqrt(square))
		}
	}
}

// The z-score of a row is the largest of its variables, in the window before the row.
func TestZScores(t *testing.T) {
	got := ZScores([][]float64{{0, 5}, {2, 5}, {4, math.NaN()}, {4, 6}}, 2)
	// Row 2: a is 3 deviations above the mean 1 of {0, 2}. Row 3: b was
	// constant before.
	if !math.IsNaN(got[0]) || got[2] != 3 || !math.IsInf(got[3], 1) {
		t.Errorf("%v", got)
	}
}

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
	for i, want := range []float64{nan, nan, nan, nan, 3, -1, 3, 3} {
		if got := PCAResiduals(rows, 4)[i]; math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-6 { // roots of roundings
			t.Errorf("row %d: %g, want %g", i, got, want)
		}
	}
}

// Two independent variables are two principal components: no row is outside them.
func TestPCAResidualOfIndependentVariables(t *testing.T) {
	rows := [][]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {3, -2}}
	if got := PCAResiduals(rows, 4); got[4] != 0 {
		t.Errorf("%v", got)
	}
}
