package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// VARConfig describes a linear vector autoregression.
type VARConfig struct {
	Dim        int     // d, coordinates of a sample
	Order      int     // p >= 1, lags
	Horizon    int     // H, forecasts 1 … H steps ahead
	Ridge      float64 // 0 means DefaultRidge
	Forgetting float64 // weight of a sample after one step, in (0, 1]; 0 means 1
	Exogenous  int     // K, exogenous inputs; see eval.InputTaker
}

// NewVAR returns VAR(p), learnt by recursive least squares on the standardised
// lags and an intercept.
func NewVAR(cfg VARConfig) (eval.Model, error) {
	if err := check.Lags(cfg.Dim, cfg.Order, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := regression.DefaultRLS(&cfg.Ridge, &cfg.Forgetting); err != nil {
		return nil, err
	}
	if err := check.Exogenous(cfg.Exogenous); err != nil {
		return nil, err
	}
	g := regression.NewLagDesign(cfg.Dim, cfg.Order, true, nil)
	rls, err := online.NewRLS(online.RLSConfig{
		Features: g.Features() + 2*cfg.Exogenous, Outputs: cfg.Dim, Ridge: cfg.Ridge, Forgetting: cfg.Forgetting, MaxLeverage: 1,
	})
	if err != nil {
		return nil, err
	}
	return &regression.Model{Dim: cfg.Dim, Horizon: cfg.Horizon, Depth: cfg.Order, Inputs: cfg.Exogenous, Design: g, Learner: rls}, nil
}
