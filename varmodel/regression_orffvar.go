package varmodel

import (
	"fmt"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
)

// Optimiser names a learning method of NewORFFVAR.
type Optimiser int

// The learning methods.
const (
	BlockNewton Optimiser = iota // mini-batch doubly stochastic, preconditioned a block: the default
	RLS                          // recursive least squares: exact, quadratic in the number of features
	NLMS                         // normalised stochastic gradient, the streaming form of Algorithm 4: linear, slow to learn
)

// ORFFVARConfig describes a nonlinear vector autoregression with
// operator-valued random Fourier features.
type ORFFVARConfig struct {
	Dim         int       // d, coordinates of a sample
	Order       int       // p >= 1, lags
	Horizon     int       // H, forecasts 1 … H steps ahead
	Seed        uint64    // of the frequencies
	Frequencies int       // D, each a cosine and a sine; 0 means 50
	Bandwidth   float64   // in units of the median distance between inputs; 0 means 1
	NoLinear    bool      // leave out the intercept and the lags themselves
	Ridge       float64   // 0 means DefaultRidge
	Forgetting  float64   // weight of a sample after one step, in (0, 1]; 0 means 0.9995
	Optimiser   Optimiser // default BlockNewton
	Block       int       // columns a step of BlockNewton changes; 0 means 50
	Batch       int       // samples in its mini-batch; 0 means 4
	Step        float64   // of NLMS, in (0, 2); 0 means 0.05
	Exogenous   int       // K, exogenous inputs; see eval.InputTaker
}

// NewORFFVAR returns the model of Brault 2017, chapter 8, in the form that
// learns online: decomposable kernel with identity operator, increments as
// targets, standardised lags with a linear part beside the random features.
func NewORFFVAR(cfg ORFFVARConfig) (eval.Model, error) {
	if err := checkShape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := checkRange("Order", cfg.Order, 1, maxLags); err != nil {
		return nil, err
	}
	if err := checkExogenous(cfg.Exogenous); err != nil {
		return nil, err
	}
	setDefault(&cfg.Frequencies, 50)
	setDefault(&cfg.Block, 50)
	setDefault(&cfg.Batch, 4)
	setDefault(&cfg.Bandwidth, 1)
	setDefault(&cfg.Ridge, DefaultRidge)
	setDefault(&cfg.Forgetting, 0.9995)
	setDefault(&cfg.Step, 0.05)
	if err := checkRange("Frequencies", cfg.Frequencies, 1, 100_000); err != nil {
		return nil, err
	}
	if err := checkPositive("Bandwidth", cfg.Bandwidth); err != nil {
		return nil, err
	}
	random, err := orff.NewAdaptive(cfg.Dim*cfg.Order, cfg.Frequencies, cfg.Bandwidth, orff.BlockRand(cfg.Seed, 1))
	if err != nil {
		return nil, err
	}
	g := newLagDesign(cfg.Dim, cfg.Order, !cfg.NoLinear, random)
	m := &regression{dim: cfg.Dim, horizon: cfg.Horizon, depth: cfg.Order, inputs: cfg.Exogenous, design: g}
	switch n, lags := m.features(), g.features(); cfg.Optimiser {
	case BlockNewton:
		m.learner, err = sgd.NewBlockNewton(sgd.BlockNewtonConfig{
			Features: n, Outputs: cfg.Dim, Block: cfg.Block, Batch: cfg.Batch,
			Ridge: cfg.Ridge, Forgetting: cfg.Forgetting,
		})
	case RLS:
		m.learner, err = sgd.NewRLS(sgd.RLSConfig{
			Features: n, Outputs: cfg.Dim, Ridge: cfg.Ridge, Forgetting: cfg.Forgetting, MaxLeverage: 1,
		})
	case NLMS:
		g := nlmsDesign{g}
		m.design = g
		m.learner, err = newNLMSLearner(g, n-lags, cfg.Dim, cfg.Step)
	default:
		err = fmt.Errorf("varmodel: Optimiser %d is unknown", cfg.Optimiser)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}
