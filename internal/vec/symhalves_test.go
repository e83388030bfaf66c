package vec

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// large returns a matrix that two goroutines multiply, after some steps of recursive
// least squares, and the products of these. alone leaves them to one.
func large(n, steps int, alone bool) (s *Sym, products [][]float64) {
	rng := rand.New(rand.NewPCG(7, 7))
	s = NewSym(n)
	if s.halves == nil {
		panic("the matrix is too small for this test")
	}
	if alone {
		s.halves = nil
	}
	s.SetIdentity(1)
	for range steps {
		x, y := randomVector(rng, n), make([]float64, n)
		s.MatVec(y, x)
		s.Rank1(-1/(0.9+Dot(x, y)), y)
		s.Scale(1 / 0.9)
		products = append(products, y)
	}
	return s, products
}

func TestSymHalvesEqualTheWhole(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, n := range []int{725, 736} {
			_, got := large(n, 20, false)
			_, want := large(n, 20, true)
			for i, y := range got {
				for j := range y {
					// Sums of n products of size 1 in another order; 20 steps of the
					// recursion carry the difference on.
					near(t, "product", y[j], want[i][j], 1e-15*float64(n)*20)
				}
			}
		}
	})
}

// The bits must not depend on how many processors there are.
func TestSymHalvesOnOneProcessor(t *testing.T) {
	const n, steps = 736, 20
	_, want := large(n, steps, false)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, got := large(n, steps, false)
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("step %d: the product differs", i)
		}
	}
}

func TestSymHalvesDoNotAllocate(t *testing.T) {
	const n = 736
	s, _ := large(n, 1, false)
	x, y := unit(n, 3), make([]float64, n)
	if a := testing.AllocsPerRun(20, func() {
		s.MatVec(y, x)
		s.Rank1(-1e-6, y)
	}); a > 0 {
		t.Errorf("%v allocations a step", a)
	}
}
