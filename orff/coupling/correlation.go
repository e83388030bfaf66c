package coupling

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
)

// Correlation estimates the correlation matrix of a stream of vectors, for a learnt Gamma: correlated outputs then share
// their weights.
type Correlation struct {
	p           int
	decay       float64
	weight      float64
	mean, delta []float64
	c           []float64 // weighted sum of products of deviations, p x p
}

// NewCorrelation returns the statistics of p coordinates. A sample has the weight decay^age, with decay in (0, 1]; 1
// forgets nothing.
func NewCorrelation(p int, decay float64) (*Correlation, error) {
	if p < 1 || !(decay > 0 && decay <= 1) {
		return nil, fmt.Errorf("orff: a running correlation needs p >= 1 and a decay in (0, 1], got %d and %g", p, decay)
	}
	return &Correlation{p: p, decay: decay, mean: make([]float64, p), delta: make([]float64, p), c: make([]float64, p*p)}, nil
}

// Observe adds a sample. It ignores a sample with a missing or infinite coordinate: the matrix stays positive
// semidefinite.
func (s *Correlation) Observe(y []float64) {
	if len(y) != s.p {
		panic(check.BadLength)
	}
	if !numeric.Finite(y) {
		return
	}
	old := s.decay * s.weight
	s.weight = old + 1
	for i := range y {
		s.delta[i] = y[i] - s.mean[i]
		s.mean[i] += s.delta[i] / s.weight
	}
	// The new deviations are (old/weight) times the old deviations: Welford's update, symmetric by construction.
	f := old / s.weight
	for i, a := range s.delta {
		for j, b := range s.delta {
			s.c[i*s.p+j] = s.decay*s.c[i*s.p+j] + f*(a*b)
		}
	}
}

// GammaTo writes (1 - shrink) C + shrink I into gamma, p x p row-major: C is the correlation matrix so far, and shrink
// is in [0, 1]. A coordinate without variance has correlation 0 with all others.
func (s *Correlation) GammaTo(gamma []float64, shrink float64) {
	if len(gamma) != s.p*s.p {
		panic(check.BadLength)
	}
	for i := range s.p {
		for j := range s.p {
			v := 0.0
			if d := s.c[i*s.p+i] * s.c[j*s.p+j]; d > 0 {
				v = (1 - shrink) * s.c[i*s.p+j] / math.Sqrt(d)
			}
			if i == j {
				v = 1
			}
			gamma[i*s.p+j] = v
		}
	}
}

// State saves or restores the statistics.
func (s *Correlation) State(c *snapshot.Codec) {
	c.Section("correlation")
	c.Float64(&s.weight)
	c.Float64s(s.mean)
	c.Float64s(s.c)
}
