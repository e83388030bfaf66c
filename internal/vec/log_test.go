package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLog compares with math.Log. Where the processor fuses operations the two
// differ by the rounding of some of them, less than two units in the last place
// of the largest term.
func TestLog(t *testing.T) {
	check := func(x float64) {
		t.Helper()
		got, want := Log(x), math.Log(x)
		if math.Abs(got-want) > 4e-16*max(1e-3, math.Abs(want)) {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{1, 2, .5, math.Sqrt2, math.Sqrt2 / 2, math.Nextafter(math.Sqrt2/2, 0), 1 + 1e-15, 1e-300, math.MaxFloat64, 2.3e-308, 101} {
		check(x)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		check(math.Exp(20 * r.NormFloat64()))
		check(1 + .1*r.NormFloat64()*r.NormFloat64()*.1)
	}
}

func BenchmarkLog(b *testing.B) {
	x, sum := 1.5, 0.
	for b.Loop() {
		sum += Log(x)
		x += 1e-3
	}
	_ = sum
}
