package auto

import (
	"errors"

	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// Smooth implements regression.Differentiable.
func (s *autoSeries) Smooth() error {
	for _, e := range s.m.experts {
		if e.order > 0 {
			return nil
		}
	}
	return errors.New("each coordinate is forecast from its own past alone")
}

// LeaveJoint implements regression.Joint.
func (s *autoSeries) LeaveJoint() { s.joint = true }

func (s *autoSeries) Lags() int { return s.m.depth }

// DerivativeEvery implements regression.Differentiable. A derivative of the mixture costs as much as a forecast
// of all experts.
func (s *autoSeries) DerivativeEvery() int { return 16 }

// JacobianTo implements regression.Differentiable. The mixture is linear in the forecasts f_k of its experts,
//
//	x^ = x + sum_k c_k (f_k - x),
//
// so its derivative is the sum of their derivatives with the coefficients c_k. Weights and statistics count as
// constants.
func (s *autoSeries) JacobianTo(jac []float64) bool {
	if !s.pending {
		return false
	}
	d := s.m.cfg.Dim
	n := len(jac) / d
	clear(jac)
	c, early := make([]float64, s.panel.mixture.experts), s.panel.youngFactor(s)
	var source []float64 // derivative of the source in the own lags, dim x lags
	if e := s.m.source; e != nil {
		source = make([]float64, d*s.Lags())
		for j := range d {
			e.ownGradientTo(source[j*s.Lags():(j+1)*s.Lags()], j, s.frameOf(e))
		}
	}
	own := make([]float64, s.Lags())
	for j := range d {
		row := jac[j*n : (j+1)*n]
		s.panel.mixture.coefficientsTo(c, j)
		row[j] = 1
		if o := s.exact.own[j]; o != nil && o.used {
			clear(c)
			row[j] = 0
			o.addGradient(row, j, d, s.exact.lags)
		}
		if s.m.repeats && s.remainder == nil {
			c[len(c)-1] = 0 // this expert forecasts the last value, too
		}
		if s.gate.shifted(j, 1) {
			clear(c)
			clear(row)
			row[j] = 1
		}
		factor := early
		if s.holds != nil {
			factor *= s.holds.factor(j)
		}
		for k := range c[1:] {
			c[k+1] *= factor
			row[j] -= c[k+1]
		}
		for k, e := range s.m.experts {
			switch {
			case c[k+1] == 0:
			case e.own > 0:
				clear(own)
				e.ownGradientTo(own, j, s.frameOf(e))
				for l, v := range own {
					row[l*d+j] += c[k+1] * v
				}
			default:
				e.addGradient(row, c[k+1], j, s.panel.phi[k], s.frame, source)
			}
		}
		// Units: standard deviations of the output per standard deviation of the input.
		for i := range row {
			if to := s.scaler.Sd[j]; to > 0 {
				row[i] *= s.scaler.Sd[i%d] / to
			} else {
				row[i] = 0
			}
		}
	}
	return true
}

// coefficientsTo writes the derivatives of the last mixture of coordinate j with respect to the forecasts of the
// experts. Persistence, the first expert, counts as constant.
func (m *mixture) coefficientsTo(dst []float64, j int) {
	clear(dst)
	weight := make([]float64, m.experts)
	m.aggregate.weightsTo(weight, j)
	if m.stack == nil {
		copy(dst, weight)
		return
	}
	aggregate := m.selection.Z[j]
	stacked := aggregate + m.stackOf(j, aggregate)
	z, both := make([]float64, m.experts), make([]float64, m.candidates())
	for k := range z {
		z[k] = m.aggregate.Z[k*m.aggregate.stride+j]
	}
	m.selection.weightsTo(both, j)
	low, high := 0, 0 // experts that bound the stack; persistence has the increment 0
	for k, v := range z {
		if v < z[low] {
			low = k
		}
		if v > z[high] {
			high = k
		}
	}
	theta := m.stack.Weights()
	var sum float64
	for _, v := range theta {
		sum += v
	}
	for k := range dst {
		dst[k] = both[0] * weight[k]
		switch {
		case stacked >= z[low] && stacked <= z[high]:
			dst[k] += both[1] * (weight[k] + theta[k] - sum*weight[k])
		case stacked < z[low] && k == low || stacked > z[high] && k == high:
			dst[k] += both[1]
		}
	}
}

// ownGradientTo writes the derivative of the forecast of coordinate j with respect to its own lags.
func (e *expert) ownGradientTo(dst []float64, j int, f *frame) {
	theta := e.ownWeights(j)
	dst[0] = 1
	if sd := f.scaler.Sd[j]; sd > 0 {
		dst[0] += f.scaler.Steps[j] * theta[1] / sd
	}
	for l, v := range theta[2:] { // weight of the increment from lag l+1 to lag l
		dst[l] += v
		dst[l+1] -= v
	}
}

// ownWeights returns the weights of coordinate j: intercept, value, then increments.
func (e *expert) ownWeights(j int) []float64 {
	if e.yuleWalker != nil {
		return e.yuleWalker.weightsOf(j)
	}
	return e.learner.(regression.PerCoordinate)[j].Weights()
}

// addGradient computes row += c * gradient, where gradient is the derivative of the forecast of coordinate j with
// respect to the lags. row is lags x dim.
func (e *expert) addGradient(row []float64, c float64, j int, phi []float64, f *frame, source []float64) {
	d, size := e.dim, e.order*e.dim
	m := len(phi)
	w := e.learner.(regression.LinearLearner).Weights()[j*m : (j+1)*m]
	_, units, _ := f.scale(e.target)
	unit := c * units[j]
	sd := f.scaler.Sd
	if e.target == localTarget {
		sd = f.local.sd
	}
	if e.target == incrementTarget {
		row[j] += c
	}
	add := func(i int, gradient float64) {
		if s := sd[i%d]; s > 0 {
			row[i] += unit * gradient / s
		}
	}
	n := 0
	if e.linear > 0 {
		for i := range size {
			v := w[1+i]
			if i+d < size {
				v -= w[1+i+d] // features are differences between the lags
			}
			add(i, e.linear*v)
		}
		n = 1 + size
	}
	if e.long {
		if source != nil {
			q := len(source) / d
			for i := range d {
				v := unit * e.linear * w[n+i] / f.scaler.Steps[i]
				for l, a := range source[i*q : (i+1)*q] {
					row[l*d+i] += v * a
				}
				row[i] -= v
			}
		}
		n += d
	}
	n += 2 * e.inputs
	if e.random == nil {
		return
	}
	end := n + e.random.Len()
	gradient := make([]float64, size)
	e.random.GradientTo(gradient, phi[n:end], w[n:end])
	for i, v := range gradient {
		add(i, v)
	}
}
