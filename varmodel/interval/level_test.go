package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// The intervals hold their level at every horizon, on errors that are
// correlated between origins. The standard error of a coverage of 0.9 over 5000
// samples, of which one in h is independent, is 0.004 sqrt(h).
func TestIntervalsHoldTheirLevel(t *testing.T) {
	const n, H = 6000, 4
	levels := []float64{.9, .5}
	f := withBounds(t, autoModel(t, auto.Config{Dim: 1, Horizon: H, Experts: []string{"var1"}}), 1, H, levels).NewSeries()
	bounder := modeltest.As[eval.Bounder](t, f)
	rng := rand.New(rand.NewPCG(11, 12))
	x := make([]float64, n+H)
	for i := 1; i < len(x); i++ {
		x[i] = .95*x[i-1] + rng.NormFloat64()*(1+math.Abs(rng.NormFloat64()))
	}
	lower, upper := make([]float64, 2*H), make([]float64, 2*H)
	hits, count := make([]float64, 2*H), 0.0
	for i := range n {
		if err := f.Observe(x[i : i+1]); err != nil {
			t.Fatal(err)
		}
		ok := bounder.BoundsTo(lower, upper)
		if ok != (i >= intervalAfter) {
			t.Fatalf("bounds after %d samples: %v", i+1, ok)
		}
		for k := range lower { // a horizon does not wait for longer ones
			if ok && math.IsNaN(lower[k]) != (i < intervalAfter+k%H) {
				t.Fatalf("bounds of horizon %d after %d samples: %g", k%H+1, i+1, lower[k])
			}
		}
		if i < 1000 {
			continue
		}
		count++
		for k := range hits {
			if y := x[i+1+k%H]; lower[k] <= y && y <= upper[k] {
				hits[k]++
			}
			if k >= H && !(upper[k] <= upper[k-H]) {
				t.Fatalf("the interval of 0.5 is wider than that of 0.9")
			}
		}
	}
	for k, v := range hits {
		want := levels[k/H]
		if got := v / count; !(math.Abs(got-want) <= .02) {
			t.Errorf("level %g, horizon %d: coverage %.3f", want, k%H+1, got)
		}
	}
}

// For one row after an odd sample the intervals reach to it: it may begin a level.
func TestIntervalsAfterAnOddSample(t *testing.T) {
	const H = 3
	f := withBounds(t, autoModel(t, auto.Config{Dim: 1, Horizon: H}), 1, H, []float64{.9}).NewSeries()
	bounder := modeltest.As[eval.Bounder](t, f)
	rng := rand.New(rand.NewPCG(13, 14))
	lower, upper := make([]float64, H), make([]float64, H)
	for i := range 800 {
		y := 20 + 5*math.Sin(2*math.Pi*float64(i)/48) + .3*rng.NormFloat64()
		if i == 700 {
			y = 60
		}
		if err := f.Observe([]float64{y}); err != nil {
			t.Fatal(err)
		}
		bounder.BoundsTo(lower, upper)
		for h, v := range upper {
			if reaches := v > 59; i >= 700 && reaches != (i == 700) {
				t.Errorf("row %d, %d steps ahead: up to %v", i, h+1, v)
			}
		}
	}
}
