package lanes

import "math"

// Conformal calibrates the intervals of n variables at one horizon. It learns the mean absolute error of each variable,
// and one factor per variable and coverage level. The factor grows when a target is outside of the interval, and
// shrinks otherwise (adaptive conformal inference, Gibbs and Candes 2021, on the logarithm of the width). With t the
// number of errors e, and u_in < 1 < u_out the two steps of a level,
//
//	factor = min(max(factor u, low), high),   u = u_out if |e| > half + slack |y|, else u_in
//	scale_t = scale_{t-1} + a_t (min(|e|, winsor scale_{t-1}) - scale_{t-1})
//
// The factor is updated if the variable has a vote and t > horizon. The minimum of scale applies once t > after. Zero
// errors before the first other error do not count.
type Conformal struct {
	Levels int
	limits [confLimits]float64
	counts []int64
}

// NewConformal returns the constants of one horizon, in steps. rate is the rate of a_t.
func NewConformal(levels, horizon int, rate, slack, low, high, after, winsor float64) *Conformal {
	return &Conformal{levels, [confLimits]float64{
		confOne: 1, confHorizon: float64(horizon), confRate: rate, confSlack: slack, confLow: low,
		confHigh: high, confAfter: after, confWinsor: winsor,
	}, make([]int64, 1+levels)}
}

// Learn learns the targets y of the given forecasts. half has the half widths of the intervals, and own their factors:
// levels x n, with rows stride apart. count is t, and scale the mean absolute error. A variable has a vote if its
// voting is positive. steps has u_in and u_out of each level.
//
// Learn returns the number of votes, and the number of misses per level. misses is valid until the next call.
func (c *Conformal) Learn(scale, count, own, half, forecast, y, voting, steps []float64, stride int) (votes int, misses []int64) {
	n := len(y)
	last := (c.Levels - 1) * stride
	if len(scale) != n || len(count) != n || len(forecast) != n || len(voting) != n || len(steps) != 2*c.Levels ||
		len(own) < last+n || len(half) < last+n {
		panic("lanes: Conformal: shapes differ")
	}
	clear(c.counts)
	if n > 0 {
		conformal(c, scale, count, own, half, forecast, y, voting, steps, stride)
	}
	return int(c.counts[0]), c.counts[1:]
}

func conformalPortable(c *Conformal, scale, count, own, half, forecast, y, voting, steps []float64, stride int) {
	p := &c.limits
	for j, v := range y {
		size := math.Abs(v - forecast[j])
		if size != size || size == 0 && count[j] == 0 {
			continue
		}
		count[j]++
		n := count[j]
		if voting[j] > 0 && n > p[confHorizon] {
			c.counts[0]++
			slack := float64(p[confSlack] * math.Abs(v))
			for l := range c.Levels {
				i, miss := l*stride+j, 0
				if size > half[i]+slack {
					miss = 1
				}
				c.counts[1+l] += int64(miss)
				f := own[i] * steps[2*l+miss]
				if f < p[confLow] {
					f = p[confLow]
				}
				if f > p[confHigh] {
					f = p[confHigh]
				}
				own[i] = f
			}
		}
		if most := p[confWinsor] * scale[j]; n > p[confAfter] && size > most {
			size = most
		}
		weight := 1 / n
		if weight < p[confRate] {
			weight = p[confRate]
		}
		scale[j] += float64(weight * (size - scale[j]))
	}
}
