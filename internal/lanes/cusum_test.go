package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
	"github.com/orffvar/forecaster/internal/vec"
)

// Every instruction set agrees with portable Go, bit for bit, before the first sum and long after it, with missing
// values.
func TestCusum(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 9))
		for _, n := range []int{1, 3, 8, 15, 63} {
			got, want := NewCusum(n, 20, .25, 100), NewCusum(n, 20, .25, 100)
			x := make([]float64, vec.Stride(n))
			for i := range x {
				x[i] = math.NaN()
			}
			rose, fell := false, false
			for step := range 300 {
				for j := range n {
					x[j] = 5 + rng.NormFloat64()
					if rng.IntN(6) == 0 {
						x[j] = math.NaN()
					}
				}
				sum, length := got.Add(x)
				wantSum, wantLength := cusumPortable(want, x)
				sameNumbers(t, fmt.Sprint("largest of ", n), []float64{sum, length}, []float64{wantSum, wantLength})
				sameNumbers(t, fmt.Sprint("rows of ", n), got.all, want.all)
				for j := range n {
					rose, fell = rose || got.Up[j] > 1, fell || got.Down[j] > 1
					if step == 10 {
						got.Variance[j], want.Variance[j] = float64(j%3)/2, float64(j%3)/2
					}
				}
			}
			if n > 1 && (!rose || !fell) {
				t.Errorf("no sum of %d was ever above 1", n)
			}
		}
	})
}

func BenchmarkCusum(b *testing.B) {
	for _, n := range []int{3, 15, 63} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			isatest.Each(b, func(b *testing.B) {
				c, x := NewCusum(n, 20, .25, 100), make([]float64, vec.Stride(n))
				for j := range c.Variance {
					c.Variance[j] = 1
				}
				for b.Loop() {
					c.Add(x)
				}
			})
		})
	}
}
