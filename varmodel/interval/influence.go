package interval

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// NewInfluence returns m with forecasters that are also eval.Influencers. The
// forecasts stay the same. With dim coordinates a sample costs dim evaluations of
// the gradient of the model.
//
// The derivatives are exact, in closed form, for the forecast before it is limited to the range of the data. In their
// averages a sample has the weight forgetting^age; 0 means 0.999. The error is the reason why the model has no derivative:
// frequencies without a variance (Laplacian), features that are constant almost everywhere (angular), or no dependence on
// the other variables. A model of auto.New is differentiated at every 16th sample.
func NewInfluence(m eval.Model, dim int, forgetting float64) (eval.Model, error) {
	check.SetDefault(&forgetting, 0.999)
	if err := check.Forgetting(forgetting); err != nil {
		return nil, err
	}
	s, ok := m.NewSeries().(regression.Differentiable)
	if !ok {
		return nil, errors.New("varmodel: the model has no derivative in the other variables")
	}
	if err := s.Smooth(); err != nil {
		return nil, fmt.Errorf("varmodel: no influence: %w", err)
	}
	every := s.DerivativeEvery()
	return &influence{Model: m, dim: dim, forgetting: math.Pow(forgetting, float64(every)), every: every}, nil
}

type influence struct {
	eval.Model
	dim        int
	forgetting float64 // from one derivative to the next
	every      int     // number of samples from one derivative to the next
}

func (m *influence) NewSeries() eval.Forecaster {
	s := m.Model.NewSeries().(regression.Differentiable)
	return &influenceSeries{
		wrapper: wrapper{s}, inner: s, m: m,
		jac: make([]float64, m.dim*m.dim*s.Lags()),
		abs: make([]float64, m.dim*m.dim), sum: make([]float64, m.dim*m.dim),
	}
}

type influenceSeries struct {
	wrapper
	inner    regression.Differentiable
	m        *influence
	samples  int // since the last derivative
	weight   float64
	abs, sum []float64 // weighted sums of |J| and J over the lags
	jac      []float64 // scratch
}

func (s *influenceSeries) Observe(y []float64) error {
	if err := s.inner.Observe(y); err != nil {
		return err
	}
	if s.samples++; s.samples < s.m.every || !s.inner.JacobianTo(s.jac) {
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
