package distance

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// Sample collects the first inputs of a stream. Its median distance is the bandwidth of a Gaussian kernel for such
// inputs.
type Sample struct {
	d, limit int
	points   []float64 // limit x d
	count    int
}

// NewSample returns an empty sample of at most limit inputs of length d.
func NewSample(d, limit int) *Sample {
	return &Sample{d: d, limit: limit, points: make([]float64, limit*d)}
}

// Add adds an input, unless the sample is full, and reports whether it is full now.
func (s *Sample) Add(x []float64) (full bool) {
	if s.count < s.limit {
		copy(s.points[s.count*s.d:], x)
		s.count++
	}
	return s.count == s.limit
}

// Points returns the inputs, row-major with rows of length d: a view.
func (s *Sample) Points() []float64 { return s.points[:s.count*s.d] }

// Median returns the (upper) median of the positive Euclidean distances between the inputs, or 1 if there is no positive
// distance. It allocates.
func (s *Sample) Median() float64 {
	squares := make([]float64, 0, s.count*(s.count-1)/2)
	for i := range s.count {
		a := s.points[i*s.d : (i+1)*s.d]
		for k := range i {
			var sum float64
			for l, v := range s.points[k*s.d : (k+1)*s.d] {
				sum += (a[l] - v) * (a[l] - v)
			}
			if sum > 1e-12 {
				squares = append(squares, sum)
			}
		}
	}
	if len(squares) == 0 {
		return 1
	}
	return math.Sqrt(selected(squares, len(squares)/2))
}

// selected returns the k-th smallest element of v, counted from 0, and reorders v. It takes linear time on average (Hoare
// 1961, median of three as the pivot). v must have no NaN.
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
		// Invariant: v[low:j+1] <= pivot <= v[i:high+1]. The elements between the two ranges equal the pivot.
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

// State saves or restores the inputs.
func (s *Sample) State(c *snapshot.Codec) {
	c.Section("distances")
	c.Index(&s.count, s.limit+1)
	c.Float64s(s.points)
}
