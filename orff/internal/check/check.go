// Package check returns errors for impossible parameters of feature maps.
package check

import (
	"fmt"
	"math"
)

// BadLength is the panic of a method that gets a slice of the wrong length.
const BadLength = "orff: a slice has the wrong length"

// Parameters returns an error if the parameters of the kernel k are impossible in dimension d.
func Parameters(k any, d int) error {
	if v, ok := k.(interface{ Validate(d int) error }); ok {
		return v.Validate(d)
	}
	return nil
}

// Positive returns an error unless the parameter is positive and finite.
func Positive(what string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("orff: %s must be positive and finite, got %g", what, v)
	}
	return nil
}

// Sizes returns an error unless the d inputs and n features are at least 1 each.
func Sizes(what string, d, n int) error {
	if d < 1 || n < 1 {
		return fmt.Errorf("orff: %s need d >= 1 and D >= 1, got d = %d and D = %d", what, d, n)
	}
	return nil
}
