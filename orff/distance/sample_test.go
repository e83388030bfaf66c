package distance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The selected k-th element is the k-th of the sorted numbers, bit for bit, for orders and ties that are hard for a
// pivot.
func TestSelectedIsTheSortedOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 4, 7, 100, 1000} {
		for name, value := range map[string]func(i int) float64{
			"random":     func(int) float64 { return r.ExpFloat64() },
			"ties":       func(int) float64 { return float64(r.IntN(3)) },
			"equal":      func(int) float64 { return 4 },
			"ascending":  func(i int) float64 { return float64(i) },
			"descending": func(i int) float64 { return float64(-i) },
			"pipes":      func(i int) float64 { return float64(min(i, n-i)) },
			"infinite":   func(i int) float64 { return math.Inf(i%3 - 1) },
		} {
			v := make([]float64, n)
			for i := range v {
				v[i] = value(i)
			}
			sorted := slices.Sorted(slices.Values(v))
			for _, k := range []int{0, n / 3, n / 2, n - 1} {
				if got := selected(slices.Clone(v), k); got != sorted[k] {
					t.Errorf("%s: number %d of %d is %g, sorted %g", name, k, n, got, sorted[k])
				}
			}
		}
	}
}

// The median of the distances is the upper median of their sorted list.
func TestSampleIsTheSortedOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{2, 3, 30, 100} {
		const dim = 4
		m := NewSample(dim, n)
		points := make([][]float64, n)
		for i := range points {
			points[i] = make([]float64, dim)
			for l := range points[i] {
				points[i][l] = math.Round(8 * r.NormFloat64()) // some distances are equal
			}
			m.Add(points[i])
		}
		var squares []float64
		for i, a := range points {
			for _, b := range points[:i] {
				var s float64
				for l := range a {
					s += (a[l] - b[l]) * (a[l] - b[l])
				}
				if s > 0 {
					squares = append(squares, s)
				}
			}
		}
		slices.Sort(squares)
		if want := math.Sqrt(squares[len(squares)/2]); m.Median() != want {
			t.Errorf("%d points: %g, sorted %g", n, m.Median(), want)
		}
	}
}

func TestSampleOfEqualPoints(t *testing.T) {
	m := NewSample(1, 2)
	m.Add([]float64{3})
	m.Add([]float64{3})
	if got := m.Median(); got != 1 {
		t.Errorf("median %g without a positive distance", got)
	}
}

func BenchmarkSample(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	m := NewSample(5, 100)
	x := make([]float64, 5)
	for range 100 {
		for l := range x {
			x[l] = r.NormFloat64()
		}
		m.Add(x)
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Median()
	}
}
