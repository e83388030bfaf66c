package varmodel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A season that is given is repeated as soon as it was seen once, at all horizons but
// the first, which is that of the experts; on a random walk it is dropped.
func TestSeasonBase(t *testing.T) {
	const season, H = 8, 12
	rng := rand.New(rand.NewPCG(3, 4))
	pattern := make([]float64, season)
	for i := range pattern {
		pattern[i] = rng.NormFloat64()
	}
	f := newAuto(t, AutoConfig{Dim: 1, Horizon: H, Season: season}).NewSeries()
	forecast := make([]float64, H)
	for i := range 3 * season {
		if err := f.Observe([]float64{pattern[i%season]}); err != nil {
			t.Fatal(err)
		}
		f.ForecastTo(forecast)
		for h := 2; h <= H && i >= season; h++ {
			if want := pattern[(i+h)%season]; !(math.Abs(forecast[h-1]-want) <= 1e-9) { // rounding
				t.Errorf("%d steps after sample %d: %g, not %g", h, i, forecast[h-1], want)
			}
		}
	}

	g := newAuto(t, AutoConfig{Dim: 1, Horizon: H, Season: season}).NewSeries().(*autoSeries)
	var v float64
	for range 300 {
		v += rng.NormFloat64()
		if err := g.Observe([]float64{v}); err != nil {
			t.Fatal(err)
		}
	}
	// Up to a season ahead the last value is nearer than a season ago.
	for k, h := range g.multihorizon.seasonBase.steps {
		if h < season && g.multihorizon.seasonBase.better(k) {
			t.Errorf("a random walk is forecast from the last season at horizon %d", h)
		}
	}
}
