package isatest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Lengths lists vector lengths around every boundary of the kernels: registers of 4 and 8 elements, and loops over 2 to
// 8 registers.
var Lengths = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 23, 24, 25, 31, 32, 33, 39, 47, 49, 55, 63, 64, 65, 71, 97, 100, 128, 130}

// Vector returns n random numbers of very different magnitudes, in guarded memory.
func Vector(t testing.TB, rng *rand.Rand, n int) []float64 {
	x := Guarded(t, n)
	for i := range x {
		x[i] = rng.NormFloat64() * math.Exp2(float64(rng.IntN(40)-20))
	}
	return x
}
