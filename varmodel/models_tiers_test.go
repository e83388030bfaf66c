package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/auto"
)

func init() {
	models["auto-light"] = func(d, h int) (eval.Model, error) {
		return auto.New(auto.Config{Dim: d, Horizon: h, Tier: auto.TierLight})
	}
	models["auto-tiny"] = func(d, h int) (eval.Model, error) {
		return auto.New(auto.Config{Dim: d, Horizon: h, Tier: auto.TierTiny})
	}
}
