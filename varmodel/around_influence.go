package varmodel

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// NewInfluence returns m with forecasters that are also eval.Influencers. The
// forecasts stay the same. With dim coordinates a sample costs dim evaluations of
// the gradient of the model.
//
// The derivatives are exact, in closed form, of the forecast before it is limited
// to the range of the data. Their averages give a sample the weight
// forgetting^age; 0 means 0.999. The error is the reason why the model has no
// derivative: frequencies without a variance (Laplacian), features that are
// constant almost everywhere (angular), no dependence on the other variables.
// A model of NewAuto is differentiated at every 16th sample.
func NewInfluence(m eval.Model, dim int, forgetting float64) (eval.Model, error) {
	setDefault(&forgetting, 0.999)
	if err := checkForgetting(forgetting); err != nil {
		return nil, err
	}
	s, ok := m.NewSeries().(differentiable)
	if !ok {
		return nil, errors.New("varmodel: the model has no derivative in the other variables")
	}
	if err := s.smooth(); err != nil {
		return nil, fmt.Errorf("varmodel: no influence: %w", err)
	}
	every := 1
	if _, ok := m.(*auto); ok {
		every = influenceEvery
	}
	return &influence{Model: m, dim: dim, forgetting: math.Pow(forgetting, float64(every)), every: every}, nil
}

// differentiable is a Forecaster that knows the derivative of its one-step forecast.
type differentiable interface {
	eval.Forecaster

	// observe is Observe, but another target is learnt in place of y.
	observe(y, target []float64) error

	// smooth returns the reason why there is no derivative, or nil.
	smooth() error

	// lags returns q.
	lags() int

	// jacobianTo writes the derivatives of the forecast in the last q samples, dim
	// x q*dim: standard deviations of the output for one of the input. It returns
	// false while nothing was learnt.
	jacobianTo(jac []float64) (ok bool)
}

// influenceEvery is the number of samples per derivative of a mixture, which costs as much
// as all its experts.
const influenceEvery = 16

type influence struct {
	eval.Model
	dim        int
	forgetting float64 // from one derivative to the next
	every      int     // samples
}

func (m *influence) NewSeries() eval.Forecaster {
	s := m.Model.NewSeries().(differentiable)
	return &influenceSeries{
		wrapper: wrapper{s}, inner: s, m: m,
		jac: make([]float64, m.dim*m.dim*s.lags()),
		abs: make([]float64, m.dim*m.dim), sum: make([]float64, m.dim*m.dim),
	}
}

type influenceSeries struct {
	wrapper
	inner    differentiable
	m        *influence
	samples  int // since the last derivative
	weight   float64
	abs, sum []float64 // weighted sums of |J| and J over the lags
	jac      []float64 // scratch
}

func (s *influenceSeries) Observe(y []float64) error { return s.observe(y, y) }

func (s *influenceSeries) observe(y, target []float64) error {
	if err := s.inner.observe(y, target); err != nil {
		return err
	}
	if s.samples++; s.samples < s.m.every || !s.inner.jacobianTo(s.jac) {
		return nil
	}
	s.samples = 0
	d, n := s.m.dim, len(s.jac)/s.m.dim
	f := s.m.forgetting
	s.weight = f*s.weight + 1
	for i := range d {
		row := s.jac[i*n : (i+1)*n]
		for j := range d {
			var a, v float64
			for k := j; k < n; k += d {
				a += math.Abs(row[k])
				v += row[k]
			}
			s.abs[i*d+j] = f*s.abs[i*d+j] + a
			s.sum[i*d+j] = f*s.sum[i*d+j] + v
		}
	}
	return nil
}

// InfluenceTo implements eval.Influencer.
func (s *influenceSeries) InfluenceTo(dst []float64) bool {
	if len(dst) != len(s.abs) {
		panic("varmodel: InfluenceTo: wrong length")
	}
	if s.weight == 0 {
		return false
	}
	for k, a := range s.abs {
		dst[k] = math.Copysign(a/s.weight, s.sum[k])
	}
	return true
}

func (s *influenceSeries) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	c.Optional("influence", func() {
		c.Int(&s.samples)
		c.Float64(&s.weight)
		c.Float64s(s.abs)
		c.Float64s(s.sum)
	})
}

// gradient is a learner that knows the derivative of its output in its input.
type gradient interface {
	smooth() error

	// jacobianTo writes it, outputs x inputs.
	jacobianTo(jac, x []float64)
}

// pullback is a design that knows the derivative of its features.
type pullback interface {
	smooth() error

	// pullbackTo writes the gradient of w.phi in the standardised lags into g,
	// order*dim; phi are the features there.
	pullbackTo(g, phi, w []float64, s *scaler)
}

// linearLearner is one whose prediction is Theta phi.
type linearLearner interface{ Weights() []float64 }

func (s *regressionSeries) smooth() error {
	if l, ok := s.m.learner.(gradient); ok {
		return l.smooth()
	}
	_, linear := s.m.learner.(linearLearner)
	if g, ok := s.m.design.(pullback); ok && linear {
		return g.smooth()
	}
	return errors.New("each coordinate is forecast from its own past alone")
}

func (s *regressionSeries) lags() int { return s.m.depth }

// jacobianTo: x^_i = x_i + unit_i h_i(z), so in standard deviations the derivative
// is unit_i/sd_i dh_i/dz, plus 1 for x_i itself.
func (s *regressionSeries) jacobianTo(jac []float64) bool {
	if !s.pending {
		return false
	}
	d := s.m.dim
	n := len(jac) / d
	if math.IsNaN(s.phi[0]) { // a kernel without its bandwidth
		return false
	}
	if l, ok := s.m.learner.(gradient); ok {
		l.jacobianTo(jac, s.phi)
		s.m.design.(*kernelInput).pullTo(jac, s.scaler)
	} else {
		w := s.m.learner.(linearLearner).Weights()
		m, lags := len(s.phi), s.m.design.features()
		// A design remembers the lags that it was asked for last: of a later horizon.
		s.m.design.featuresTo(s.phi[:lags], s.scaler, s.past)
		for i := range d {
			s.m.design.(pullback).pullbackTo(jac[i*n:(i+1)*n], s.phi[:lags], w[i*m:i*m+lags], s.scaler)
		}
	}
	for i := range d {
		row := jac[i*n : (i+1)*n]
		if s.scaler.sd[i] == 0 {
			clear(row)
			continue
		}
		f := s.unit[i] / s.scaler.sd[i]
		for k := range row {
			row[k] *= f
		}
		row[i]++
	}
	return true
}

func (d *descent) smooth() error { return d.rough }

func (g *lagDesign) smooth() error { return nil }

// pullbackTo implements pullback. Feature l of the linear part is z_l - z_{l-1}.
func (g *lagDesign) pullbackTo(dst, phi, w []float64, _ *scaler) {
	clear(dst)
	n := g.linearFeatures()
	if g.linear {
		for i := range dst {
			dst[i] = w[1+i]
			if next := 1 + i + g.dim; next < n {
				dst[i] -= w[next]
			}
		}
	}
	if g.random == nil {
		return
	}
	g.random.GradientTo(g.gradient, phi[n:], w[n:])
	for i, v := range g.gradient {
		dst[i] += v
	}
}
