package distance

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff/internal/maptest"
)

func TestMedian(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		x    []float64
		d    int
		want float64
	}{
		{"none", nil, 2, 1},
		{"one", []float64{1, 2}, 2, 1},
		{"two", []float64{0, 0, 3, 4}, 2, 5},
		{"three on a line", []float64{0, 1, 3}, 1, 2},                           // 1, 2, 3
		{"four on a line", []float64{0, 1, 3, 7}, 1, 3.5},                       // 1 2 3 4 6 7
		{"constant", []float64{4, 4, 4}, 1, 1},                                  // median 0
		{"missing values", []float64{0, 0, nan, 1, 3, 4, math.Inf(1), 0}, 2, 5}, // two rows left
	} {
		maptest.Near(t, c.name, Median(c.x, c.d, 1), c.want, 1e-15)
	}
}

func TestMedianOfASubsample(t *testing.T) {
	// Distances of N(0, I) points in the plane are sqrt(2) times Rayleigh variables, with the median sqrt(2) sqrt(2 ln
	// 2). The tolerance is some five standard errors of a U statistic of 1000 points (sd of a distance 0.93, halved by
	// pairing).
	x := maptest.Normals(9, 2*5000)
	want := 2 * math.Sqrt(math.Ln2)
	a := Median(x, 2, 1)
	maptest.Near(t, "median distance", a, want, 0.08)
	if b := Median(x, 2, 1); a != b {
		t.Errorf("the same seed gives %g and %g", a, b)
	}
	if b := Median(x, 2, 2); a == b {
		t.Error("another seed takes the same subsample")
	}
}
