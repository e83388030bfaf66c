package regression

import (
	"errors"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/series"
)

// Joint is a Forecaster that can leave out what it knows of each variable alone.
type Joint interface {
	// LeaveJoint stops moving the forecasts of a young series towards laws of each variable alone. The setting is not
	// part of the state.
	LeaveJoint()
}

// Differentiable is a Forecaster with a derivative of its one-step forecast.
type Differentiable interface {
	eval.Forecaster

	// Smooth returns nil, or the reason for the lack of a derivative.
	Smooth() error

	// Lags returns q, the number of lags in the derivative.
	Lags() int

	// JacobianTo writes the derivatives of the forecast with respect to the last q samples, dim x (q dim), in standard
	// deviations of the output per standard deviation of the input. The result is false before the first model forecast.
	JacobianTo(jac []float64) (ok bool)

	// DerivativeEvery returns the smallest affordable number of samples per derivative.
	DerivativeEvery() int
}

// gradient is a learner with a derivative of its output with respect to its input.
type gradient interface {
	Smooth() error

	// JacobianTo writes the derivative at the input x, outputs x inputs.
	JacobianTo(jac, x []float64)
}

// pullback is a design with a derivative of its features.
type pullback interface {
	Smooth() error

	// PullbackTo writes the gradient of w.phi with respect to the standardised lags to g, order x dim. phi holds the
	// features at these lags.
	PullbackTo(g, phi, w []float64, s *series.Scaler)
}

// inputPullback is a design whose features are the scaled lags themselves.
type inputPullback interface {
	// PullTo converts derivatives with respect to the features into derivatives with respect to the standardised lags.
	PullTo(jac []float64, s *series.Scaler)
}

// LinearLearner is a learner whose prediction is Theta phi.
type LinearLearner interface{ Weights() []float64 }

func (s *Series) Smooth() error {
	if l, ok := s.Model.Learner.(gradient); ok {
		return l.Smooth()
	}
	g, ok := s.Model.Design.(pullback)
	if !ok {
		return errors.New("each coordinate is forecast from its own past alone")
	}
	if _, ok := s.Model.Learner.(LinearLearner); !ok {
		return errors.New("its learner has no derivative")
	}
	return g.Smooth()
}

func (s *Series) Lags() int { return s.Model.Depth }

// DerivativeEvery implements Differentiable.
func (s *Series) DerivativeEvery() int { return 1 }

// JacobianTo implements Differentiable. The forecast is x^_i = x_i + unit_i h_i(z), so the derivative in standard
// deviations is unit_i/sd_i dh_i/dz, plus 1 for x_i itself.
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
		// A design keeps the lags of its last call, which may be for a later horizon, so compute the features again.
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
