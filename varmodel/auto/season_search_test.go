package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
)

// TestSeasonOfOneVariable finds the season of one variable without a clock, whatever is beside it: white noise,
// or random walks. A season of variance 1.4 in noise of variance 1 has a score near 1/2, five times the
// standard error of a score of 100 samples.
func TestSeasonOfOneVariable(t *testing.T) {
	const rows, period = 2000, 24
	for _, kind := range []struct {
		name string
		keep float64 // of the last value of the other variables
		dim  int
	}{{"alone", 0, 1}, {"noise", 0, 2}, {"noise", 0, 16}, {"walks", 1, 4}} {
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 24))
			f := newAuto(t, Config{Dim: kind.dim, Horizon: 1, Tier: "light"}).NewSeries()
			y := make([]float64, kind.dim)
			for i := range rows {
				for j := range y {
					y[j] = kind.keep*y[j] + rng.NormFloat64()
				}
				turn := 2 * math.Pi * float64(i) / period
				y[0] = rng.NormFloat64() + 1.5*math.Sin(turn) + .75*math.Sin(2*turn+1)
				if err := f.Observe(y); err != nil {
					t.Fatal(err)
				}
			}
			seasonal, _ := eval.As[eval.Seasonal](f)
			if got := seasonal.AppendSeasons(nil); !slices.Equal(got, []int{period}) {
				t.Errorf("%s, %d variables, seed %d: seasons of %v samples, of %d in truth", kind.name, kind.dim, seed, got, period)
			}
		}
	}
}
