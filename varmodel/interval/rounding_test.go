package interval

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// An exact counter, also one that begins far from zero, is inside of its intervals although its
// forecasts are wrong by rounding alone.
func TestIntervalsOfAnExactCounter(t *testing.T) {
	const n, horizon = 2000, 2
	for _, c := range []struct{ from, step float64 }{{0, 300}, {1e9, 1}, {1e9, .1}} {
		f := withBounds(t, autoModel(t, auto.Config{Dim: 1, Horizon: horizon, Tier: auto.TierLight}), 1, horizon, []float64{.9}).NewSeries()
		lower, upper := make([]float64, horizon), make([]float64, horizon)
		var before, last [2][horizon]float64
		var inside [horizon]float64
		for i := range n {
			y := c.from + c.step*float64(i)
			if i >= n/2 {
				for k, v := range [][2][horizon]float64{last, before} {
					if v[0][k] <= y && y <= v[1][k] {
						inside[k]++
					}
				}
			}
			if err := f.Observe([]float64{y}); err != nil {
				t.Fatal(err)
			}
			modeltest.As[eval.Bounder](t, f).BoundsTo(lower, upper)
			before, last = last, [2][horizon]float64{[horizon]float64(lower), [horizon]float64(upper)}
		}
		for k, v := range inside {
			if v /= n / 2; v < .88 {
				t.Errorf("%v + %v t, %d steps: %.3f inside", c.from, c.step, k+1, v)
			}
		}
	}
}
