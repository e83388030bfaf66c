package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// dense is a plain implementation of Sym.
type dense struct {
	n int
	a []float64
}

func (d dense) rank1(alpha float64, u []float64) {
	for i := range u {
		for j := range u {
			d.a[i*d.n+j] += alpha * u[i] * u[j]
		}
	}
}

func (d dense) matVec(x []float64) []float64 {
	y := make([]float64, d.n)
	for i := range y {
		for j, v := range x {
			y[i] += d.a[i*d.n+j] * v
		}
	}
	return y
}

func randomVector(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// unit returns the unit vector e_i.
func unit(n, i int) []float64 {
	e := make([]float64, n)
	e[i] = 1
	return e
}

// near fails unless got and want differ by at most tol.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %v, want %v, tolerance %.1e", what, got, want, tol)
	}
}

func TestSymEqualsDense(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, n := range []int{0, 1, 2, 7, 8, 9, 13, 16, 17, 49, 64, 97} {
			s, d := NewSym(n), dense{n, make([]float64, n*n)}
			s.SetIdentity(3)
			for i := range n {
				d.a[i*n+i] = 3
			}
			for step := range 20 {
				u, x := randomVector(rng, n), randomVector(rng, n)
				alpha := 0.1 * rng.NormFloat64()
				y := make([]float64, n)
				s.Rank1(alpha, u)
				s.Scale(1.5)
				if n > 0 {
					s.Rank1(0.25, unit(n, step%n))
				}
				d.rank1(alpha, u)
				for i := range d.a {
					d.a[i] *= 1.5
				}
				if n > 0 {
					d.a[(step%n)*(n+1)] += 0.25
				}
				trace, scale := 0.0, 1.0
				for i := range n {
					trace += d.a[i*n+i]
					scale += math.Abs(d.a[i*n+i])
				}
				// Both sides have at most about 60 n roundings, of elements below scale.
				tol := 1e-13 * scale * float64(n)
				near(t, "trace", s.Trace(), trace, tol)
				s.MatVec(y, x)
				for i, want := range d.matVec(x) {
					near(t, "y", y[i], want, tol)
				}
				row := make([]float64, n)
				for i := range n {
					s.RowTo(row, i)
					for j := range n {
						near(t, "element", s.At(i, j), d.a[i*n+j], tol)
						near(t, "element of row", row[j], d.a[i*n+j], tol)
						if s.At(i, j) != s.At(j, i) {
							t.Errorf("n=%d: element (%d, %d) is %v, mirrored %v", n, i, j, s.At(i, j), s.At(j, i))
						}
					}
				}
			}
		}
	})
}

func TestSymStateDoesNotShow(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		// A snapshot applies the deferred updates. Later results must not change.
		rng := rand.New(rand.NewPCG(2, 2))
		for _, n := range []int{1, 8, 13, 50} {
			a, b := NewSym(n), NewSym(n)
			a.SetIdentity(1)
			b.SetIdentity(1)
			ya, yb := make([]float64, n), make([]float64, n)
			for step := range 300 {
				x := randomVector(rng, n)
				for _, s := range []*Sym{a, b} {
					y := ya
					if s == b {
						y = yb
					}
					s.MatVec(y, x)
					s.Rank1(-1/(1+Dot(x, y)), y)
					s.Scale(1 / 0.8)
					if step%3 > 0 { // then two terms are deferred, otherwise one
						row := make([]float64, n)
						s.RowTo(row, step%n)
						s.Rank1(-1e-3/(1+1e-3*row[step%n]), row)
					}
					s.Rank1(1e-3, unit(n, step%n))
				}
				if step%7 == 0 || step%5 == 0 {
					e := snapshot.NewEncoder(nil)
					b.State(e)
					c := NewSym(n)
					d := snapshot.NewDecoder(e.Bytes())
					c.State(d)
					if err := d.Finish(); err != nil {
						t.Fatal(err)
					}
					b = c
				}
				if ta, tb := a.Trace(), b.Trace(); ta != tb {
					t.Fatalf("n=%d step %d: trace %v, after restore %v", n, step, ta, tb)
				}
				for i := range ya {
					if ya[i] != yb[i] {
						t.Fatalf("n=%d step %d: y %v, after restore %v", n, step, ya[i], yb[i])
					}
				}
			}
		}
	})
}

func TestSymScaleFar(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		s := NewSym(3)
		s.SetIdentity(1)
		for range 5000 {
			s.Scale(1.25)
			s.Scale(1 / 1.25)
		}
		near(t, "element", s.At(1, 1), 1, 1e-11) // 10^4 roundings
		for range 1000 {
			s.Scale(1.5)
			s.Rank1(1e-3, []float64{0, 1, 0})
		}
		// The middle element is 1.5^1000 + 1e-3 sum_{k<1000} 1.5^k. The other diagonal elements are 1.5^1000.
		want := math.Pow(1.5, 1000)
		near(t, "far element / want", s.At(0, 0)/want, 1, 1e-12)
		near(t, "far middle / want", s.At(1, 1)/(want*(1+1e-3/0.5)), 1, 1e-12)
	})
}

func TestCholeskySolves(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, n := range []int{1, 2, 7, 8, 9, 16, 25, 50, 64, 97} {
			s := NewSym(n)
			s.RankK(1, randomVector(rng, 4*n))
			s.Scale(0.7)
			const ridge, relative = 0.5, 1e-3
			c := NewCholesky(n)
			if !c.Factor(s, ridge, relative) {
				t.Fatalf("n=%d: not positive definite", n)
			}
			const k = 11
			b := randomVector(rng, k*n)
			x := append([]float64(nil), b...)
			c.Solve(x)
			y := make([]float64, n)
			for l := range k {
				s.MatVec(y, x[l*n:(l+1)*n])
				for i := range n {
					y[i] += (ridge + relative*s.At(i, i)) * x[l*n+i]
					// The condition number is below 8 n / ridge.
					near(t, "A x", y[i], b[l*n+i], 1e-13*float64(n))
				}
			}
		}
	})
}

func TestCholeskyRefuses(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		for _, n := range []int{1, 9, 20} {
			for _, v := range []float64{-1, 0, math.NaN(), math.Inf(1)} {
				s := NewSym(n)
				s.SetIdentity(1)
				s.Rank1(v-1, unit(n, n/2))
				if NewCholesky(n).Factor(s, 0, 0) {
					t.Errorf("n=%d: accepted a pivot %v", n, v)
				}
			}
		}
	})
}
