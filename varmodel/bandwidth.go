package varmodel

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// medianDistance collects the first inputs of a model and returns the median of
// the distances between them: the bandwidth of a Gaussian kernel.
type medianDistance struct {
	dim, limit int
	points     []float64 // limit x dim
	count      int
	distances  []float64 // scratch of median; nil: allocated when it is called
}

func newMedianDistance(dim, limit int) *medianDistance {
	return &medianDistance{dim: dim, limit: limit, points: make([]float64, limit*dim)}
}

// add takes one input and reports whether the collection is complete.
func (m *medianDistance) add(x []float64) (full bool) {
	if m.count < m.limit {
		copy(m.points[m.count*m.dim:], x)
		m.count++
	}
	return m.count == m.limit
}

// median returns the median of the distances that are not zero, or 1. Its
// scratch memory is larger than many a model, and most need it only once.
func (m *medianDistance) median() float64 {
	q := m.distances[:0]
	if q == nil {
		q = make([]float64, 0, m.count*(m.count-1)/2)
	}
	for i := range m.count {
		a := m.points[i*m.dim : (i+1)*m.dim]
		for k := range i {
			var s float64
			for l, v := range m.points[k*m.dim : (k+1)*m.dim] {
				s += (a[l] - v) * (a[l] - v)
			}
			if s > 1e-12 {
				q = append(q, s)
			}
		}
	}
	if len(q) == 0 {
		return 1
	}
	slices.Sort(q)
	return math.Sqrt(q[len(q)/2])
}

func (m *medianDistance) State(c *snapshot.Codec) {
	c.Section("bandwidth")
	c.Index(&m.count, m.limit+1)
	c.Float64s(m.points)
}
