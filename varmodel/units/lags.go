package units

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/orff/distance"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

// Scale is the scale in which a kernel gets the values.
type Scale int

const (
	// Standardised inputs are (x - mean)/sd, limited to +-10, divided by the
	// bandwidth.
	Standardised Scale = iota

	// Ranged inputs are the position of a value between the smallest and the
	// largest so far, in [0, 1], divided by the bandwidth: for kernels of positive
	// inputs (skewed chi-squared, semigroups).
	Ranged

	// Common inputs are (x - mean)/s, limited to +-10, divided by the bandwidth, with
	// one scale s for all coordinates, the root mean square of their standard
	// deviations: for vector fields, whose law holds in the units of the data. It
	// belongs with increments in one unit.
	Common
)

// Warmup is the number of inputs that give the bandwidth of a kernel. Until
// then a kernel model forecasts that nothing changes.
const Warmup = 100

// Lags are the inputs of a kernel: the last samples in a Scale, newest first,
// divided by a bandwidth, NaN until that is known. The division gives every
// kernel its bandwidth; the maps themselves are drawn for bandwidth 1.
type Lags struct {
	dim, order int
	scale      Scale
	factor     float64 // bandwidth in units of the median distance
	sigma      float64 // 0 until known
	warm       *distance.Sample
	x          []float64 // scratch, order x dim
	inverse    []float64 // scratch of Common, dim: 1/s in each coordinate
}

// NewLags returns the inputs of order samples of dim coordinates. Their bandwidth is factor times the
// median distance between the first 100 inputs; factor 0 means 1.
func NewLags(dim, order int, scale Scale, factor float64) (*Lags, error) {
	if scale < Standardised || scale > Common {
		return nil, fmt.Errorf("varmodel: Inputs %d is unknown", int(scale))
	}
	check.SetDefault(&factor, 1)
	if err := check.Positive("Bandwidth", factor); err != nil {
		return nil, err
	}
	return &Lags{
		dim: dim, order: order, scale: scale, factor: factor,
		warm: distance.NewSample(dim*order, Warmup),
		x:    lanes.Rows(order, dim), inverse: lanes.Rows(1, dim),
	}, nil
}

// WarmUpOver has the bandwidth from the first n inputs. It comes before the first of them.
func (g *Lags) WarmUpOver(n int) { g.warm = distance.NewSample(g.dim*g.order, n) }

// Features is the length of an input.
func (g *Lags) Features() int { return g.dim * g.order }

// Bandwidth is 0 until it is known.
func (g *Lags) Bandwidth() float64 { return g.sigma }

// Points returns the inputs that give the bandwidth, not yet divided by it: a view.
func (g *Lags) Points() []float64 { return g.warm.Points() }

// Observe takes the last lags of past for the bandwidth, unless that is known.
func (g *Lags) Observe(s *series.Scaler, past *series.History) {
	if g.sigma != 0 {
		return
	}
	g.lagsTo(g.x, s, past)
	if g.warm.Add(g.x) {
		g.sigma = g.factor * g.warm.Median()
	}
}

// FeaturesTo writes the input at the end of past.
func (g *Lags) FeaturesTo(x []float64, s *series.Scaler, past *series.History) {
	if g.sigma == 0 {
		for i := range x {
			x[i] = math.NaN()
		}
		return
	}
	g.lagsTo(g.x, s, past)
	for i, v := range g.x {
		x[i] = v / g.sigma
	}
}

// lagsTo writes the lags, order x dim, before the bandwidth.
func (g *Lags) lagsTo(x []float64, s *series.Scaler, past *series.History) {
	switch g.scale {
	case Standardised:
		series.LagsTo(x, s, past, g.order)
		return
	case Common:
		inverse := 1 / RootMeanSquare(s.Sd)
		for j := range g.inverse {
			g.inverse[j] = inverse
		}
		series.StandardisedTo(x, s.Mean, g.inverse, past, g.order)
		return
	}
	for l := range g.order {
		row := x[l*g.dim : (l+1)*g.dim]
		for j, v := range past.Lag(l) {
			row[j] = 0.5
			if span := s.High[j] - s.Low[j]; span > 0 {
				row[j] = min(max((v-s.Low[j])/span, 0), 1)
			}
		}
	}
}

// PullTo multiplies column (l, j) of the derivatives in the inputs, dim x
// order*dim, by the derivative of that input in x_j, in standard deviations.
func (g *Lags) PullTo(jac []float64, s *series.Scaler) {
	for k := range jac {
		j := k % g.dim
		f := 1.0
		switch {
		case s.Sd[j] == 0:
			f = 0
		case g.scale == Ranged:
			f = s.Sd[j] / (s.High[j] - s.Low[j])
		case g.scale == Common:
			f = s.Sd[j] / RootMeanSquare(s.Sd)
		}
		jac[k] *= f / g.sigma
	}
}

func (g *Lags) State(c *snapshot.Codec) {
	c.Section("kernel-input")
	c.Float64(&g.sigma)
	g.warm.State(c)
}
