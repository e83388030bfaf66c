package sgd

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

const badLength = "sgd: wrong length"

// norm is the Euclidean norm.
func norm(x []float64) float64 { return math.Sqrt(vec.Dot(x, x)) }

// finite reports whether x has neither NaN nor infinities.
func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// nonNegative reports whether every number is finite and >= 0.
func nonNegative(v ...float64) bool {
	for _, x := range v {
		if !(x >= 0) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
