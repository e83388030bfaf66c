package numeric

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// BadLength is the panic of a slice of a wrong length.
const BadLength = "sgd: wrong length"

// Norm is the Euclidean norm.
func Norm(x []float64) float64 { return math.Sqrt(vec.Dot(x, x)) }

// Finite reports whether x has neither NaN nor infinities.
func Finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// NonNegative reports whether every number is finite and >= 0.
func NonNegative(v ...float64) bool {
	for _, x := range v {
		if !(x >= 0) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
