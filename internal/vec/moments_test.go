package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// sameNumbers is sameBits, but that any NaN is as good as another.
func sameNumbers(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if g := got[i]; math.Float64bits(g) != math.Float64bits(w) && !(g != g && w != w) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, g, w)
		}
	}
}

// wild returns a number as they come, now and then missing, huge or tiny.
func wild(rng *rand.Rand) float64 {
	v := rng.NormFloat64()
	switch rng.IntN(40) {
	case 0, 1, 2:
		return math.NaN()
	case 3:
		return 0
	case 4:
		return 1e6 * v
	case 5:
		return 1e100 * v
	case 6:
		return 1e-300 * v
	}
	return v
}

// All implementations against the portable one, bit for bit, with values that are
// missing, infinite or of any size, and constants.
func TestMoments(t *testing.T) {
	each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 10))
		for _, n := range []int{1, 3, 4, 7, 8, 13, 31, 100} {
			create := func() *Moments { return NewMoments(n, .99, 30, 10, 1e-12, 2) }
			got, want := create(), create()
			for step := range 300 {
				x := guarded(t, n)
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
				for i := range momentsRows {
					row := i * Stride(n)
					sameNumbers(t, fmt.Sprintf("row %d of %d, step %d", i, n, step), got.all[row:row+n], want.all[row:row+n])
				}
			}
			derived := create()
			copy(derived.all, got.all)
			derived.Derive()
			for i := range momentsRows {
				row := i * Stride(n)
				sameNumbers(t, fmt.Sprintf("derived row %d of %d", i, n), derived.all[row:row+n], got.all[row:row+n])
			}
		}
	})
}

// Without forgetting they are the textbook's.
func TestMomentsOfASample(t *testing.T) {
	each(t, func(t *testing.T) {
		m := NewMoments(2, 1, math.Inf(1), 1, 0, 1)
		nan := math.NaN()
		for _, x := range [][2]float64{{1, 7}, {3, nan}, {8, 7}, {4, 7}} {
			m.Add(x[:])
		}
		// Mean 4, deviations -3 -1 4 0, differences 2 5 -4; sums of small integers, but
		// for thirds and quarters.
		near(t, "mean", m.Mean[0], 4, 1e-14)
		near(t, "variance", m.Variance[0], 26./4, 1e-14)
		near(t, "mean square of the differences", m.Diff2[0], 15, 1e-13)
		near(t, "floor", m.Floor[0], 1-math.Sqrt(15), 1e-13)
		near(t, "ceiling", m.Ceiling[0], 8+math.Sqrt(15), 1e-13)
		near(t, "inverse", m.Inverse[0], 1/math.Sqrt(26./4), 1e-14)
		if m.Weight[1] != 3 || m.Mean[1] != 7 || m.Inverse[1] != 0 || m.Unit[1] != 1 || m.PerStep[1] != 1 || m.Floor[1] != 7 {
			t.Errorf("a constant has weight %v, mean %v, inverse %v, unit %v, step %v, floor %v",
				m.Weight[1], m.Mean[1], m.Inverse[1], m.Unit[1], m.PerStep[1], m.Floor[1])
		}
	})
}

func BenchmarkMoments(b *testing.B) {
	for _, n := range []int{3, 7, 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			eachBench(b, func(b *testing.B) {
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
