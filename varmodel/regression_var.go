package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/sgd"
)

// DefaultRidge is the ridge of every learner, in units of the sum of squares of
// features of about unit size.
const DefaultRidge = 100

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
	if err := checkShape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := checkRange("Order", cfg.Order, 1, maxLags); err != nil {
		return nil, err
	}
	if err := defaultRLS(&cfg.Ridge, &cfg.Forgetting); err != nil {
		return nil, err
	}
	if err := checkExogenous(cfg.Exogenous); err != nil {
		return nil, err
	}
	g := newLagDesign(cfg.Dim, cfg.Order, true, nil)
	rls, err := sgd.NewRLS(sgd.RLSConfig{
		Features: g.features() + 2*cfg.Exogenous, Outputs: cfg.Dim, Ridge: cfg.Ridge, Forgetting: cfg.Forgetting, MaxLeverage: 1,
	})
	if err != nil {
		return nil, err
	}
	return &regression{dim: cfg.Dim, horizon: cfg.Horizon, depth: cfg.Order, inputs: cfg.Exogenous, design: g, learner: rls}, nil
}

// defaultRLS fills in the defaults of recursive least squares and checks the
// result.
func defaultRLS(ridge, forgetting *float64) error {
	setDefault(ridge, DefaultRidge)
	setDefault(forgetting, 1)
	if err := checkPositive("Ridge", *ridge); err != nil {
		return err
	}
	return checkForgetting(*forgetting)
}
