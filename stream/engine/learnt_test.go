package engine_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// TestIntervalsEndAtLearntBounds: a percentage that is often 100, and a walk, whose model knows the bound of the
// first. No interval of the first passes 100, those of the walk stay symmetric, and both hold their level: of 1,200
// samples 90 %, give or take three standard deviations of a share (.026).
func TestIntervalsEndAtLearntBounds(t *testing.T) {
	const n, from = 1500, 300
	levels := []float64{.9, .5}
	for name, own := range map[string]bool{"intervals of the engine": false, "intervals of the model": true} {
		c := engine.Config{
			Model: "auto", Horizon: 3, Emit: []int{1, 3}, Levels: levels, Config: assemble.Config{Interval: 1e9},
			NewModel: func(dim int) (eval.Model, error) {
				m, err := auto.New(auto.Config{Dim: dim, Horizon: 3, Tier: auto.TierTiny})
				if err == nil && own {
					m, err = interval.WithIntervals(m, interval.Config{Dim: dim, Horizon: 3, Levels: levels})
				}
				return m, err
			},
		}
		if !own {
			c.Intervals = func(dim int) (eval.Intervals, error) {
				return interval.NewIntervals(interval.Config{Dim: dim, Horizon: 3, Levels: levels})
			}
		}
		e, err := engine.New(c)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(9, 9))
		x, walk := 90., 0.
		var expected [2][2]float64 // lower and upper end of the forecast of one step
		inside, atBound := [2]float64{}, 0
		for i := range int64(n) {
			x += .1*(96-x) + 3*r.NormFloat64()
			walk += r.NormFloat64()
			y := []float64{min(x, 100), walk}
			for j, v := range y {
				if i >= from && expected[j][0] <= v && v <= expected[j][1] {
					inside[j]++
				}
			}
			var b engine.Results
			record := stream.Record{Message: &stream.Message{Offset: i}, Series: "s", Time: (i + 1) * 1e9, Values: y}
			if err := streamtest.Apply(e, &b, &record); err != nil {
				t.Fatal(err)
			}
			for _, f := range b.Forecasts {
				for k := range levels {
					lower, upper := f.Lower[2*k:2*k+2], f.Upper[2*k:2*k+2]
					if i >= from && !(upper[0] <= 100) {
						t.Fatalf("%s, sample %d: an interval up to %v", name, i, upper[0])
					}
					if i >= from && upper[0] == 100 {
						atBound++
					}
					if i >= from && !(math.Abs(upper[1]+lower[1]-2*f.Yhat[1]) <= 1e-9*(1+math.Abs(walk))) {
						t.Fatalf("%s, sample %d: [%v, %v] around %v", name, i, lower[1], upper[1], f.Yhat[1])
					}
				}
				if f.Horizon == 1 {
					for j := range expected {
						expected[j] = [2]float64{f.Lower[j], f.Upper[j]}
					}
				}
			}
		}
		if atBound < n {
			t.Errorf("%s: %d of %d intervals end at 100: the test says little", name, atBound, 4*(n-from))
		}
		for j, v := range inside {
			if v /= n - from; !(math.Abs(v-.9) <= .026) {
				t.Errorf("%s: %.3f of variable %d inside", name, v, j)
			}
		}
	}
}
