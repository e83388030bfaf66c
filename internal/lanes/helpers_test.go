package lanes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
	"github.com/orffvar/forecaster/internal/vec"
)

// near fails unless got and want differ by at most tol.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %v, want %v, tolerance %.1e", what, got, want, tol)
	}
}

// sameNumbers fails unless got and want have the same bits, or both are NaN.
func sameNumbers(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, w := range want {
		if g := got[i]; math.Float64bits(g) != math.Float64bits(w) && !(g != g && w != w) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, g, w)
		}
	}
}

// wild returns a random number: usually of ordinary size, sometimes missing, huge or tiny.
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

// lanesOf are numbers of variables: less than a register, full registers, and more.
var lanesOf = []int{1, 3, 4, 7, 8, 13, 31, 100}

// room returns rows x n numbers in guarded memory. A register may be stored beyond their end.
func room(t *testing.T, rows, n int) []float64 {
	return isatest.Guarded(t, rows*n+vec.Stride(n))[:rows*n]
}

func wilds(t *testing.T, rng *rand.Rand, n int) []float64 {
	x := isatest.Guarded(t, n)
	for j := range x {
		if x[j] = wild(rng); rng.IntN(50) == 0 {
			x[j] = math.Inf(1 - 2*rng.IntN(2))
		}
	}
	return x
}
