package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// Every instruction set agrees with portable Go, bit for bit. There are missing values, exact forecasts, variables
// without a vote, and factors at their limits.
func TestConformal(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 10))
		for _, n := range isatest.Lengths {
			for levels := 1; levels <= 3; levels++ {
				stride := n + 2
				size := max((levels-1)*stride+n, 0)
				c := NewConformal(levels, 3, .05, 1e-12, .5, 2, 6, 3)
				scale, count, own, half := isatest.Guarded(t, n), isatest.Guarded(t, n), isatest.Guarded(t, size), isatest.Guarded(t, size)
				y, forecast, voting, steps := isatest.Guarded(t, n), isatest.Guarded(t, n), isatest.Guarded(t, n), isatest.Guarded(t, 2*levels)
				for i := range own {
					own[i] = 1
				}
				for i := range half {
					half[i] = .5 + rng.Float64()
				}
				for i := range steps {
					steps[i] = .8 + .5*float64(i%2)
				}
				want := []([]float64){slices.Clone(scale), slices.Clone(count), slices.Clone(own)}
				limited := 0
				for range 20 {
					for j := range y {
						y[j], forecast[j], voting[j] = rng.NormFloat64(), 0, float64(min(rng.IntN(5), 1))
						switch rng.IntN(6) {
						case 0:
							y[j] = math.NaN()
						case 1:
							y[j] = 0
						}
					}
					votes, misses := c.Learn(scale, count, own, half, forecast, y, voting, steps, stride)
					reference := NewConformal(levels, 3, .05, 1e-12, .5, 2, 6, 3)
					if n > 0 {
						conformalPortable(reference, want[0], want[1], want[2], half, forecast, y, voting, steps, stride)
					}
					name := fmt.Sprintf("%d variables, %d levels: ", n, levels)
					for l, m := range append([]int64{int64(votes)}, misses...) {
						if m != reference.counts[l] {
							t.Fatalf("%scount %d is %d, want %d", name, l, m, reference.counts[l])
						}
					}
					sameNumbers(t, name+"scale", scale, want[0])
					sameNumbers(t, name+"count", count, want[1])
					sameNumbers(t, name+"factors", own, want[2])
					for _, f := range own {
						if f == .5 || f == 2 {
							limited++
						}
					}
				}
				if n > 3 && limited == 0 {
					t.Error("no factor came to its limits")
				}
			}
		}
	})
}
