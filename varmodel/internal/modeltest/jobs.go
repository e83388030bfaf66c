package modeltest

import (
	"math/rand/v2"
)

// HourlyJob returns the step of a series with a spike of random height once in hour samples.
func HourlyJob(hour int) func(r *rand.Rand, t int, rest *float64) float64 {
	return func(r *rand.Rand, t int, _ *float64) float64 {
		v := 1 + .1*r.NormFloat64()
		if t%hour == 0 {
			v += 5 + 1.5*r.NormFloat64()
		}
		return v
	}
}
