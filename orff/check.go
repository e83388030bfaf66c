package orff

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

const badLength = "orff: a slice has the wrong length"

// validate returns the reason why the parameters of a kernel are impossible in dimension d.
func validate(k any, d int) error {
	if v, ok := k.(interface{ validate(d int) error }); ok {
		return v.validate(d)
	}
	return nil
}

func positive(what string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("orff: %s must be positive and finite, got %g", what, v)
	}
	return nil
}

func sizes(what string, d, n int) error {
	if d < 1 || n < 1 {
		return fmt.Errorf("orff: %s need d >= 1 and D >= 1, got d = %d and D = %d", what, d, n)
	}
	return nil
}

func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func dot(a, b []float64) float64      { return vec.Dot(a, b) }
func squaredNorm(a []float64) float64 { return vec.Dot(a, a) }

// lagTo sets delta = x - z.
func lagTo(delta, x, z []float64) {
	for i := range delta {
		delta[i] = x[i] - z[i]
	}
}

func square(v float64) float64 { return v * v }
