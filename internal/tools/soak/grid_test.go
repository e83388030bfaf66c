package soak

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/varmodel/auto"
)

// TestORFFVARGrid: no setting of orffvar diverges on hostile data. Forecasts are finite and,
// from 500 samples after each disturbance on, better than repeating the last value; plain steps of a
// high rate multiply the noise.
//
//	go test ./internal/tools/soak -v -timeout 0 -run ORFFVARGrid -samples 1000000
func TestORFFVARGrid(t *testing.T) {
	const dim = 3
	type setting struct {
		name string
		cfg  auto.ORFFVARConfig
		most float64 // error over that of repeating the last value
	}
	var settings []setting
	for _, ridge := range []float64{1e-3, 1, 100, 1e5} {
		for _, forgetting := range []float64{1, .9995, .98} {
			for _, block := range []int{0, 8} {
				settings = append(settings, setting{
					fmt.Sprintf("ridge %g, forgetting %g, block %d", ridge, forgetting, block),
					auto.ORFFVARConfig{Ridge: ridge, Forgetting: forgetting, Block: block}, 1,
				})
			}
		}
	}
	// A normalised step of rate m makes noise 2/(2-m) times as large.
	for _, step := range []float64{.01, .5, 1, 1.9} {
		settings = append(settings, setting{fmt.Sprintf("plain steps, rate %g", step), auto.ORFFVARConfig{Optimiser: auto.NLMS, Step: step}, 2 / (2 - step)})
	}
	n := max(*samples/4, 3000)
	if *samples >= 1_000_000 {
		n = *samples
	}
	for _, c := range settings {
		t.Run(c.name, func(t *testing.T) {
			cfg := c.cfg
			cfg.Dim, cfg.Order, cfg.Horizon, cfg.Frequencies, cfg.Seed = dim, 2, 1, 20, 1
			m, err := auto.NewORFFVAR(cfg)
			if err != nil {
				t.Fatal(err)
			}
			f := m.NewSeries()
			rng := rand.New(rand.NewPCG(1, 2))
			forecast := make([]float64, dim)
			var model, naive float64
			last := make([]float64, dim)
			x, v := 1., 0.
			for i := range n {
				x, v = x+.3*v, .8*v-.3*x+.1*rng.NormFloat64()
				clean := []float64{x, v, x * v}
				y := append([]float64(nil), clean...)
				in := i % period
				if in < disturbed && i >= period {
					disturbances[i/period%len(disturbances)].do(rng, in, y)
				}
				if i > 0 && f.ForecastTo(forecast) {
					for j, p := range forecast {
						if math.IsNaN(p) || math.Abs(p) > 2e300 { // the data reach 1e300
							t.Fatalf("sample %d: forecast %v", i, forecast)
						}
						if in > disturbed+recovery {
							model += (p - clean[j]) * (p - clean[j])
							naive += (last[j] - clean[j]) * (last[j] - clean[j])
						}
					}
				}
				copy(last, clean)
				// An error is a refusal, of a value beyond the limit.
				_ = f.Observe(y)
			}
			t.Logf("error over that of the last value %.3f", model/naive)
			if !(model <= c.most*naive) {
				t.Errorf("error over that of the last value %.3f", model/naive)
			}
		})
	}
}
