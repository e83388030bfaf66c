package scoring

import (
	"fmt"
	"math"
)

// Limit is a range that a variable should not leave, in contrast to bounds, which it cannot leave. -Inf and Inf: no
// limit on that side.
type Limit struct{ Low, High float64 }

// Reached reports whether y lies outside of the limit or on its edge. It is false for NaN.
func (l Limit) Reached(y float64) bool { return y <= l.Low || y >= l.High }

// Bounded reports whether the limit has at least one end.
func (l Limit) Bounded() bool { return !math.IsInf(l.Low, -1) || !math.IsInf(l.High, 1) }

// String formats the limit as in the configuration, such as "<= 90".
func (l Limit) String() string {
	switch {
	case math.IsInf(l.Low, -1):
		return fmt.Sprintf("<= %.9g", l.High)
	case math.IsInf(l.High, 1):
		return fmt.Sprintf(">= %.9g", l.Low)
	}
	return fmt.Sprintf(">= %.9g <= %.9g", l.Low, l.High)
}

// ReachTo sets dst[i] to the probability that a variable, now y, has reached the limit by step i of its forecasts
// yhat, whose intervals [lower, upper] have the given level. It returns the index of the first step with a
// probability above 1/2, or -1.
//
// On each side of the forecast the error is normal, scaled by the width s of the interval on that side. Errors of
// consecutive steps follow a Markov process whose innovations have the width of the first step:
//
//	correlation of the errors at steps i-1 and i = sqrt(1 - s_1²/s_i²).
//
// Errors are white noise if the widths do not grow, and a random walk if they grow with the square root of the
// step. The error of a path that has stayed inside is approximated by a normal error with the same mean and
// variance (assumed density filter).
//
// A step without an interval repeats the probability of the previous step, NaN at first; until then yhat itself
// decides.
func (l Limit) ReachTo(dst []float64, y float64, yhat, lower, upper []float64, level float64) (first int) {
	z := math.Sqrt2 * math.Erfinv(level)
	reached, above, below := math.NaN(), excursion{p: 1, variance: 1}, excursion{p: 1, variance: 1}
	if first = -1; l.Reached(y) {
		reached, above.p = 1, 0
	}
	for i, m := range yhat {
		up, down := (upper[i]-m)/z, (m-lower[i])/z
		if !math.IsNaN(up-down) && !l.none() {
			reached = 1 - above.stay(l.High-m, up, down)*below.stay(m-l.Low, down, up)
		}
		dst[i] = reached
		if first < 0 && (reached > .5 || math.IsNaN(reached) && l.Reached(m)) {
			first = i
		}
	}
	return first
}

// none reports whether there is no limit on either side.
func (l Limit) none() bool { return math.IsInf(l.Low, -1) && math.IsInf(l.High, 1) }

// excursion holds the probability that a path has stayed on the near side of a limit, and the distribution of its
// error given that, in units of the width.
type excursion struct {
	p              float64
	first          float64 // width at the first step; 0 = no step yet
	mean, variance float64
}

// stay adds a step whose forecast has the given distance to the limit, and returns the probability so far. The
// error has the width toward on the side of the limit, and the width away on the other side.
func (e *excursion) stay(distance, toward, away float64) float64 {
	const far = 8 // a normal distribution has 6e-16 beyond
	side := toward
	if distance < 0 {
		side = away
	}
	limit := far * math.Copysign(1, distance)
	if distance == 0 {
		limit = -far // reached already by the forecast
	}
	if side > 0 {
		limit = min(max(distance/side, -far), far)
	}
	width := toward + away
	if e.first == 0 {
		e.first = width
	}
	kept := 0. // share of the previous error in the variance of this one
	if width > e.first {
		kept = 1 - e.first*e.first/(width*width)
	}
	mean, variance := math.Sqrt(kept)*e.mean, kept*e.variance+1-kept
	deviation := math.Sqrt(variance)
	a := (limit - mean) / deviation
	inside := math.Erfc(-a/math.Sqrt2) / 2
	e.p *= inside
	// Moments of a normal distribution truncated to values above a.
	hazard := math.Exp(-a*a/2) / (math.Sqrt(2*math.Pi) * max(inside, 1e-300))
	e.mean, e.variance = mean-deviation*hazard, max(variance*(1-hazard*(a+hazard)), 0)
	return e.p
}
