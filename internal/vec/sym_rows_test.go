package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// AddRows agrees with Scale and one Rank1 per row.
func TestSymAddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, n := range []int{0, 1, 7, 8, 13, 40} {
		for _, k := range []int{0, 1, 5, 20} {
			a, b := NewSym(n), NewSym(n)
			for _, s := range []*Sym{a, b} {
				s.SetIdentity(2)
				s.Scale(.5)
			}
			x := make([]float64, k*a.Stride())
			b.Scale(.75)
			for i := range k {
				row := x[i*a.Stride() : i*a.Stride()+n]
				for j := range row {
					row[j] = rng.NormFloat64()
				}
				b.Rank1(1, row)
			}
			a.AddRows(.75, x)
			for i := range n {
				for j := range n {
					// k products of size 1 are added in different orders.
					if d := math.Abs(a.At(i, j) - b.At(i, j)); !(d <= 1e-13) {
						t.Fatalf("n=%d k=%d: element %d, %d differs by %g", n, k, i, j, d)
					}
				}
			}
		}
	}
}

// Every element has its last Set value, or that of SetLower, in both places, for any matrix.
func TestSymSet(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(12, 12))
		for _, n := range []int{1, 7, 8, 9, 20} {
			s, want := NewSym(n), make([]float64, n*n)
			s.SetIdentity(3)
			s.Rank1(.5, isatest.Vector(t, rng, n))
			s.Scale(.25)
			lower := make([]float64, n*(n+1))
			for i, at := 0, 0; i < n; i++ {
				for j := range i + 1 {
					v := rng.NormFloat64()
					s.Set(i, j, v)
					want[i*n+j], want[j*n+i], lower[at] = v, v, v
					at += 2
				}
			}
			for range 2 {
				for i := range n {
					row, x := make([]float64, n), make([]float64, n)
					x[i] = 1
					s.MatVec(row, x) // reads both halves of the tiles
					sameBits(t, "row", row, want[i*n:(i+1)*n])
				}
				s.Rank1(-2, isatest.Vector(t, rng, n))
				s.Scale(3)
				s.SetLower(lower, 2)
			}
		}
	})
}

// Add adds the elements, for any collected terms and scales of the two matrices.
func TestSymAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for _, n := range []int{0, 1, 8, 13} {
		var m [2]*Sym
		for i := range m {
			m[i] = NewSym(n)
			m[i].SetIdentity(3)
			m[i].Scale(.3)
			row := make([]float64, n)
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			m[i].Rank1(-1, row)
		}
		a, b := m[0], m[1]
		want := make([]float64, 0, n*n)
		for i := range n {
			for j := range n {
				want = append(want, a.At(i, j)+.25*b.At(i, j))
			}
		}
		a.Add(.25, b)
		for i := range n {
			for j := range n {
				if d := math.Abs(a.At(i, j) - want[i*n+j]); !(d <= 1e-14) { // rounding of scales
					t.Fatalf("n=%d: element %d, %d differs by %g", n, i, j, d)
				}
			}
		}
	}
}
