package engine

import (
	"math"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// emit is the stage of the forecasts: it appends them, and events for the limits that they reach.
func (sc *scorer) emit(dst *Results, r *stepResult) error {
	if r.kind != resultSample || r.yhat == nil {
		return nil
	}
	sc.watchLimits(dst, &dst.Observations[r.observation], r)
	if !sc.c.Evaluation.NoForecasts {
		sc.appendForecasts(dst, r)
	}
	return nil
}

// appendForecasts appends the forecasts of r, unless the spacing is unknown. It skips a target time for which an earlier
// forecast of the same horizon was written.
func (sc *scorer) appendForecasts(dst *Results, r *stepResult) {
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
	lower, upper := halves(r.bounds)
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
			Yhat: r.yhat[from:to:to], Lower: sc.atHorizon(dst, lower, from, to, len(r.yhat)), Upper: sc.atHorizon(dst, upper, from, to, len(r.yhat)),
		})
		f := &dst.Forecasts[len(dst.Forecasts)-1]
		if s.limits != nil {
			f.Reach = dst.vector(sc.reach[k*d : (k+1)*d])
		}
		if sc.c.Joint {
			lower, upper := halves(r.region)
			f.JointLower, f.JointUpper = lower[from:to:to], upper[from:to:to]
		}
	}
}

// atHorizon returns the L x dim bounds of one horizon, the columns [from, to) of bounds, L x n.
func (sc *scorer) atHorizon(dst *Results, bounds []float64, from, to, n int) []float64 {
	if len(sc.c.Levels) == 1 {
		return bounds[from:to:to]
	}
	v := dst.room(len(sc.c.Levels) * (to - from))
	for l := range sc.c.Levels {
		row := bounds[l*n:]
		copy(v[l*(to-from):], row[from:to])
	}
	return v
}
