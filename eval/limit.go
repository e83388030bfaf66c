package eval

import "math"

// Limit is a range that a variable should not leave, unlike bounds that it cannot leave.
// -Inf and Inf: none on that side.
type Limit struct{ Low, High float64 }

// Reached reports whether y is not inside of the limit. NaN is not known to be.
func (l Limit) Reached(y float64) bool { return y <= l.Low || y >= l.High }

// Reach is what a forecast says about a limit.
type Reach struct {
	// Probability that the limit is reached at one of the steps of the forecast; NaN: not known.
	Probability float64

	// Step is the index of the first step by which it is more likely than not that the limit has been
	// reached; -1: none.
	Step int
}

// Reach returns the probability that a variable, now y, reaches the limit on its way along the forecasts yhat
// with intervals [lower, upper] of the given level.
//
// The error at each step is normal on each side of the forecast, with the width of the interval on
// that side, and errors of consecutive steps follow a Markov process whose innovations have the width of the first step: the
// correlation of the errors at steps i-1 and i is sqrt(1 - s_1²/s_i²) for the widths s. It is that of white noise where
// the widths do not grow, and that of a random walk where they grow with the root of the step. The error of a
// path that has stayed inside is taken for normal again, with its mean and its variance (assumed density).
//
// Steps with a NaN are left out. Without intervals, the path itself decides: the probability is NaN.
func (l Limit) Reach(y float64, yhat, lower, upper []float64, level float64) Reach {
	if l.Reached(y) {
		return Reach{1, 0}
	}
	z := math.Sqrt2 * math.Erfinv(level)
	r, above, below := Reach{math.NaN(), -1}, excursion{p: 1, variance: 1}, excursion{p: 1, variance: 1}
	for i, m := range yhat {
		up, down := (upper[i]-m)/z, (m-lower[i])/z
		if math.IsNaN(up - down) {
			if r.Step < 0 && math.IsNaN(r.Probability) && l.Reached(m) {
				r.Step = i
			}
			continue
		}
		inside := above.stay(l.High-m, up, down) * below.stay(m-l.Low, down, up)
		if r.Probability = 1 - inside; r.Step < 0 && inside < .5 {
			r.Step = i
		}
	}
	return r
}

// excursion is the probability that a path has stayed on the near side of a limit, and the distribution of its error
// given that, in widths.
type excursion struct {
	p              float64
	first          float64 // width at the first step; 0 = no step yet
	mean, variance float64
}

// stay adds a step at which the limit is a distance beyond the forecast, and returns the probability so far. The
// error has the width toward on the side of the limit, and the width away on the other side.
func (e *excursion) stay(distance, toward, away float64) float64 {
	const far = 8 // 6e-16 of a normal distribution lie beyond
	side := toward
	if distance < 0 {
		side = away
	}
	limit := far * math.Copysign(1, distance)
	if distance == 0 {
		limit = -far // reached, without an error
	}
	if side > 0 {
		limit = min(max(distance/side, -far), far)
	}
	width := toward + away
	if e.first == 0 {
		e.first = width
	}
	kept := 0. // share of the last error in the variance of this one
	if width > e.first {
		kept = 1 - e.first*e.first/(width*width)
	}
	mean, variance := math.Sqrt(kept)*e.mean, kept*e.variance+1-kept
	deviation := math.Sqrt(variance)
	a := (limit - mean) / deviation
	inside := math.Erfc(-a/math.Sqrt2) / 2
	e.p *= inside
	// The moments of a normal distribution that is cut off above a.
	hazard := math.Exp(-a*a/2) / (math.Sqrt(2*math.Pi) * max(inside, 1e-300))
	e.mean, e.variance = mean-deviation*hazard, max(variance*(1-hazard*(a+hazard)), 0)
	return e.p
}
