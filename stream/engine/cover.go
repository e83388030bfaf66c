package engine

import (
	"math"
	"slices"
)

// cover is the stage of the intervals: it passes samples and forecasts to the companions, and sets the bounds and the
// region of the forecasts. Forecasts, bounds and region are clipped to the possible values.
func (sc *scorer) cover(dst *Results, r *stepResult) error {
	if r.kind == resultEvent {
		dst.Events = append(dst.Events, *r.event)
		return nil
	}
	s := r.series
	s.changed = true
	switch r.kind {
	case resultBegin:
		sc.begin(s)
	case resultSample:
		s.show(r)
		sc.watch(dst, s, r.time)
		s.issue(r.yhat)
		if r.yhat == nil {
			return nil
		}
		s.bounds.clip(r.yhat) // after issue: the companions learn from the errors of the unclipped forecasts
		sc.setBounds(dst, r)
		if sc.c.Joint {
			sc.setRegion(dst, r)
		}
	case resultFill:
		s.show(r)
		s.issue(r.yhat)
	case resultBreak:
		s.issue(nil)
	}
	return nil
}

// show passes the sample of r to the companions.
func (s *scoredSeries) show(r *stepResult) {
	if s.intervals != nil {
		s.intervals.SetPhases(r.phases)
	}
	for _, c := range s.companions {
		c.Observe(r.y)
	}
}

// issue passes the forecasts to the companions. yhat = nil: no forecasts.
func (s *scoredSeries) issue(yhat []float64) {
	for _, c := range s.companions {
		if yhat == nil {
			c.ResetLags()
		} else {
			c.Issue(yhat)
		}
	}
}

// setBounds sets r.bounds at the horizons in Emit. An interval is NaN if it is unknown or not finite. The memory belongs
// to dst.
func (sc *scorer) setBounds(dst *Results, r *stepResult) {
	n := len(sc.c.Levels) * len(r.yhat)
	if n == 0 {
		return
	}
	known := r.bounds != nil
	if !known {
		r.bounds = dst.room(2 * n)
	}
	lowers, uppers := halves(r.bounds)
	if !known && r.series.intervals != nil {
		known = r.series.intervals.BoundsTo(lowers, uppers)
	}
	d := len(r.y)
	for l := range sc.c.Levels {
		for _, h := range sc.c.Emit {
			at := (l*sc.c.Horizon + h - 1) * d
			lower, upper := lowers[at:at+d], uppers[at:at+d]
			for j, v := range lower {
				if s := v - v + (upper[j] - upper[j]); !known || s != 0 { // s is NaN unless both ends are finite
					lower[j], upper[j] = math.NaN(), math.NaN()
				}
			}
			for _, b := range []*bounds{r.series.bounds, &r.learnt} {
				b.clip(lower)
				b.clip(upper)
			}
		}
	}
}

// setRegion clips the joint region of the forecasts of r, or sets it to NaN without one.
func (sc *scorer) setRegion(dst *Results, r *stepResult) {
	if r.region == nil {
		r.region = dst.room(2 * len(r.yhat))
		fillNaN(r.region)
		return
	}
	for _, b := range []*bounds{r.series.bounds, &r.learnt} {
		b.clip(r.region)
	}
}

// halves returns the lower and the upper half of v; nil if v is empty.
func halves(v []float64) (lower, upper []float64) {
	n := len(v) / 2
	return v[:n:n], v[n:]
}

func resize[T any](v *[]T, n int) { *v = slices.Grow((*v)[:0], n)[:n] }
