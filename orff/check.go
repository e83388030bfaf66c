package orff

import (
	"fmt"
	"math"
)

const badLength = "orff: a slice has the wrong length"

// validate asks a kernel for the reason why its parameters are impossible.
func validate(k any) error {
	if v, ok := k.(interface{ validate() error }); ok {
		return v.validate()
	}
	return nil
}

func positive(what string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("orff: %s must be positive and finite, got %g", what, v)
	}
	return nil
}

func dot(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func squaredNorm(a []float64) float64 { return dot(a, a) }

// axpy adds a x to y.
func axpy(y []float64, a float64, x []float64) {
	x = x[:len(y)]
	for i, v := range x {
		y[i] += a * v
	}
}
