package engine

import (
	"fmt"
	"math"
	"time"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// limitWatch records which variables are expected to reach their limits. Nil: no limits.
type limitWatch struct {
	limits   []scoring.Limit
	expected []bool // whether the last event of the variable expects it to reach its limit
}

func newLimitWatch(c *Config, variables []string) *limitWatch {
	if c.Limits == nil {
		return nil
	}
	limits := c.Limits(variables)
	if limits == nil {
		return nil
	}
	return &limitWatch{limits, make([]bool, len(limits))}
}

func (w *limitWatch) state(c *snapshot.Codec) {
	for j := range w.expected {
		c.Bool(&w.expected[j])
	}
}

// limitOver is the probability below which an expectation to reach a limit ends; it begins at 1/2. The distance
// keeps forecasts that fluctuate around one value from causing many events.
const limitOver = .25

// watchLimits sets o.Reach, o.TimeToLimit and sc.reach from the forecasts of r. It adds an event
// when an expectation to reach a limit begins or ends.
func (sc *scorer) watchLimits(dst *Results, o *stream.Observation, r *stepResult) {
	w := r.series.limits
	if w == nil {
		return
	}
	n, d := len(sc.c.Emit), len(r.y)
	resize(&sc.reach, n*d)
	resize(&sc.path, 4*n)
	lowers, uppers := halves(r.bounds)
	yhat, lower, upper, reach := sc.path[:n], sc.path[n:2*n], sc.path[2*n:3*n], sc.path[3*n:]
	level := 0.
	if len(sc.c.Levels) > 0 {
		level = sc.c.Levels[0]
	}
	v := dst.room(2 * d)
	o.Reach, o.TimeToLimit = v[:d:d], v[d:]
	for j, limit := range w.limits {
		for k, h := range sc.c.Emit {
			at := (h-1)*d + j
			yhat[k], lower[k], upper[k] = r.yhat[at], math.NaN(), math.NaN()
			if len(sc.c.Levels) > 0 {
				lower[k], upper[k] = lowers[at], uppers[at]
			}
		}
		first := limit.ReachTo(reach, r.y[j], yhat, lower, upper, level)
		for k, p := range reach {
			sc.reach[k*d+j] = p
		}
		o.Reach[j], o.TimeToLimit[j] = reach[n-1], math.NaN()
		switch {
		case limit.Reached(r.y[j]):
			o.TimeToLimit[j] = 0
		case first >= 0 && r.spacing != 0:
			o.TimeToLimit[j] = time.Duration(r.spacing.After(r.time, sc.c.Emit[first]) - r.time).Seconds()
		}
		if text := w.change(j, first >= 0, o); text != "" {
			s := r.series.info
			dst.Events = append(dst.Events, stream.Event{Series: s.Name, Tags: s.Tags, Time: r.time, Kind: event.Limit, Text: text})
		}
	}
}

// change updates the expectation of the j-th variable. It returns the text of the event, "" if the expectation is
// unchanged.
func (w *limitWatch) change(j int, likely bool, o *stream.Observation) string {
	limit := fmt.Sprintf("%s %s", o.Series.Variables[j], w.limits[j])
	switch p := o.Reach[j]; {
	case likely && !w.expected[j]:
		w.expected[j] = true
		if o.TimeToLimit[j] == 0 {
			return limit + " is reached"
		}
		text := limit + " is expected to be reached"
		if t := o.TimeToLimit[j]; !math.IsNaN(t) {
			text += " in " + time.Duration(t*float64(time.Second)).String()
		}
		if !math.IsNaN(p) {
			text += fmt.Sprintf(", within the horizon with probability %.2f", p)
		}
		return text
	case !likely && w.expected[j] && !(p >= limitOver):
		w.expected[j] = false
		return limit + " is no longer expected to be reached within the horizon"
	}
	return ""
}
