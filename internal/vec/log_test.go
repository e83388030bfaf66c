package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// TestLog compares with math.Log. On platforms where math.Log fuses operations, the two differ by less than two units
// in the last place of the largest term.
func TestLog(t *testing.T) {
	check := func(x float64) {
		t.Helper()
		got, want := log(x), math.Log(x)
		if !(math.Abs(got-want) <= 4e-16*max(1e-3, math.Abs(want))) {
			t.Errorf("log(%v) = %v, want %v", x, got, want)
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

// Every instruction set agrees with portable Go, bit for bit.
func TestLogTo(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		special := []float64{1, 2, .5, math.Sqrt2, math.Sqrt2 / 2, math.Nextafter(math.Sqrt2/2, 0), 1 + 1e-15, 1e-300, math.MaxFloat64, 2.3e-308, 101}
		for _, n := range isatest.Lengths {
			x, dst, want := isatest.Guarded(t, n), isatest.Guarded(t, n), make([]float64, n)
			for i := range x {
				switch {
				case i%5 == 1:
					x[i] = math.NaN()
				case i%5 == 2:
					x[i] = special[i/5%len(special)]
				case i%2 == 0:
					x[i] = math.Exp(20 * rng.NormFloat64())
				default:
					x[i] = 1 + .01*rng.NormFloat64()
				}
				want[i] = log(x[i])
				if math.IsNaN(x[i]) {
					want[i] = x[i]
				}
			}
			LogTo(dst, x)
			sameBits(t, fmt.Sprint("logarithms of ", n), dst, want)
			LogTo(x, x)
			sameBits(t, fmt.Sprint("logarithms in place of ", n), x, want)
		}
	})
}

func BenchmarkLogTo(b *testing.B) {
	isatest.Each(b, func(b *testing.B) {
		x, dst := Aligned(7), Aligned(7)
		for i := range x {
			x[i] = 1 + float64(i)/5
		}
		for b.Loop() {
			LogTo(dst, x)
		}
	})
}

func BenchmarkLog(b *testing.B) {
	x, sum := 1.5, 0.
	for b.Loop() {
		sum += log(x)
		x += 1e-3
	}
	_ = sum
}
