package lanes

import "math"

// Conformal learns how far the forecasts of one horizon are off: for each variable the
// mean size of the errors, and a factor for each level of an interval, that grows when
// a target is outside of it and shrinks otherwise. See varmodel.Intervals.
type Conformal struct {
	Levels int
	limits [8]float64
	counts []int64
}

// The limits that Conformal compares with.
const (
	confOne     = iota
	confHorizon // errors without a vote
	confRate    // least weight of an error in the mean size
	confSlack   // of the target: an error that is farther outside is a miss
	confLow     // limits of a factor
	confHigh    //
	confAfter   // errors before the size of one is limited …
	confWinsor  // … to so many mean sizes
)

// NewConformal returns the constants of one horizon; after errors, the size of one
// counts for at most winsor times the mean.
func NewConformal(levels, horizon int, rate, slack, low, high, after, winsor float64) *Conformal {
	return &Conformal{levels, [8]float64{1, float64(horizon), rate, slack, low, high, after, winsor}, make([]int64, 1+levels)}
}

// Learn takes the targets y, NaN for none, whose forecasts had been forecast and half
// the widths of whose intervals are in half, levels rows that are stride apart. count
// is the number of errors, scale their mean size, own the factors, laid out as half
// is. steps are what a target inside and one outside multiply a factor by, at each
// level. Variables have a vote, and their factors move, where voting is positive and
// there were more errors than the horizon. A forecast that was always right is no
// error.
//
// It returns the number of votes, and of targets outside at each level; the latter is
// overwritten by the next call.
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
