package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
	"github.com/orffvar/forecaster/internal/vec"
)

// Every instruction set agrees with portable Go, bit for bit, with missing, infinite and huge values, and constants.
func TestMoments(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 10))
		for _, n := range []int{1, 3, 4, 7, 8, 13, 31, 100} {
			create := func() *Moments { return NewMoments(n, .99, 30, 10, 1e-12, 2) }
			got, want := create(), create()
			for step := range 300 {
				x := isatest.Guarded(t, n)
				for j := range x {
					switch x[j] = 5 + wild(rng); {
					case j%7 == 3:
						x[j] = 3
					case j%7 == 5 && step > 200 && rng.IntN(10) == 0:
						x[j] = math.Inf(1)
					}
				}
				if step == 100 {
					got.Break()
					want.Break()
				}
				got.Add(x)
				momentsPortable(want, x)
				for i := range new(Moments).fields() {
					row := i * vec.Stride(n)
					sameNumbers(t, fmt.Sprintf("row %d of %d, step %d", i, n, step), got.all[row:row+n], want.all[row:row+n])
				}
			}
			derived := create()
			copy(derived.all, got.all)
			derived.Derive()
			for i := range new(Moments).fields() {
				row := i * vec.Stride(n)
				sameNumbers(t, fmt.Sprintf("derived row %d of %d", i, n), derived.all[row:row+n], got.all[row:row+n])
			}
		}
	})
}

// Without forgetting, the moments are those of a textbook.
func TestMomentsOfASample(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		m := NewMoments(2, 1, math.Inf(1), 1, 0, 1)
		nan := math.NaN()
		for _, x := range [][2]float64{{1, 7}, {3, nan}, {8, 7}, {4, 7}} {
			m.Add(x[:])
		}
		// Mean 4, deviations -3 -1 4 0, differences 2 5 -4. The sums are small integers; only thirds and quarters are
		// rounded.
		near(t, "mean", m.Mean[0], 4, 1e-14)
		near(t, "variance", m.Variance[0], 26./4, 1e-14)
		near(t, "mean square of the differences", m.Diff2[0], 15, 1e-13)
		near(t, "floor", m.Floor[0], 1-math.Sqrt(15), 1e-13)
		near(t, "ceiling", m.Ceiling[0], 8+math.Sqrt(15), 1e-13)
		near(t, "inverse", m.Inverse[0], 1/math.Sqrt(26./4), 1e-14)
		if m.Weight[1] != 3 || m.Mean[1] != 7 || m.Inverse[1] != 0 || m.Unit[1] != 1 || m.PerStep[1] != 0 || m.Floor[1] != 7 {
			t.Errorf("a constant has weight %v, mean %v, inverse %v, unit %v, step %v, floor %v",
				m.Weight[1], m.Mean[1], m.Inverse[1], m.Unit[1], m.PerStep[1], m.Floor[1])
		}
	})
}

func BenchmarkMoments(b *testing.B) {
	for _, n := range []int{3, 7, 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			isatest.Each(b, func(b *testing.B) {
				m, rng := NewMoments(n, .9999, 30, 10, 1e-12, 2), rand.New(rand.NewPCG(1, 1))
				x := make([]float64, 8*n)
				for j := range x {
					x[j] = rng.NormFloat64()
				}
				for i := 0; b.Loop(); i++ {
					at := i % 8 * n
					m.Add(x[at : at+n])
				}
			})
		})
	}
}
