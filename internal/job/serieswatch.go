package job

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// seriesWatch is a tap of a partition that counts the silent series, and those that are expected to reach a limit. /metrics
// has these counts instead of a metric per series.
type seriesWatch struct {
	now func() time.Time

	mu     sync.Mutex
	series map[string]*watchedSeries
}

// watchedSeries is one series.
type watchedSeries struct {
	arrived time.Time // arrival of the last sample
	time    int64     // time stamp of the last sample, ns since 1970
	spacing float64   // mean of the last steps between samples, ns; 0: not known yet
	steps   float64   // number of steps in the mean

	expected    int     // number of variables that are expected to reach their limit
	timeToLimit float64 // seconds until the first of them does; NaN: none
}

const (
	spacingSteps = 50 // largest number of steps in the mean
	silentAfter  = 10 // a series is silent after this number of spacings without a sample
)

func newSeriesWatch() *seriesWatch {
	return &seriesWatch{now: time.Now, series: make(map[string]*watchedSeries)}
}

// Write implements stream.Sink.
func (w *seriesWatch) Write(_ context.Context, b *stream.Batch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	for i := range b.Observations {
		o := &b.Observations[i]
		s := w.series[o.Series.Name]
		if s == nil {
			s = &watchedSeries{}
			w.series[o.Series.Name] = s
		} else if step := o.Time - s.time; step > 0 {
			s.steps = min(s.steps+1, spacingSteps)
			s.spacing += (float64(step)/float64(o.Missing+1) - s.spacing) / s.steps
		}
		s.arrived, s.time = now, o.Time
		s.expected, s.timeToLimit = 0, math.NaN()
		for _, t := range o.TimeToLimit {
			if !math.IsNaN(t) {
				s.expected++
				if !(t >= s.timeToLimit) {
					s.timeToLimit = t
				}
			}
		}
	}
	return nil
}

// Close implements stream.Sink.
func (w *seriesWatch) Close() error { return nil }

// silent returns the number of series without a sample for silentAfter spacings.
func (w *seriesWatch) silent() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	for _, s := range w.series {
		if s.spacing > 0 && float64(now.Sub(s.arrived)) > silentAfter*s.spacing {
			n++
		}
	}
	return n
}

// limits returns the number of variables that are expected to reach a limit, and the seconds until the first does; NaN:
// none.
func (w *seriesWatch) limits() (expected int, first float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	first = math.NaN()
	for _, s := range w.series {
		expected += s.expected
		if s.expected > 0 && !(s.timeToLimit >= first) {
			first = s.timeToLimit
		}
	}
	return expected, first
}
