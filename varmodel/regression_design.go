package varmodel

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/orff"
)

// lagDesign has the last lags of all coordinates as its input: an intercept and
// the lags themselves, random features of them, or both.
type lagDesign struct {
	dim, order int
	linear     bool
	random     *orff.Adaptive // nil: linear only
	lags       []float64      // scratch, order x dim
	gradient   []float64      // scratch, order x dim
}

func newLagDesign(dim, order int, linear bool, random *orff.Adaptive) *lagDesign {
	return &lagDesign{
		dim: dim, order: order, linear: linear, random: random,
		lags: lanes.Rows(order, dim), gradient: make([]float64, order*dim),
	}
}

func (g *lagDesign) linearFeatures() int {
	if !g.linear {
		return 0
	}
	return 1 + g.order*g.dim
}

func (g *lagDesign) features() int {
	n := g.linearFeatures()
	if g.random != nil {
		n += g.random.Len()
	}
	return n
}

func (g *lagDesign) observe(s *scaler, past *history) {
	if g.random != nil {
		lagsTo(g.lags, s, past, g.order)
		g.random.Observe(g.lags)
	}
}

func (g *lagDesign) featuresTo(phi []float64, s *scaler, past *history) {
	lagsTo(g.lags, s, past, g.order)
	n := g.linearFeatures()
	if g.linear {
		phi[0] = 1
		copy(phi[1:n], g.lags)
		// Differences between the lags are far less correlated than the lags.
		for i := n - 1; i > g.dim; i-- {
			phi[i] -= phi[i-g.dim]
		}
	}
	if g.random != nil {
		g.random.FeaturesTo(phi[n:], g.lags)
	}
}

func (g *lagDesign) State(c *snapshot.Codec) {
	if g.random != nil {
		g.random.State(c)
	}
}

// lagsTo writes the standardised lags z_t, z_{t-1}, …, order x dim.
func lagsTo(dst []float64, s *scaler, past *history, order int) {
	standardisedTo(dst, s.mean, s.inverse, past, order)
}

// standardisedTo writes the lags less the means, times the inverse scales, limited.
// dst needs room behind it: see lanes.Rows.
func standardisedTo(dst, mean, inverse []float64, past *history, order int) {
	newest, d := past.row(0), past.dim
	n := min(order, newest+1) // those before the rows begin again at the end
	lanes.Standardise(dst[:n*d], past.rows[(newest+1-n)*d:(newest+1)*d], mean, inverse, inputLimit)
	if n < order {
		lanes.Standardise(dst[n*d:order*d], past.rows[(past.size-order+n)*d:], mean, inverse, inputLimit)
	}
}
