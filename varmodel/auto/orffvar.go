package auto

import (
	"fmt"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// Optimiser names a learning method of NewORFFVAR.
type Optimiser int

// The learning methods.
const (
	BlockNewton Optimiser = iota // doubly stochastic mini-batches, preconditioned block by block; default
	RLS                          // recursive least squares: exact, quadratic cost in the number of features
	NLMS                         // normalised stochastic gradient, a streaming Algorithm 4: linear cost, slow convergence
)

// ORFFVARConfig describes a nonlinear vector autoregression with operator-valued random Fourier features (ORFF).
type ORFFVARConfig struct {
	Dim         int       // d, coordinates of a sample
	Order       int       // p >= 1, lags
	Horizon     int       // H, forecasts 1 … H steps ahead
	Seed        uint64    // seed for the frequencies
	Frequencies int       // D, number of frequencies, two features each; 0: 50
	Bandwidth   float64   // bandwidth, in median distances between inputs; 0: 1
	NoLinear    bool      // true: no intercept and no linear part
	Ridge       float64   // ridge, for features of about unit size; 0: 100
	Forgetting  float64   // weight of a sample after one step, in (0, 1]; 0: 0.9995
	Optimiser   Optimiser // default BlockNewton
	Step        float64   // step of NLMS, in (0, 2); 0: 0.05
	Block       int       // largest number of features per step of BlockNewton; 0: 48 or 112, by component
	Exogenous   int       // K, exogenous inputs; see eval.InputTaker
	Shared      bool      // true: all series of the model share the weights

	Workspace *Workspace // memory shared with other models; nil: a workspace of its own
}

// NewORFFVAR returns the model of Brault 2017, chapter 8, in an online form. The kernel is decomposable with the
// identity operator. The features are the standardised lags (linear part) and their random features.
//
// With BlockNewton the model is a mixture of three components, with weights per coordinate; see orffvarComponents.
// With RLS and NLMS the model has one component, which predicts increments. Its bandwidth is computed from the first
// 200 inputs; until then the model is linear. NewORFFVAR returns an error if a field of cfg is out of range.
func NewORFFVAR(cfg ORFFVARConfig) (eval.Model, error) {
	if err := check.Lags(cfg.Dim, cfg.Order, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := check.Exogenous(cfg.Exogenous); err != nil {
		return nil, err
	}
	check.SetDefault(&cfg.Frequencies, 50)
	check.SetDefault(&cfg.Bandwidth, 1)
	check.SetDefault(&cfg.Ridge, regression.DefaultRidge)
	check.SetDefault(&cfg.Forgetting, 0.9995)
	check.SetDefault(&cfg.Step, 0.05)
	if err := check.Range("Frequencies", cfg.Frequencies, 1, 100_000); err != nil {
		return nil, err
	}
	if err := check.Positive("Bandwidth", cfg.Bandwidth); err != nil {
		return nil, err
	}
	if cfg.Optimiser == BlockNewton {
		if err := check.Range("Block", cfg.Block, 0, 1000); err != nil {
			return nil, err
		}
		if err := check.Positive("Ridge", cfg.Ridge); err != nil {
			return nil, err
		}
		if err := check.Forgetting(cfg.Forgetting); err != nil {
			return nil, err
		}
		return newMixtureModel(Config{
			Dim: cfg.Dim, Horizon: cfg.Horizon, Seed: cfg.Seed, Exogenous: cfg.Exogenous, Shared: cfg.Shared, Workspace: cfg.Workspace,
		}, orffvarTier, orffvarComponents(cfg))
	}
	random, err := orff.NewAdaptive(cfg.Dim*cfg.Order, cfg.Frequencies, cfg.Bandwidth, random.Block(cfg.Seed, 1))
	if err != nil {
		return nil, err
	}
	g := regression.NewLagDesign(cfg.Dim, cfg.Order, !cfg.NoLinear, random)
	m := &regression.Model{Dim: cfg.Dim, Horizon: cfg.Horizon, Depth: cfg.Order, Inputs: cfg.Exogenous, Design: g}
	switch n, lags := m.Features(), g.Features(); cfg.Optimiser {
	case RLS:
		m.Learner, err = online.NewRLS(online.RLSConfig{
			Features: n, Outputs: cfg.Dim, Ridge: cfg.Ridge, Forgetting: cfg.Forgetting, MaxLeverage: 1,
		})
	case NLMS:
		g := regression.NLMSDesign{LagDesign: g}
		m.Design = g
		m.Learner, err = regression.NewNLMSLearner(g, n-lags, cfg.Dim, cfg.Step)
	default:
		err = fmt.Errorf("varmodel: Optimiser %d is unknown", cfg.Optimiser)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// orffvarTier describes the parts of the default model beside the experts that NewORFFVAR uses.
var orffvarTier = tierSpec{memory: 500, season: check.MaxPeriod, without: []Ingredient{partSeasonStep}}

// orffvarComponents returns the experts of ORFFVAR: first, with a linear part, the source ar24, whose forecasts are
// inputs of the local component; then the three components. The components differ in three properties, because the
// best values differ between data sets:
//
//   - Untrained forecast: no change; local mean; mean.
//   - Smoothness: linear with few random features; smooth in the lags; curved in the last sample.
//   - Memory, in units of 1 / (1 - Forgetting) samples: 1/4; 1; 2.5.
//
// Frequencies, Bandwidth, Ridge and Forgetting scale the settings of all three components. d coordinates usually move
// together, so d equal weights w have the effect d w. The linear features therefore have the size 30/d within limits,
// so that their ridge grows with d^2.
func orffvarComponents(cfg ORFFVARConfig) []expertSpec {
	forgetting := func(factor float64) float64 { return max(1-factor*(1-cfg.Forgetting), 0.5) }
	part := func(n int) int { return max(1, cfg.Frequencies/n) }
	linear := 0.
	if !cfg.NoLinear {
		linear = max(orffvarLinearLeast, min(orffvarLinear/float64(cfg.Dim), orffvarLinearMost))
	}
	near := max(1, cfg.Order-1)
	specs := []expertSpec{
		{
			name: fmt.Sprintf("orff%d", cfg.Order), order: cfg.Order, linear: linear, frequencies: part(3), bandwidth: cfg.Bandwidth,
			ridge: cfg.Ridge, forgetting: forgetting(4), every: 8, width: cfg.Block,
		},
		{
			name: fmt.Sprintf("orff%d-local", near), target: localTarget, order: near, linear: linear, long: linear > 0, frequencies: part(2), bandwidth: cfg.Bandwidth,
			ridge: cfg.Ridge, forgetting: forgetting(1), every: 16, width: cfg.Block,
		},
		{
			name: "orff1-mean", target: valueTarget, order: 1, linear: linear, frequencies: cfg.Frequencies, bandwidth: 0.7 * cfg.Bandwidth,
			ridge: cfg.Ridge / 10, forgetting: forgetting(0.4), every: 8, most: 64, width: cfg.Block,
		},
	}
	if cfg.Block == 0 {
		specs[2].width = 112
	}
	for i := range specs {
		specs[i].block = i + 1
	}
	if linear > 0 {
		own := expertSpec{name: "ar24", own: 24, source: true, ridge: cfg.Ridge, forgetting: forgetting(0.4), every: 1024}
		specs = append([]expertSpec{own}, specs...)
	}
	return specs
}

// Size of the linear features of ORFFVAR, times the number of coordinates, and limits of the size.
const (
	orffvarLinear      = 30
	orffvarLinearLeast = 0.5
	orffvarLinearMost  = 10
)
