package anomaly

import "math"

// Directions of a Rule.
const (
	AnyDirection = 0
	Above        = 1
	Below        = -1
)

// Rule restricts the deviations of a variable that can raise an alarm. The zero value has no restriction.
type Rule struct {
	// MinDeviation is the least deviation from the forecast, in units of the data.
	MinDeviation float64

	// MinRelative is the least deviation divided by the absolute expected value.
	MinRelative float64

	// Direction is Above or Below to admit only deviations of that sign.
	Direction int
}

// admits reports whether a deviation from the expected value may raise an alarm.
func (r Rule) admits(expected, deviation float64) bool {
	size := math.Abs(deviation)
	return size >= r.MinDeviation && size >= r.MinRelative*math.Abs(expected) &&
		float64(r.Direction)*deviation >= 0
}

// suppressed reports whether the rule of variable j suppresses its part in a view of sample y.
func (s *Scorer) suppressed(v View, j int, y []float64) bool {
	deviation := s.levels.Deviation[j]
	switch v {
	case State:
		deviation = y[j] - s.normal.mean[j]
	case Jump, Noise, Flat:
		deviation = s.errors.Error[j]
	}
	return !s.c.Rules[j].admits(y[j]-deviation, deviation)
}

// rule sets shares to the squared statistics of a view for sample y, 0 for suppressed variables. It returns the
// factor on the statistic of the view: the root of the remaining part.
func (s *Scorer) rule(v View, y []float64) (part float64) {
	if v == Correlation {
		return s.ruleOthers(y)
	}
	most := math.Inf(1)
	if v == Level && s.c.Dim > 1 {
		most = levelMost
	}
	sum, left := 0., 0.
	for j, x := range s.squares[v] {
		s.shares[j] = 0
		if x > 0 && !s.suppressed(v, j, y) {
			s.shares[j] = x
		}
		sum += min(x, most)
		left += min(s.shares[j], most)
	}
	return rootPart(left, sum)
}

// ruleOthers is rule for Correlation. A suppressed odd variable must not contradict others, so it gets the value
// that the others predict.
func (s *Scorer) ruleOthers(y []float64) (part float64) {
	const sweeps = 10
	squares, odd := s.squares[Correlation], s.slow[Correlation].tail.threshold
	copy(s.r, s.residuals.Mean)
	for range sweeps { // Gauss-Seidel
		for j, x := range squares {
			if x > odd*odd && s.suppressed(Correlation, j, y) {
				s.others.explain(s.r, j)
			}
		}
	}
	most, left := 0., 0.
	for j, x := range squares {
		s.shares[j] = 0
		if x > 0 && !s.suppressed(Correlation, j, y) {
			s.shares[j] = s.r[j] * s.r[j] / s.residuals.Usual[j]
		}
		most, left = max(most, x), max(left, s.shares[j])
	}
	return rootPart(left, most)
}

func rootPart(part, whole float64) float64 {
	if !(whole > 0) {
		return 0
	}
	return math.Sqrt(min(part/whole, 1))
}

// applyRules replaces the scores above 1 by the scores that the rules leave, and returns the largest score. If it
// is above 1, its view leads, and suppressed variables have no share.
func (s *Scorer) applyRules(y []float64) (best float64) {
	lead := s.leading
	for v := range s.scores {
		if s.scores[v] > 1 {
			s.scores[v] = s.ruled[v]
		}
		if s.scores[v] > best {
			best, lead = s.scores[v], View(v)
		}
	}
	if best > 1 {
		s.leading = lead
		s.rule(lead, y)
		copy(s.squares[lead], s.shares)
	}
	return best
}
