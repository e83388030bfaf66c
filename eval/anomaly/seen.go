package anomaly

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// see returns the Seen of the variable with the largest share in the last sample. Observe calls it.
func (s *Scorer) see() Seen {
	share := s.share()
	j, nan := slices.Index(share, slices.Max(share)), math.NaN()
	seen := Seen{j, s.now[j], nan, nan, nan}
	if s.expected == nil {
		return seen
	}
	seen.Expected = s.expected[j]
	if s.c.Interval != nil {
		seen.Lower, seen.Upper = s.c.Interval(j)
	}
	return seen
}

// falsePerDay returns the expected number of alarms per day with at least the given score, at the usual spacing. A budget
// raises the rate above that of the budget where alarms were rarer than estimated. Those above a score are then rarer,
// too, and an alarm is never more frequent than the budget.
func (s *Scorer) falsePerDay(score float64) float64 {
	if !(s.clock.step > 0) {
		return math.NaN()
	}
	rate := math.Pow(s.rate, score)
	if b := &s.budget; b.now > b.rate {
		rate *= b.rate / b.now
	}
	return rate * dayLen / s.clock.step
}

func (v *Seen) state(c *snapshot.Codec, dim int) {
	c.Index(&v.Variable, dim)
	for _, x := range [...]*float64{&v.Observed, &v.Expected, &v.Lower, &v.Upper} {
		c.Float64(x)
	}
}
