package check

import (
	"fmt"
	"math"
)

// Limits of the constructors: they prevent a typing error from exhausting the memory.
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

func Exogenous(n int) error { return Range("Exogenous", n, 0, maxExogenous) }

// SetDefault gives a field that was left out its default.
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

// ValueLimit is the largest absolute value that the default model accepts: squares of larger values
// would overflow.
const ValueLimit = 1e100

// anyFinite is no limit of finite values.
const AnyFinite = math.MaxFloat64

// checkSample returns an error for what no model accepts: a wrong length, an infinite
// value, or one beyond a limit.
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
