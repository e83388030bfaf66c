package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/varmodel/series"
)

// oddAlike is the largest difference of two jumps of the same size, in jumps.
const oddAlike = .25

// reviewYouth looks for odd samples among the samples of a young series. The limits of a young gate are wide, so glitches
// counted, and scales, weights and seasons come mostly from them. The odd samples become samples that were held back.
// Statistics, smoothers and the mixture of the panel begin again, and a refit has to follow.
func (s *autoSeries) reviewYouth() {
	var odd []readmitted
	for j := range s.gate.of {
		odd = append(odd, s.gate.of[j].review(j, s.past)...)
	}
	if len(odd) == 0 {
		return
	}
	for _, c := range odd {
		s.readmit(c)
		s.past.ObservedAt(c.lag)[c.variable] = false
	}
	d := s.m.cfg.Dim
	*s.scaler, *s.local, *s.panel = *series.NewScaler(d), *newLocalMean(d), *newPanel(s.m)
	y := make([]float64, d)
	for l := s.past.Count - 1; l >= 0; l-- {
		copyWhere(y, s.past.Lag(l), s.past.ObservedAt(l))
		s.panel.mixture.Observe(y, s.past.Lag(min(l+1, s.past.Count-1)), false) // typical steps
		s.local.Add(y)
		s.scaler.Add(y)
	}
	if s.remainder != nil {
		s.computeRemainder()
	}
	if !s.smoothing.rests(s) {
		s.smoothing.begin(s, 0)
	}
	if s.multihorizon != nil {
		s.multihorizon.begin()
	}
}

// review returns the odd samples of variable j in the past, with the values that replace them, and sets the running
// medians as if they had been held back. The range includes the odd samples, so the limit is that inside the range, for the
// distance from the median of the samples around. The first samples of a level are not odd, because the median is that of
// at most oddRun samples on either side. Odd samples at equal distances count, and two odd samples of the same size, which
// may begin a schedule.
func (o *gateOf) review(j int, past *series.History) (odd []readmitted) {
	step := typicalStep(past, j)
	if step == 0 {
		return nil
	}
	x := make([]float64, past.Count) // from the last sample
	for l := range x {
		x[l] = past.Lag(l)[j]
	}
	var schedule gateOf
	var jumps []float64
	held := false
	for l := len(x) - 1; l >= 0; l-- {
		side := min(oddRun, l, len(x)-1-l)
		around := median(slices.Clone(x[l-side : l+side+1]))
		jump, was := x[l]-around, held
		schedule.since++
		held = !past.ObservedAt(l)[j]
		switch {
		case held && was:
			continue
		case held:
			jump = o.alone[0] - o.level - around // NaN if no sample was odd: a missing sample
		case math.Abs(jump) > oddInside*oddStep*step:
			odd = append(odd, readmitted{j, l, around})
		default:
			continue
		}
		schedule.meet()
		jumps = append(jumps, jump)
	}
	switch n := len(jumps); {
	case len(odd) == 0 || n > 2 && schedule.equal >= n-2:
		return nil
	case n == 2 && math.Abs(jumps[1]-jumps[0]) < oddAlike*math.Abs(jumps[0]):
		return nil
	}
	o.step, o.err = step, min(o.err, step)
	return odd
}

// typicalStep returns the median of the absolute steps of variable j in the past that are not 0; 0: there are none.
func typicalStep(past *series.History, j int) float64 {
	var steps []float64
	for l := range min(past.Count, past.Depth) - 1 {
		if step := math.Abs(past.Lag(l)[j] - past.Lag(l + 1)[j]); step > 0 {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	return median(steps)
}

// median sorts v, and returns its median.
func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
