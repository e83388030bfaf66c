package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/auto"
)

func init() {
	models["auto-inputs"] = func(d, h int) (eval.Model, error) {
		return auto.New(auto.Config{Dim: d, Horizon: h, Exogenous: 2})
	}
	models["orffvar-inputs"] = func(d, h int) (eval.Model, error) {
		return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: d, Horizon: h, Order: 2, Exogenous: 2, Frequencies: 20})
	}
	models["var-inputs"] = func(d, h int) (eval.Model, error) {
		return NewVAR(VARConfig{Dim: d, Horizon: h, Order: 2, Exogenous: 3})
	}
}
