package streamtest

import (
	"errors"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
)

// Drift is a model for tests. With mean difference d and mean absolute one-step error e, its forecast and bounds
// are
//
//	yhat(h) = last value + h d,  yhat(h) -/+ (level rank + 1) h e.
//
// Its series share the mean differences; lags and errors are per series. The sample Poison makes the mean
// differences NaN, like a divergence.
type Drift struct {
	dim, horizon, levels int
	sum, n               []float64 // sum and number of the differences
}

// Poison is the value at which Drift diverges.
const Poison = 666

// NewDrift returns a Drift without samples.
func NewDrift(dim, horizon, levels int) *Drift {
	return &Drift{dim: dim, horizon: horizon, levels: levels, sum: make([]float64, dim), n: make([]float64, dim)}
}

// NewSeries implements eval.Model.
func (m *Drift) NewSeries() eval.Forecaster {
	s := &driftSeries{m: m, last: make([]float64, m.dim), ae: make([]float64, m.dim), n: make([]float64, m.dim)}
	s.ResetLags()
	return s
}

// State implements eval.Model.
func (m *Drift) State(c *snapshot.Codec) {
	c.Section("drift")
	c.Float64s(m.sum)
	c.Float64s(m.n)
}

func (m *Drift) mean(j int) float64 { return m.sum[j] / math.Max(m.n[j], 1) }

type driftSeries struct {
	m           *Drift
	last, ae, n []float64
}

func (s *driftSeries) Observe(y []float64) error {
	for j, v := range y {
		if math.IsInf(v, 0) {
			return errors.New("streamtest: infinite value")
		}
		if v == Poison {
			s.m.sum[j] = math.NaN()
		}
		if d := v - s.last[j]; !math.IsNaN(d) {
			s.ae[j] += math.Abs(d - s.m.mean(j))
			s.n[j]++
			s.m.sum[j] += d
			s.m.n[j]++
		}
		if !math.IsNaN(v) {
			s.last[j] = v
		}
	}
	return nil
}

func (s *driftSeries) ForecastTo(dst []float64) bool {
	for j, v := range s.last {
		if math.IsNaN(v) {
			return false
		}
		for h := range s.m.horizon {
			dst[h*s.m.dim+j] = v + float64(h+1)*s.m.mean(j)
		}
	}
	return true
}

func (s *driftSeries) BoundsTo(lower, upper []float64) bool {
	i := 0
	for l := range s.m.levels {
		for h := range s.m.horizon {
			for j, v := range s.last {
				if s.n[j] < 2 {
					return false
				}
				yhat := v + float64(h+1)*s.m.mean(j)
				half := float64((l+1)*(h+1)) * s.ae[j] / s.n[j]
				lower[i], upper[i] = yhat-half, yhat+half
				i++
			}
		}
	}
	return true
}

func (s *driftSeries) ResetLags() {
	for j := range s.last {
		s.last[j] = math.NaN()
	}
}

func (s *driftSeries) State(c *snapshot.Codec) {
	c.Section("drift series")
	c.Float64s(s.last)
	c.Float64s(s.ae)
	c.Float64s(s.n)
}
