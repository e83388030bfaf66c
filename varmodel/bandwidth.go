package varmodel

import (
	"math"

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
	return math.Sqrt(selected(q, len(q)/2))
}

// selected returns the number that sorting v would bring to place k, in linear
// time on average, and reorders v (Hoare 1961, with the median of three as the
// pivot). There must be no NaN.
func selected(v []float64, k int) float64 {
	low, high := 0, len(v)-1
	for low < high {
		a, b, c := v[low], v[low+(high-low)/2], v[high]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := low, high
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		// v[low:j+1] <= pivot <= v[i:high+1], and what is between is the pivot.
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return pivot
		}
	}
	return v[k]
}

func (m *medianDistance) State(c *snapshot.Codec) {
	c.Section("bandwidth")
	c.Index(&m.count, m.limit+1)
	c.Float64s(m.points)
}
