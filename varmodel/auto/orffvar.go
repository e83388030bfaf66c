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
	BlockNewton Optimiser = iota // mini-batch doubly stochastic, preconditioned block by block: the default
	RLS                          // recursive least squares: exact, quadratic in the number of features
	NLMS                         // normalised stochastic gradient, the streaming form of Algorithm 4: linear, slow to learn
)

// ORFFVARConfig describes a nonlinear vector autoregression with
// operator-valued random Fourier features.
type ORFFVARConfig struct {
	Dim         int       // d, coordinates of a sample
	Order       int       // p >= 1, lags
	Horizon     int       // H, forecasts 1 … H steps ahead
	Seed        uint64    // seed of the frequencies
	Frequencies int       // D, each a cosine and a sine; 0 means 50
	Bandwidth   float64   // bandwidth in median distances between inputs; 0 means 1
	NoLinear    bool      // leave out the intercept and the lags themselves
	Ridge       float64   // 0 means DefaultRidge
	Forgetting  float64   // weight of a sample after one step, in (0, 1]; 0 means 0.9995
	Optimiser   Optimiser // default BlockNewton
	Step        float64   // step of NLMS, in (0, 2); 0 means 0.05
	Block       int       // columns that one step of BlockNewton changes at most; 0 means 48 to 112, by component
	Exogenous   int       // K, exogenous inputs; see eval.InputTaker
	Shared      bool      // several series share the weights

	Workspace *Workspace // shared with other models; nil: its own
}

// NewORFFVAR returns the model of Brault 2017, chapter 8, in a form that learns
// online: decomposable kernel with identity operator, standardised lags with a linear part
// beside the random features.
//
// With BlockNewton it mixes three components, see orffvarComponents, with weights for each
// coordinate. RLS and NLMS learn one component, whose targets are increments. Its bandwidth is computed from
// the first 200 inputs; until then it is linear.
func NewORFFVAR(cfg ORFFVARConfig) (eval.Model, error) {
	if err := check.Shape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := check.Range("Order", cfg.Order, 1, check.MaxLags); err != nil {
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

// orffvarTier has the other parts of the default model that NewORFFVAR uses.
var orffvarTier = tierSpec{memory: 500, season: check.MaxPeriod, without: []Ingredient{partSeasonStep}}

// orffvarComponents returns the three components of ORFFVAR, and before them the autoregression of each
// coordinate whose forecasts are inputs of the local component. The components answer three questions
// differently, because the answers differ between data sets:
//
//   - What is the forecast without knowledge? No change; the local mean; the mean.
//   - How smooth is the function? Linear with few random features; smooth in the lags; curved
//     in the last sample.
//   - How long does the past count? A fourth of the memory of Forgetting; that memory; 2.5 times
//     as long.
//
// Frequencies, Bandwidth, Ridge and Forgetting scale the settings of all three components. d coordinates
// usually move together, so that d equal weights w have the effect d w. The linear features therefore have
// the size 30/d, which makes their ridge grow as d^2.
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

// Size of the linear features of ORFFVAR, times the number of coordinates, and its limits.
const (
	orffvarLinear      = 30
	orffvarLinearLeast = 0.5
	orffvarLinearMost  = 10
)
