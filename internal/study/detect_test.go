package study

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

// A z-score is that of the variable furthest away, in the window before the row.
func TestZScores(t *testing.T) {
	data := &Samples{Series: []Series{{Variables: []string{"a", "b"}, Rows: [][]float64{
		{0, 5}, {2, 5}, {4, math.NaN()}, {4, 6},
	}}}}
	got := zScores(data, 2)
	// Row 2: a is 3 deviations above the mean 1 of {0, 2}. Row 3: b was
	// constant before.
	if !math.IsNaN(got[0]) || got[2] != 3 || !math.IsInf(got[3], 1) {
		t.Errorf("%v", got)
	}
}
