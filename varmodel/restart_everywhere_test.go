package varmodel

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// A model that is saved and restored after every sample forecasts, at all horizons and with its
// intervals, what one does that never was.
func TestRestartAfterEverySample(t *testing.T) {
	const d, h = modeltest.HostileDim, 5
	rows, levels := modeltest.HostileRows(140), []float64{.5, .9}
	builds := map[string]func() (eval.Model, error){
		"auto":       func() (eval.Model, error) { return auto.New(auto.Config{Dim: d, Horizon: h, Season: 6}) },
		"auto-light": func() (eval.Model, error) { return auto.New(auto.Config{Dim: d, Horizon: h, Tier: auto.TierLight}) },
	}
	for name, build := range models {
		builds[name] = func() (eval.Model, error) { return build(d, h) }
	}
	for name, build := range builds {
		t.Run(name, func(t *testing.T) {
			modeltest.Restarts(t, func() (eval.Model, error) {
				m, err := build()
				if err != nil {
					return nil, err
				}
				return interval.WithIntervals(m, interval.Config{Dim: d, Horizon: h, Levels: levels})
			}, rows, h, len(levels))
		})
	}
}
