package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/tools/isatest"
)

func newUDU(n int, work *UDUScratch) *UDU {
	s := NewUDU(n, work)
	s.SetIdentity(2)
	return s
}

// elements returns the elements of s, row-major.
func elements(s *UDU) []float64 {
	c := NewSym(s.n)
	s.CopyTo(c)
	a := make([]float64, 0, s.n*s.n)
	for i := range s.n {
		for j := range s.n {
			a = append(a, c.At(i, j))
		}
	}
	return a
}

func TestUDUEqualsDense(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		var work UDUScratch // shared by all orders
		for _, n := range []int{97, 1, 2, 7, 8, 9, 13, 16, 17, 31, 32, 33, 49, 64, 108} {
			s, d := newUDU(n, &work), dense{n, make([]float64, n*n)}
			for i := range n {
				d.a[i*n+i] = 2
			}
			gain := make([]float64, n)
			// Up to 2 n products and 40 steps have rounding errors of 6e-8 in random directions. Elements are below 2
			// 1.02^20.
			const tol = 1e-5
			observe := func(h float64, x []float64) {
				t.Helper()
				want, leverage := d.matVec(x), 0.
				for i, v := range want {
					leverage += v * x[i]
				}
				near(t, "leverage / want", h/leverage, 1, tol)
				s.Observe(gain, .5)
				for i, v := range want {
					near(t, "gain", gain[i], v, tol*math.Sqrt(leverage))
				}
				d.rank1(-1/(.5+leverage), want)
			}
			for step := range 20 {
				x, i := randomVector(rng, n), step*7%n
				observe(s.Project(x), x)
				observe(s.ProjectUnit(i), unit(n, i))
				s.Scale(1.02)
				for i := range d.a {
					d.a[i] *= 1.02
				}
			}
			for i, v := range elements(s) {
				near(t, "element", v, d.a[i], tol)
			}
			for j := n; j < s.columns(); j++ {
				for _, v := range s.u[s.column(j):] {
					if v != 0 {
						t.Fatalf("n=%d: column %d is %v", n, j, v)
					}
				}
			}
		}
	})
}

// All elements of D stay positive after any observation, so the matrix stays positive definite.
func TestUDUStaysPositive(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		const n = 40
		s, gain := newUDU(n, new(UDUScratch)), make([]float64, n)
		same := randomVector(rng, n)
		for step := range 3000 {
			x := randomVector(rng, n)
			switch step % 4 {
			case 0:
				copy(x, same)
			case 1:
				Scale(math.Pow(10, float64(step%31-15)), x)
			case 2:
				for i := range x {
					x[i] *= math.Pow(10, float64(i%13-6))
				}
			}
			if h := s.Project(x); !(h >= 0 && h <= math.MaxFloat64) {
				t.Fatalf("step %d: leverage %g", step, h)
			}
			s.Observe(gain, 1e-3)
			s.Scale(1.01)
			for j, v := range s.d[:n] {
				if !(v > 0 && v <= math.MaxFloat64) {
					t.Fatalf("step %d: element %d of D is %g", step, j, v)
				}
			}
		}
	})
}

// A restored matrix, and a matrix with its own scratch memory, give equal bits.
func TestUDUStateAndScratchDoNotShow(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 3))
		var work UDUScratch
		for _, n := range []int{30, 12, 50, 33} {
			a, b := newUDU(n, &work), newUDU(n, new(UDUScratch))
			ga, gb := make([]float64, n), make([]float64, n)
			other := newUDU(n+5, &work)
			for step := range 100 {
				x := randomVector(rng, n+5)
				other.Project(slices.Repeat([]float64{math.MaxFloat64}, n+5)) // infinite as float32
				if h, want := a.Project(x[:n]), b.Project(x[:n]); h != want {
					t.Fatalf("n=%d: leverage %g, with scratch memory of its own %g", n, h, want)
				}
				a.Observe(ga, 1)
				b.Observe(gb, 1)
				sameBits(t, "gain", ga, gb)
				a.ProjectUnit(step % n)
				a.Observe(ga, 1)
				b.ProjectUnit(step % n)
				b.Observe(gb, 1)
				sameBits(t, "gain", ga, gb)
				if step%7 == 0 {
					e := snapshot.NewEncoder(nil)
					b.State(e)
					b = NewUDU(n, new(UDUScratch))
					d := snapshot.NewDecoder(e.Bytes())
					b.State(d)
					if err := d.Finish(); err != nil {
						t.Fatal(err)
					}
				}
			}
			sameBits(t, "elements", elements(a), elements(b))
		}
	})
}
