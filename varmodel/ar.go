package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

// ARConfig describes independent linear autoregressions, one per coordinate.
type ARConfig struct {
	Dim        int     // d, coordinates of a sample
	Order      int     // q >= 1, lags
	Horizon    int     // H, forecasts 1 … H steps ahead
	Ridge      float64 // 0 means DefaultRidge
	Forgetting float64 // weight of a sample after one step, in (0, 1]; 0 means 1
}

// NewAR returns AR(q) for each coordinate on its own, learnt by recursive least
// squares on an intercept, the standardised value and the last q-1 increments:
// long memory at a cost of d q^2 a sample, where VAR(q) costs d^2 q^2.
func NewAR(cfg ARConfig) (eval.Model, error) {
	if err := check.Lags(cfg.Dim, cfg.Order, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := regression.DefaultRLS(&cfg.Ridge, &cfg.Forgetting); err != nil {
		return nil, err
	}
	l, err := regression.NewPerCoordinate(cfg.Dim, func() (regression.CoordinateLearner, error) {
		return online.NewRLS(online.RLSConfig{
			Features: cfg.Order + 1, Outputs: 1, Ridge: cfg.Ridge, Forgetting: cfg.Forgetting, MaxLeverage: 1,
		})
	})
	if err != nil {
		return nil, err
	}
	return &regression.Model{
		Dim: cfg.Dim, Horizon: cfg.Horizon, Depth: cfg.Order,
		Design: &ownLags{dim: cfg.Dim, order: cfg.Order}, Learner: l,
	}, nil
}

// ownLags is the design of AR(q): for each coordinate in turn an intercept, its
// standardised value and its last q-1 increments in typical steps.
type ownLags struct{ dim, order int }

func (g *ownLags) Features() int                           { return g.dim * (g.order + 1) }
func (g *ownLags) Observe(*series.Scaler, *series.History) {}
func (g *ownLags) State(*snapshot.Codec)                   {}
func (g *ownLags) FeaturesTo(phi []float64, s *series.Scaler, p *series.History) {
	m := g.order + 1
	for j := range g.dim {
		v := p.Lag(0)[j]
		phi[j*m] = 1
		phi[j*m+1] = s.Standardised(j, v)
	}
	for l := 1; l < g.order; l++ {
		row, older := p.Lag(l-1), p.Lag(l)
		for j := range g.dim {
			phi[j*m+1+l] = row[j] - older[j]
		}
	}
	for j := range g.dim {
		vec.Scale(1/s.Step(j), phi[j*m+2:(j+1)*m])
	}
}
