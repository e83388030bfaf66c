package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// cauchy is n independent Cauchy values around a level of 7.
func cauchy(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(57, 58))
	return column(n, func(int) float64 { return 7 + math.Tan(math.Pi*(rng.Float64()-.5)) })
}

// The best forecast of independent Cauchy values is their median: after 500 samples the mean absolute
// error, with that of one value limited to 100, is at most 2 % above that of the true median. Errors of
// the running median of .1 would cost .5 %.
func TestMedianOfCauchy(t *testing.T) {
	x := cauchy(2000)
	next := nextOf(t, newAuto(t, Config{Dim: 1, Horizon: 1}), nil)
	var ours, least float64
	for i, y := range x[:len(x)-1] {
		if v := next(y)[0]; i >= 500 {
			ours += min(math.Abs(x[i+1][0]-v), 100)
			least += min(math.Abs(x[i+1][0]-7), 100)
		}
	}
	if !(ours <= 1.02*least) {
		t.Errorf("%.3f of the error of the median", ours/least)
	}
}

// After a jump of the level the median is given up within a run of samples on one side.
func TestMedianGivesUpAfterAJump(t *testing.T) {
	x := cauchy(1000)
	s := newAuto(t, Config{Dim: 1, Horizon: 1}).NewSeries().(*autoSeries)
	for i, y := range x {
		if i >= 900 {
			y[0] += 1000
		}
		if err := s.Observe(y); err != nil {
			t.Fatal(err)
		}
		m := &s.medians.of[0]
		if i == 899 {
			jac := make([]float64, s.Lags())
			if !s.JacobianTo(jac) || !m.used() || slices.ContainsFunc(jac, func(v float64) bool { return v != 0 }) {
				t.Errorf("before the jump the median is used: %v, with the derivative %v", m.used(), jac)
			}
		}
		if i == 900+medianRun && (m.used() || math.Abs(m.median-1007) > 500) {
			t.Errorf("the median is still %.3g", m.median)
		}
	}
}

// Normal noise, a wandering level, a value that is mostly zero and a level that jumps now and then
// have no use for a median: their forecasts are the same bits without the part.
func TestMediansLeaveOthersAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(59, 60))
	x, walk, level := make([][]float64, 2000), 0., 0.
	for i := range x {
		walk += math.Tan(math.Pi * (rng.Float64() - .5))
		if rng.Float64() < .005 {
			level += 1000 * rng.NormFloat64()
		}
		x[i] = []float64{rng.NormFloat64(), walk, 0, level + rng.NormFloat64()}
		if rng.Float64() < .1 {
			x[i][2] = 1 + poisson(rng, 3)
		}
	}
	with := modeltest.Record(t, newAuto(t, Config{Dim: 4, Horizon: 1}).NewSeries(), x, 4)
	without := modeltest.Record(t, newAuto(t, Config{Dim: 4, Horizon: 1, Without: []Ingredient{Medians}}).NewSeries(), x, 4)
	if err := modeltest.Same(with, without); err != nil {
		t.Error(err)
	}
}
