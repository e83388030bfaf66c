package wire

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/varmodel"
)

func newVAR(c config.Model, dim int, _ sharing) (eval.Model, error) {
	lags, _ := numbered(c.Type, "var")
	return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: lags, Horizon: c.Horizon, Exogenous: inputsOf(c)})
}

func newAR(c config.Model, dim int, _ sharing) (eval.Model, error) {
	lags, _ := numbered(c.Type, "ar")
	return varmodel.NewAR(varmodel.ARConfig{Dim: dim, Order: lags, Horizon: c.Horizon})
}

func newNGRC(c config.Model, dim int, _ sharing) (eval.Model, error) {
	return varmodel.NewNGRC(varmodel.NGRCConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Degree: c.Kernel.Degree, Ridge: c.Ridge.Penalty(c.Forgetting), Forgetting: c.Forgetting,
	})
}
