package job

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

// The limits of a GapWatch.
const (
	gapSeries = 1000 // that are watched
	gapSteps  = 100  // first steps of a series, whose median is its spacing
)

// GapWatch is a tap that looks for gaps in regular series, which a model without
// pipeline.interval does not see: it takes the samples before and after as neighbours.
type GapWatch struct {
	interval config.Interval // 0 = none is configured
	series   map[string]*steps
	settled  int // series with gapSteps steps, whose spacing is known
}

// steps are those between the samples of a series.
type steps struct {
	last    int64
	all     []int64 // the first ones, then those that are no spacing
	regular int     // steps of one spacing after the first ones
	spacing int64   // 0 = not known yet
}

// NewGapWatch returns a GapWatch for a job.
func NewGapWatch(c *config.Config) *GapWatch {
	return &GapWatch{interval: c.Pipeline.Interval, series: make(map[string]*steps)}
}

// Write implements stream.Sink.
func (g *GapWatch) Write(_ context.Context, b *stream.Batch) error {
	for i := range b.Observations {
		o := &b.Observations[i]
		g.Add(o.Series.Name, o.Time)
	}
	return nil
}

// Add looks at a sample.
func (g *GapWatch) Add(series string, time int64) {
	s := g.series[series]
	switch {
	case s == nil && len(g.series) == gapSeries:
	case s == nil:
		g.series[series] = &steps{last: time}
	case time > s.last: // not late
		if s.add(time - s.last) {
			g.settled++
		}
		s.last = time
	}
}

// Close implements stream.Sink.
func (g *GapWatch) Close() error { return nil }

// add reports whether the spacing is known from this step on.
func (s *steps) add(step int64) (settled bool) {
	if s.spacing > 0 && step == s.spacing {
		s.regular++
		return false
	}
	s.all = append(s.all, step)
	if settled = len(s.all) == gapSteps && s.spacing == 0; settled {
		s.settle()
	}
	return settled
}

// settle takes the median of the steps for the spacing.
func (s *steps) settle() {
	sorted := slices.Sorted(slices.Values(s.all))
	s.spacing = sorted[len(sorted)/2]
	n := len(s.all)
	s.all = slices.DeleteFunc(s.all, func(step int64) bool { return step == s.spacing })
	s.regular += n - len(s.all)
}

// Hint returns the number of gaps and the setting that fills them. "": no gap, or the
// series are not regular, with nine of ten steps alike. With an interval, gaps are filled,
// and Hint says when the samples do not fit to the interval.
func (g *GapWatch) Hint() string {
	if text := g.misfit(); text != "" || g.interval.Fixed() > 0 {
		return text
	}
	var spacing, most int64
	gaps := 0
	for _, s := range g.series {
		if s.spacing == 0 && len(s.all) >= 3 {
			s.settle()
		}
		if s.spacing <= 0 || s.regular < 9*len(s.all) || spacing > 0 && s.spacing != spacing {
			continue
		}
		for _, step := range s.all {
			if step >= 2*s.spacing && step%s.spacing == 0 {
				gaps++
				most = max(most, step/s.spacing-1)
				spacing = s.spacing
			}
		}
	}
	const remedy = "add --set pipeline.interval=%s, or the model takes the samples around a gap for neighbours"
	interval := config.ShortDuration(time.Duration(spacing))
	steps := "steps"
	if most == 1 {
		steps = "step"
	}
	switch gaps {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("1 gap of %d %s: "+remedy, most, steps, interval)
	}
	return fmt.Sprintf("%d gaps, the longest of %d %s: "+remedy, gaps, most, steps, interval)
}
