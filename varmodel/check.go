package varmodel

import (
	"fmt"
	"math"
)

// Limits of the constructors: they prevent a typing error from exhausting the memory.
const (
	maxDim       = 1024
	maxHorizon   = 10_000
	maxLags      = 10_000
	maxPeriod    = 14 * 24 * 60 // two weeks of minutes
	maxExogenous = 1024
)

func checkRange(field string, v, low, high int) error {
	if v < low || v > high {
		return fmt.Errorf("varmodel: %s must be in [%d, %d], got %d", field, low, high, v)
	}
	return nil
}

func checkShape(dim, horizon int) error {
	if err := checkRange("Dim", dim, 1, maxDim); err != nil {
		return err
	}
	return checkRange("Horizon", horizon, 1, maxHorizon)
}

func checkExogenous(n int) error { return checkRange("Exogenous", n, 0, maxExogenous) }

// setDefault gives a field that was left out its default.
func setDefault[T int | float64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

func checkForgetting(v float64) error {
	if !(v > 0 && v <= 1) {
		return fmt.Errorf("varmodel: Forgetting must be in (0, 1], got %g", v)
	}
	return nil
}

func checkPositive(field string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("varmodel: %s must be > 0 and finite, got %g", field, v)
	}
	return nil
}

// anyFinite is no limit of finite values.
const anyFinite = math.MaxFloat64

// checkSample returns an error for what no model accepts: a wrong length, an infinite
// value, or one beyond a limit.
func checkSample(y []float64, dim int, limit float64) error {
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
