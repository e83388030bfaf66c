package varmodel

import "github.com/orffvar/forecaster/eval"

func init() {
	models["auto"] = func(d, h int) (eval.Model, error) { return NewAuto(AutoConfig{Dim: d, Horizon: h, Seed: 1}) }
	models["auto-shared"] = func(d, h int) (eval.Model, error) {
		return NewAuto(AutoConfig{Dim: d, Horizon: h, Seed: 1, Shared: true, Experts: []string{"ar6", "orff1", "orff3-local"}})
	}
	models["auto-intervals"] = func(d, h int) (eval.Model, error) {
		return NewAuto(AutoConfig{Dim: d, Horizon: h, Experts: []string{"var1"}, Levels: []float64{0.9, 0.5}})
	}
}
