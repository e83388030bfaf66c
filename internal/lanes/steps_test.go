package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
	"github.com/orffvar/forecaster/internal/vec"
)

// Every instruction set agrees with portable Go, bit for bit, with missing, repeated, infinite and huge values.
func TestSteps(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 13))
		for _, n := range []int{1, 3, 4, 7, 8, 13, 31, 100} {
			got, want := NewSteps(n, 20, 5, .01), NewSteps(n, 20, 5, .01)
			for step := range 300 {
				x, last := isatest.Guarded(t, n), isatest.Guarded(t, n)
				for j := range x {
					x[j], last[j] = wild(rng), wild(rng)
					switch {
					case j%7 == 3 && step < 100 || rng.IntN(5) == 0:
						x[j] = last[j]
					case j%7 == 5 && step > 200 && rng.IntN(10) == 0:
						x[j] = math.Inf(1)
					}
				}
				got.Add(x, last)
				stepsPortable(want, x, last)
				for i := range new(Steps).fields() {
					row := i * vec.Stride(n)
					sameNumbers(t, fmt.Sprintf("row %d of %d, step %d", i, n, step), got.all[row:row+n], want.all[row:row+n])
				}
				for j := n; j < len(got.Target); j++ {
					if got.Target[j] == got.Target[j] {
						t.Fatalf("target %v beyond %d variables", got.Target[j], n)
					}
				}
			}
			derived := NewSteps(n, 20, 5, .01)
			copy(derived.Square, got.Square)
			derived.Derive()
			sameNumbers(t, "units", derived.Unit[:n], got.Unit[:n])
			sameNumbers(t, "inverse units", derived.Inverse[:n], got.Inverse[:n])
		}
	})
}

func TestStepsOfASeries(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		s := NewSteps(1, 2, 10, .1)
		last := 0.0
		for i, c := range []struct{ x, target, square float64 }{
			{0, math.NaN(), 0}, // no step so far
			{3, math.NaN(), 9}, // no unit before
			{3, 0, 9},          // a zero step is a target, but is not in the mean
			{math.NaN(), math.NaN(), 9},
			{6, 1, 9},
			{3006, 10, 9 + (900-9)/3.}, // limited to ten units
		} {
			s.Add([]float64{c.x}, []float64{last})
			if c.x == c.x {
				last = c.x
			}
			near(t, fmt.Sprint("mean square after step ", i), s.Square[0], c.square, 1e-12)
			if got := s.Target[0]; !(math.Abs(got-c.target) < 1e-12) && !(got != got && c.target != c.target) {
				t.Errorf("step %d: target %v, want %v", i, got, c.target)
			}
		}
		if s.Count[0] != 3 {
			t.Errorf("%v steps", s.Count[0])
		}
	})
}

func BenchmarkSteps(b *testing.B) {
	isatest.Each(b, func(b *testing.B) {
		const n = 7
		s, rng := NewSteps(n, 30, 30, .001), rand.New(rand.NewPCG(1, 1))
		x := make([]float64, 9*n)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		for i := 0; b.Loop(); i++ {
			at := i % 8 * n
			s.Add(x[at+n:at+2*n], x[at:at+n])
		}
	})
}
