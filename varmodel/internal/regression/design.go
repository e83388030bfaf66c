package regression

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/varmodel/series"
)

// LagDesign is a design on the last lags of all coordinates. The features are an intercept and the lags, or random
// features of the lags, or both.
type LagDesign struct {
	dim, order int
	linear     bool
	random     *orff.Adaptive // nil: linear only
	Lags       []float64      // scratch, order x dim
	gradient   []float64      // scratch, order x dim
}

func NewLagDesign(dim, order int, linear bool, random *orff.Adaptive) *LagDesign {
	return &LagDesign{
		dim: dim, order: order, linear: linear, random: random,
		Lags: lanes.Rows(order, dim), gradient: make([]float64, order*dim),
	}
}

func (g *LagDesign) linearFeatures() int {
	if !g.linear {
		return 0
	}
	return 1 + g.order*g.dim
}

func (g *LagDesign) Features() int {
	n := g.linearFeatures()
	if g.random != nil {
		n += g.random.Len()
	}
	return n
}

func (g *LagDesign) Observe(s *series.Scaler, past *series.History) {
	if g.random != nil {
		series.LagsTo(g.Lags, s, past, g.order)
		g.random.Observe(g.Lags)
	}
}

func (g *LagDesign) FeaturesTo(phi []float64, s *series.Scaler, past *series.History) {
	series.LagsTo(g.Lags, s, past, g.order)
	n := g.linearFeatures()
	if g.linear {
		phi[0] = 1
		copy(phi[1:n], g.Lags)
		// Differences between the lags are far less correlated than the lags.
		for i := n - 1; i > g.dim; i-- {
			phi[i] -= phi[i-g.dim]
		}
	}
	if g.random != nil {
		g.random.FeaturesTo(phi[n:], g.Lags)
	}
}

func (g *LagDesign) State(c *snapshot.Codec) {
	if g.random != nil {
		g.random.State(c)
	}
}
