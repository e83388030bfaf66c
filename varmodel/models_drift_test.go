package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/varmodel/interval"
)

func init() {
	models["drift"] = func(d, h int) (eval.Model, error) {
		m, err := NewVAR(VARConfig{Dim: d, Horizon: h, Order: 2})
		if err != nil {
			return nil, err
		}
		return interval.WithDrift(m, interval.DriftConfig{Dim: d, Horizon: h, FalseAlarms: .05, Action: drift.Forget})
	}
}
