package regression

import (
	"errors"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/series"
)

// Differentiable is a Forecaster that knows the derivative of its one-step forecast.
type Differentiable interface {
	eval.Forecaster

	// smooth returns the reason why there is no derivative, or nil.
	Smooth() error

	// lags returns q.
	Lags() int

	// jacobianTo writes the derivatives of the forecast in the last q samples, dim
	// x q*dim: standard deviations of the output for one of the input. It returns
	// false while nothing was learnt.
	JacobianTo(jac []float64) (ok bool)

	// DerivativeEvery returns the number of samples per derivative that its cost allows.
	DerivativeEvery() int
}

// gradient is a learner that knows the derivative of its output in its input.
type gradient interface {
	Smooth() error

	// jacobianTo writes it, outputs x inputs.
	JacobianTo(jac, x []float64)
}

// pullback is a design that knows the derivative of its features.
type pullback interface {
	Smooth() error

	// pullbackTo writes the gradient of w.phi in the standardised lags into g,
	// order*dim; phi are the features there.
	PullbackTo(g, phi, w []float64, s *series.Scaler)
}

// inputPullback is a design whose features are the scaled lags themselves.
type inputPullback interface {
	// PullTo turns derivatives in the features into those in the standardised lags.
	PullTo(jac []float64, s *series.Scaler)
}

// LinearLearner is a learner whose prediction is Theta phi.
type LinearLearner interface{ Weights() []float64 }

func (s *Series) Smooth() error {
	if l, ok := s.Model.Learner.(gradient); ok {
		return l.Smooth()
	}
	_, linear := s.Model.Learner.(LinearLearner)
	if g, ok := s.Model.Design.(pullback); ok && linear {
		return g.Smooth()
	}
	return errors.New("each coordinate is forecast from its own past alone")
}

func (s *Series) Lags() int { return s.Model.Depth }

// DerivativeEvery implements differentiable.
func (s *Series) DerivativeEvery() int { return 1 }

// JacobianTo: x^_i = x_i + unit_i h_i(z), so in standard deviations the derivative
// is unit_i/sd_i dh_i/dz, plus 1 for x_i itself.
func (s *Series) JacobianTo(jac []float64) bool {
	if !s.pending {
		return false
	}
	d := s.Model.Dim
	n := len(jac) / d
	if math.IsNaN(s.Phi[0]) { // a kernel without its bandwidth
		return false
	}
	if l, ok := s.Model.Learner.(gradient); ok {
		l.JacobianTo(jac, s.Phi)
		s.Model.Design.(inputPullback).PullTo(jac, s.Scaler)
	} else {
		w := s.Model.Learner.(LinearLearner).Weights()
		m, lags := len(s.Phi), s.Model.Design.Features()
		// A design remembers the lags that it was asked for last: of a later horizon.
		s.Model.Design.FeaturesTo(s.Phi[:lags], s.Scaler, s.Past)
		for i := range d {
			s.Model.Design.(pullback).PullbackTo(jac[i*n:(i+1)*n], s.Phi[:lags], w[i*m:i*m+lags], s.Scaler)
		}
	}
	for i := range d {
		row := jac[i*n : (i+1)*n]
		if s.Scaler.Sd[i] == 0 {
			clear(row)
			continue
		}
		f := s.Unit[i] / s.Scaler.Sd[i]
		for k := range row {
			row[k] *= f
		}
		row[i]++
	}
	return true
}

func (g *LagDesign) Smooth() error { return nil }

// PullbackTo implements pullback. Feature l of the linear part is z_l - z_{l-1}.
func (g *LagDesign) PullbackTo(dst, phi, w []float64, _ *series.Scaler) {
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
