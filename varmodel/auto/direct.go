package auto

import (
	"fmt"
	"math"
	"strconv"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	directOrder      = 3      // lags of all coordinates among the features of a direct learner
	directForgetting = 0.9998 // weight of a sample after one step
	directAfter      = 8      // samples per feature before the hand-over from RLS to block Newton
	directEvery      = 16     // samples between the steps of a direct learner after its hand-over
)

// directLearners holds the weights of the direct forecasts. Each anchor horizon h has one regression with 2 dim
// outputs: the increments over h steps, and the deviations from the local mean.
type directLearners struct {
	dim      int
	inputs   int                // number of exogenous inputs
	steps    []int              // anchor horizons
	learners []*online.HandOver // one per anchor; outputs: dim increments, then dim deviations
	lags     []float64          // scratch
	out      []float64          // scratch, 2 dim
}

func newDirectLearners(dim, inputs int, steps []int, work *online.Workspace) (*directLearners, error) {
	g := &directLearners{dim: dim, inputs: inputs, steps: steps, lags: lanes.Rows(directOrder, dim), out: make([]float64, 2*dim)}
	for _, h := range steps {
		// The ridge grows with h because the targets of h consecutive samples overlap.
		l, err := online.NewHandOver(online.HandOverConfig{
			RLS: online.RLSConfig{
				Features: g.Features(), Outputs: 2 * dim, Ridge: regression.DefaultRidge * math.Sqrt(float64(h)),
				Forgetting: directForgetting, MaxLeverage: 1,
			},
			Newton: online.BlockNewtonConfig{Block: blockWidth, Every: directEvery, Workspace: work},
			After:  directAfter * g.Features(),
		})
		if err != nil {
			return nil, fmt.Errorf("varmodel: horizon %d: %w", h, err)
		}
		g.learners = append(g.learners, l)
	}
	return g, nil
}

// Features returns the number of features: an intercept, the lags, the forecasts of the source, the
// deviations from the local mean, and the exogenous inputs of one horizon.
func (g *directLearners) Features() int { return 1 + (directOrder+2)*g.dim + 3*g.inputs }

// FeaturesTo writes all features except the exogenous inputs, which are the last features.
func (g *directLearners) FeaturesTo(phi []float64, f *frame) {
	series.LagsTo(g.lags, f.scaler, &f.past, directOrder)
	phi[0] = 1
	n := copy(phi[1:], g.lags) + 1
	for i := n - 1; i > g.dim; i-- {
		phi[i] -= phi[i-g.dim]
	}
	n += copy(phi[n:], f.long)
	for j, v := range f.past.Lag(0) {
		phi[n+j] = f.local.Standardised(j, v)
	}
}

func (g *directLearners) State(c *snapshot.Codec) {
	c.Section("direct")
	for k, h := range g.steps {
		c.Optional(strconv.Itoa(h), func() { g.learners[k].State(c) })
	}
}
