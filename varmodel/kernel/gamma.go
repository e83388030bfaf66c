package kernel

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/varmodel/internal/check"
)

// GammaSource is the source of the operator Gamma of a decomposable kernel.
type GammaSource int

const (
	GivenGamma    GammaSource = iota // the fixed Gamma of the map
	Correlations                     // correlations of the increments
	ResidualGamma                    // correlations of the residuals

	// CorrelationGraph is (L + 0.1 I)^-1 for the Laplacian L of the graph whose
	// weights are the absolute correlations of the increments.
	CorrelationGraph
)

// LearntGamma describes a Gamma that is learnt online: coordinates that move together learn from each other.
type LearntGamma struct {
	From   GammaSource
	Decay  float64 // weight of a sample after one step; 0 means 0.999
	Shrink float64 // weight of the identity in Gamma, in [0, 1]; 0 means 0.2
}

// gammaLearner lets a descent work in the space of the kernel k Gamma while Gamma changes. For the prediction matrix
// H = B Theta of a decomposable map, a step of Algorithm 4 on Theta is
//
//	H <- H - gamma (Gamma e phi^T + lambda H),
//
// because B^T multiplies e and B multiplies Theta. So the map has the identity as operator and predicts with H itself, and
// the error is multiplied by Gamma: a change of Gamma does not change the learnt function.
type gammaLearner struct {
	from        GammaSource
	correlation *coupling.Correlation
	shrink      float64
	seen        int
	gamma, r    []float64
}

func newGammaLearner(cfg *VARConfig, first orff.Map) (*gammaLearner, error) {
	g := cfg.Gamma
	if g.From < Correlations || g.From > CorrelationGraph {
		return nil, fmt.Errorf("varmodel: Gamma.From %d is unknown", int(g.From))
	}
	if m, ok := first.(*orff.Decomposable); !ok || !m.Output().IsIdentity() {
		return nil, errors.New("varmodel: Gamma can only be learnt for a decomposable map with the identity as its operator")
	}
	check.SetDefault(&g.Decay, 0.999)
	check.SetDefault(&g.Shrink, 0.2)
	if !(g.Shrink >= 0 && g.Shrink <= 1) {
		return nil, fmt.Errorf("varmodel: Gamma.Shrink must lie in [0, 1], got %g", g.Shrink)
	}
	correlation, err := coupling.NewCorrelation(cfg.Dim, g.Decay)
	if err != nil {
		return nil, err
	}
	s := &gammaLearner{
		from: g.From, correlation: correlation, shrink: g.Shrink,
		gamma: make([]float64, cfg.Dim*cfg.Dim), r: make([]float64, cfg.Dim),
	}
	correlation.GammaTo(s.gamma, 1)
	return s, nil
}

// Observe takes a target and its error, both in typical steps. A missing
// coordinate of the target is NaN.
func (s *gammaLearner) Observe(y, e []float64) {
	if s.from == ResidualGamma {
		for k, v := range e {
			s.r[k] = v + 0*y[k] // NaN where the target is
		}
		s.correlation.Observe(s.r)
	} else {
		s.correlation.Observe(y)
	}
	s.seen++
	// An inverse needs a decomposition, which allocates, so it is computed rarely.
	const graphEvery = 100
	if s.from == CorrelationGraph && s.seen%graphEvery != 0 {
		return
	}
	// Correlations of few samples are noise: Gamma is the identity until there are ten samples per coordinate, and
	// then the weight of the identity falls.
	start := 10 * float64(len(s.r)) / float64(s.seen)
	s.correlation.GammaTo(s.gamma, max(s.shrink, min(1, start)))
	if s.from == CorrelationGraph {
		for k, v := range s.gamma {
			s.gamma[k] = math.Abs(v)
		}
		// Correlations are finite and symmetric, so with eta > 0 the inverse exists.
		if gamma, err := coupling.GraphGamma(len(s.r), s.gamma, 0.1); err == nil {
			copy(s.gamma, gamma)
		}
	}
	// A largest row sum of 1 makes the norm of Gamma at most 1: a rate that is safe for the identity is then safe for
	// Gamma.
	vec.Scale(1/maxRowSum(s.gamma, len(s.r)), s.gamma)
}

func (s *gammaLearner) State(c *snapshot.Codec) {
	c.Section("steering")
	s.correlation.State(c)
	c.Index(&s.seen, math.MaxInt)
	c.Float64s(s.gamma)
}

// gammaMap is a map whose gradient has the Gamma of a gammaLearner.
type gammaMap struct {
	sgd.Map
	*gammaLearner
}

// AddGradient adds alpha Phi(x) Gamma r.
func (m *gammaMap) AddGradient(g []float64, alpha float64, phi, r []float64) {
	vec.MatVec(m.r, m.gamma, r)
	m.Map.AddGradient(g, alpha, phi, m.r)
}
