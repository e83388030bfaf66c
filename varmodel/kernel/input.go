package kernel

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/orff/distance"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

// InputScale is the scale in which a kernel gets the values.
type InputScale int

const (
	// Standardised inputs are (x - mean)/sd, limited to +-10, divided by the
	// bandwidth.
	Standardised InputScale = iota

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

// kernelWarmup is the number of inputs from which the bandwidth of a kernel is
// taken. Until then a kernel model forecasts that nothing changes.
const kernelWarmup = 100

// KernelInput is the design of the kernel models: the last lags of all
// coordinates themselves, divided by a bandwidth, NaN until that is known.
// Dividing the inputs gives every kernel its bandwidth in the same way, the
// maps themselves are drawn for bandwidth 1.
type KernelInput struct {
	dim, order int
	scale      InputScale
	factor     float64 // bandwidth in units of the median distance
	sigma      float64 // 0 until known
	warm       *distance.Sample
	x          []float64 // scratch, order x dim
	inverse    []float64 // scratch of Common, dim: 1/s in each coordinate
}

func NewKernelInput(dim, order int, scale InputScale, factor float64) (*KernelInput, error) {
	if scale < Standardised || scale > Common {
		return nil, fmt.Errorf("varmodel: Inputs %d is unknown", int(scale))
	}
	check.SetDefault(&factor, 1)
	if err := check.Positive("Bandwidth", factor); err != nil {
		return nil, err
	}
	return &KernelInput{
		dim: dim, order: order, scale: scale, factor: factor,
		warm: distance.NewSample(dim*order, kernelWarmup),
		x:    lanes.Rows(order, dim), inverse: lanes.Rows(1, dim),
	}, nil
}

func (g *KernelInput) Features() int { return g.dim * g.order }

func (g *KernelInput) Observe(s *series.Scaler, past *series.History) {
	if g.sigma != 0 {
		return
	}
	g.lagsTo(g.x, s, past)
	if g.warm.Add(g.x) {
		g.sigma = g.factor * g.warm.Median()
	}
}

func (g *KernelInput) FeaturesTo(x []float64, s *series.Scaler, past *series.History) {
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
func (g *KernelInput) lagsTo(x []float64, s *series.Scaler, past *series.History) {
	switch g.scale {
	case Standardised:
		series.LagsTo(x, s, past, g.order)
		return
	case Common:
		inverse := 1 / regression.RootMeanSquare(s.Sd)
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
func (g *KernelInput) PullTo(jac []float64, s *series.Scaler) {
	for k := range jac {
		j := k % g.dim
		f := 1.0
		switch {
		case s.Sd[j] == 0:
			f = 0
		case g.scale == Ranged:
			f = s.Sd[j] / (s.High[j] - s.Low[j])
		case g.scale == Common:
			f = s.Sd[j] / regression.RootMeanSquare(s.Sd)
		}
		jac[k] *= f / g.sigma
	}
}

func (g *KernelInput) State(c *snapshot.Codec) {
	c.Section("kernel-input")
	c.Float64(&g.sigma)
	g.warm.State(c)
}
