package engine

import (
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// forecast passes the forecasts of r and of the baselines to the scorers, and emits the points.
func (sc *scorer) forecast(dst *Results, o *stream.Observation, r *stepResult) {
	s := r.series
	sc.shape(len(r.y))
	s.forget()
	s.issue(r.yhat)
	s.bounds.clip(r.yhat) // after issue: the companions learn from the errors of the unclipped forecasts
	ref := sc.referenceForecast(s)
	for i, m := range s.baselines {
		switch {
		case m.scorer == nil:
		case i == sc.reference:
			if ref != nil {
				m.scorer.Push(ref, nil, nil, ref)
			}
		case m.f.ForecastTo(sc.yhat):
			m.scorer.Push(sc.yhat, nil, nil, ref)
		}
	}
	if r.yhat == nil {
		s.follow(nil, nil, nil)
		return
	}
	sc.bounds(dst, r)
	s.follow(r.yhat, sc.lower, sc.upper)
	s.scorers[0].Push(r.yhat, sc.lower, sc.upper, ref)
	if sc.c.Joint {
		sc.region(r)
		s.scorers[0].PushJoint(sc.jointLower, sc.jointUpper)
	}
	copy(s.yhat, r.yhat)
	sc.watchLimits(dst, o, r)
	if !sc.c.Evaluation.NoForecasts {
		sc.emit(dst, r)
	}
}

// shape resizes the scratch memory for dim variables.
func (sc *scorer) shape(dim int) {
	n := sc.c.Horizon * dim
	if len(sc.yhat) == n {
		return
	}
	resize(&sc.yhat, n)
	resize(&sc.ref, n)
	if sc.c.Joint {
		resize(&sc.jointLower, n)
		resize(&sc.jointUpper, n)
	}
}

func resize[T any](v *[]T, n int) { *v = slices.Grow((*v)[:0], n)[:n] }

// referenceForecast returns the forecast of the reference baseline, or nil.
func (sc *scorer) referenceForecast(s *scoredSeries) []float64 {
	if sc.reference < 0 || !s.baselines[sc.reference].f.ForecastTo(sc.ref) {
		return nil
	}
	return sc.ref
}

// bounds sets sc.lower and sc.upper to the intervals of the forecasts of r at the horizons in Emit. An interval is
// NaN if it is unknown or not finite. The memory belongs to dst.
func (sc *scorer) bounds(dst *Results, r *stepResult) {
	n := len(sc.c.Levels) * len(r.yhat)
	if n == 0 {
		return
	}
	v, ok := r.bounds, r.bounds != nil
	if !ok {
		v = dst.room(2 * n)
	}
	sc.lower, sc.upper = v[:n], v[n:]
	if !ok && r.series.intervals != nil {
		ok = r.series.intervals.BoundsTo(sc.lower, sc.upper)
	}
	d := len(r.y)
	for l := range sc.c.Levels {
		for _, h := range sc.c.Emit {
			at := (l*sc.c.Horizon + h - 1) * d
			lower, upper := sc.lower[at:at+d], sc.upper[at:at+d]
			for j, v := range lower {
				if s := v - v + (upper[j] - upper[j]); !ok || s != 0 { // s is NaN unless both ends are finite
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

// region sets sc.jointLower and sc.jointUpper to the joint region of the forecasts of r, NaN without one.
func (sc *scorer) region(r *stepResult) {
	if r.region != nil {
		copy(sc.jointLower, r.region)
		copy(sc.jointUpper, r.region[len(sc.jointLower):])
		for _, b := range []*bounds{r.series.bounds, &r.learnt} {
			b.clip(sc.jointLower)
			b.clip(sc.jointUpper)
		}
		return
	}
	for i := range sc.jointLower {
		sc.jointLower[i], sc.jointUpper[i] = math.NaN(), math.NaN()
	}
}

// emit appends the forecasts of r, unless the spacing is unknown. It skips a target time for which an earlier
// forecast of the same horizon was written.
func (sc *scorer) emit(dst *Results, r *stepResult) {
	if r.spacing == 0 {
		return
	}
	s, at := r.series, issuedAt{r.time, r.spacing}
	shared := sc.c.Interval == 0 && sc.c.Months == 0 // several origins can share a target time
	if shared && !s.issued.add(at, sc.c.Horizon) {
		return
	}
	if sc.c.Months > 0 && time.Unix(0, r.time).UTC().Day() >= shortestMonth {
		if shared = true; !s.issued.addMonthEnd(at) {
			return
		}
	}
	sc.earlier = sc.earlier[:0]
	if shared {
		sc.earlier = s.issued.mayShare(sc.earlier, at)
	}
	d := len(r.y)
	for k, h := range sc.c.Emit {
		target := at.target(h)
		if target == math.MaxInt64 {
			return // beyond the year 2262 there is no time in ns
		}
		if sc.earlier.taken(target, h) {
			continue
		}
		from, to := (h-1)*d, h*d
		dst.Forecasts = append(dst.Forecasts, stream.Forecast{
			Series: s.info, Model: sc.c.Model, Origin: r.time, Row: r.row, Time: target, Horizon: h,
			Yhat: r.yhat[from:to:to], Lower: sc.atHorizon(dst, sc.lower, from, to), Upper: sc.atHorizon(dst, sc.upper, from, to),
		})
		f := &dst.Forecasts[len(dst.Forecasts)-1]
		if s.limits != nil {
			f.Reach = dst.vector(sc.reach[k*d : (k+1)*d])
		}
		if sc.c.Joint {
			f.JointLower, f.JointUpper = dst.vector(sc.jointLower[from:to]), dst.vector(sc.jointUpper[from:to])
		}
	}
}

// atHorizon returns the L x dim bounds of one horizon, the columns [from, to) of bounds, L x (H dim).
func (sc *scorer) atHorizon(dst *Results, bounds []float64, from, to int) []float64 {
	if len(sc.c.Levels) == 1 {
		return bounds[from:to:to]
	}
	v := dst.room(len(sc.c.Levels) * (to - from))
	for l := range sc.c.Levels {
		row := bounds[l*len(sc.yhat):]
		copy(v[l*(to-from):], row[from:to])
	}
	return v
}
