package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
	"github.com/orffvar/forecaster/internal/vec"
)

var sizeRules = SizeRules{State: 3, Near: .35, Middle: 1, Most: 4, Smallest: .2, Largest: 5}

// Every instruction set agrees with portable Go, bit for bit, with missing, infinite and huge numbers.
func TestSizes(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(71, 71))
		for _, n := range lanesOf {
			got, want := NewSizes(n, sizeRules), NewSizes(n, sizeRules)
			stride := vec.Stride(n)
			for step := range 200 {
				ratios, others := isatest.Guarded(t, n), make([]float64, n)
				origin := isatest.Guarded(t, OriginRows*stride)
				for i := range origin {
					if i%stride < n {
						origin[i] = wild(rng)
					}
				}
				forecast, sizes := wilds(t, rng, n), wilds(t, rng, n)
				for j := range sizes {
					sizes[j] = math.Abs(sizes[j])
				}
				got.RatiosTo(ratios, origin, forecast)
				ratiosPortable(want, others, origin, forecast)
				sameNumbers(t, fmt.Sprintf("ratios of %d, step %d", n, step), ratios, others)
				got.Add(sizes, ratios)
				addSizesPortable(want, sizes, others)
				for at := 0; at < len(want.sums); at += stride {
					sameNumbers(t, fmt.Sprintf("sums of %d, step %d", n, step), got.sums[at:][:n], want.sums[at:][:n])
				}
				w := make([]float64, SizeTerms)
				for i := range w {
					w[i] = .3 * rng.NormFloat64()
				}
				j := rng.IntN(n)
				got.SetWeights(j, w)
				want.SetWeights(j, w)
				if step%50 == 49 { // after huge numbers nothing else would be seen
					clear(got.sums)
					clear(want.sums)
				}
			}
		}
	})
}

// The features, the ratio and the equations of three variables, by hand. Each number is exact in binary.
func TestSizesByHand(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		s, stride := NewSizes(3, sizeRules), vec.Stride(3)
		origin := make([]float64, OriginRows*stride)
		for row, v := range [OriginRows][3]float64{
			OriginValue: {10, 1, math.NaN()}, OriginPerStep: {.5, .5, .5}, OriginLevel: {-2, .25, .5},
			OriginStep: {.5, .25, 1}, OriginLast: {1, 0, 2},
		} {
			copy(origin[row*stride:], v[:])
		}
		s.SetWeights(0, []float64{.25, .125, .5, 0, -1, 2, 0, 4})
		s.SetWeights(1, []float64{-8, 0, 0, 0, 0, 0, 0, 0})
		s.SetWeights(2, []float64{0, 0, 0, 0, 0, .5, 0, 0})
		ratios := make([]float64, 3)
		s.RatiosTo(ratios, origin, []float64{11, 1, 5})
		u := []float64{1, -2, 2, .35, 1, .5, .5, 1}
		// 1 + .25 - .25 + 1 - 1 + 1 + 4 = 6 is above the largest ratio, 1 - 8 below the smallest, and a variable without a
		// last value has the largest step of 3.
		sameNumbers(t, "ratios", ratios, []float64{5, .2, 2.5})
		s.Add([]float64{21, math.NaN(), 1.5}, ratios)
		s.Forget(.5)
		square, c := vec.NewSym(SizeTerms), make([]float64, SizeTerms)
		s.EquationsTo(square, c, 0)
		for i := range u {
			near(t, "c", c[i], .5*u[i]*19, 1e-15*19) // the size counts as 4 ratios
			for k := range u {
				near(t, "S", square.At(i, k), .5*u[i]*u[k], 1e-15)
			}
		}
		if s.EquationsTo(square, c, 1); square.Trace() != 0 || c[0] != 0 {
			t.Error("a variable without a size learns")
		}
		if s.EquationsTo(square, c, 2); square.At(5, 5) != .5*9 || c[5] != .5*3*.5 {
			t.Errorf("without a last value: %v, %v", square.At(5, 5), c[5])
		}
	})
}

func BenchmarkSizes(b *testing.B) {
	isatest.Each(b, func(b *testing.B) {
		const n = 7
		s, origin := NewSizes(n, sizeRules), make([]float64, OriginRows*vec.Stride(n))
		ratios, forecast, sizes := make([]float64, n), make([]float64, n), make([]float64, n)
		for b.Loop() {
			s.RatiosTo(ratios, origin, forecast)
			s.Add(sizes, ratios)
		}
	})
}
