package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd"
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
	if err := checkShape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := checkRange("Order", cfg.Order, 1, maxLags); err != nil {
		return nil, err
	}
	if err := defaultRLS(&cfg.Ridge, &cfg.Forgetting); err != nil {
		return nil, err
	}
	l, err := newPerCoordinate(cfg.Dim, func() (coordinateLearner, error) {
		return sgd.NewRLS(sgd.RLSConfig{
			Features: cfg.Order + 1, Outputs: 1, Ridge: cfg.Ridge, Forgetting: cfg.Forgetting, MaxLeverage: 1,
		})
	})
	if err != nil {
		return nil, err
	}
	return &regression{
		dim: cfg.Dim, horizon: cfg.Horizon, depth: cfg.Order,
		design: &ownLags{dim: cfg.Dim, order: cfg.Order}, learner: l,
	}, nil
}

// ownLags is the design of AR(q): for each coordinate in turn an intercept, its
// standardised value and its last q-1 increments in typical steps.
type ownLags struct{ dim, order int }

func (g *ownLags) features() int             { return g.dim * (g.order + 1) }
func (g *ownLags) observe(*scaler, *history) {}
func (g *ownLags) State(*snapshot.Codec)     {}
func (g *ownLags) featuresTo(phi []float64, s *scaler, p *history) {
	m := g.order + 1
	for j := range g.dim {
		v := p.lag(0)[j]
		phi[j*m] = 1
		phi[j*m+1] = s.standardised(j, v)
	}
	for l := 1; l < g.order; l++ {
		row, older := p.lag(l-1), p.lag(l)
		for j := range g.dim {
			phi[j*m+1+l] = row[j] - older[j]
		}
	}
	for j := range g.dim {
		vec.Scale(1/s.step(j), phi[j*m+2:(j+1)*m])
	}
}

// perCoordinate is one single-output learner for each coordinate, with an input
// of its own: phi is the concatenation of the inputs.
type perCoordinate []coordinateLearner

// coordinateLearner is a learner of one output.
type coordinateLearner interface {
	resettable
	Weights() []float64
}

func newPerCoordinate(dim int, newLearner func() (coordinateLearner, error)) (perCoordinate, error) {
	l := make(perCoordinate, dim)
	for j := range l {
		var err error
		if l[j], err = newLearner(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l perCoordinate) PredictTo(y, phi []float64) {
	m := len(phi) / len(l)
	for j, r := range l {
		r.PredictTo(y[j:j+1], phi[j*m:(j+1)*m])
	}
}

// Update skips the coordinates whose error is exactly zero: missing or
// constant ones, from which there is nothing to learn.
func (l perCoordinate) Update(phi, e []float64) {
	m := len(phi) / len(l)
	for j, r := range l {
		if e[j] != 0 {
			r.Update(phi[j*m:(j+1)*m], e[j:j+1])
		}
	}
}

// Reset makes the learners of all coordinates forget everything.
func (l perCoordinate) Reset() {
	for _, r := range l {
		r.Reset()
	}
}

// Discount multiplies the weight of all samples learnt so far by factor, in (0, 1].
func (l perCoordinate) Discount(factor float64) {
	for _, r := range l {
		r.Discount(factor)
	}
}

func (l perCoordinate) State(c *snapshot.Codec) {
	for _, r := range l {
		r.State(c)
	}
}
