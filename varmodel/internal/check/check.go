package check

import (
	"fmt"
	"math"
)

// Limits of constructor arguments. They prevent a typing error from exhausting the memory.
const (
	maxDim       = 1024
	MaxHorizon   = 10_000
	MaxLags      = 10_000
	MaxPeriod    = 14 * 24 * 60 // two weeks of minutes
	maxExogenous = 1024
)

func Range(field string, v, low, high int) error {
	if v < low || v > high {
		return fmt.Errorf("varmodel: %s must be in [%d, %d], got %d", field, low, high, v)
	}
	return nil
}

func Shape(dim, horizon int) error {
	if err := Range("Dim", dim, 1, maxDim); err != nil {
		return err
	}
	return Range("Horizon", horizon, 1, MaxHorizon)
}

// Lags checks the sizes of an autoregression of a given order.
func Lags(dim, order, horizon int) error {
	if err := Shape(dim, horizon); err != nil {
		return err
	}
	return Range("Order", order, 1, MaxLags)
}

func Exogenous(n int) error { return Range("Exogenous", n, 0, maxExogenous) }

// SetDefault sets *field to value if *field is 0.
func SetDefault[T int | float64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

func Forgetting(v float64) error {
	if !(v > 0 && v <= 1) {
		return fmt.Errorf("varmodel: Forgetting must be in (0, 1], got %g", v)
	}
	return nil
}

func Positive(field string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("varmodel: %s must be > 0 and finite, got %g", field, v)
	}
	return nil
}

// ValueLimit is the largest absolute value of a sample that the default model accepts. Squares of much larger
// values would overflow.
const ValueLimit = 1e100

// AnyFinite is a limit for Sample that all finite values meet.
const AnyFinite = math.MaxFloat64

// Sample returns an error if the length of y is not dim, or if a value is infinite or its absolute value exceeds
// limit. NaN is valid: a missing value.
func Sample(y []float64, dim int, limit float64) error {
	if len(y) != dim {
		return fmt.Errorf("varmodel: sample has %d coordinates, want %d", len(y), dim)
	}
	for j, v := range y {
		if math.Abs(v) > limit {
			if math.IsInf(v, 0) {
				return fmt.Errorf("varmodel: coordinate %d is infinite", j)
			}
			return fmt.Errorf("varmodel: coordinate %d is %g, beyond the limit %g", j, v, limit)
		}
	}
	return nil
}
