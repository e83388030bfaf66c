package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/interval"
)

func init() {
	models["auto"] = func(d, h int) (eval.Model, error) { return auto.New(auto.Config{Dim: d, Horizon: h, Seed: 1}) }
	models["auto-shared"] = func(d, h int) (eval.Model, error) {
		return auto.New(auto.Config{Dim: d, Horizon: h, Seed: 1, Shared: true, Experts: []string{"ar6", "orff1", "orff3-local"}})
	}
	models["auto-intervals"] = func(d, h int) (eval.Model, error) {
		m, err := auto.New(auto.Config{Dim: d, Horizon: h, Experts: []string{"var1"}})
		if err != nil {
			return nil, err
		}
		return interval.WithIntervals(m, interval.Config{Dim: d, Horizon: h, Levels: []float64{0.9, 0.5}})
	}
	models["auto-lags"] = func(d, h int) (eval.Model, error) {
		return auto.New(auto.Config{Dim: d, Horizon: h, Seed: 1, Experts: []string{"ar12", "var2", "orff5"}})
	}
	models["auto-plain"] = func(d, h int) (eval.Model, error) {
		return auto.New(auto.Config{Dim: d, Horizon: h, Experts: []string{"orff1-mean"}, Without: auto.Ingredients})
	}
}
