package job

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

// The limits of a GapWatch.
const (
	gapSeries = 1000 // largest number of series that are watched
	gapSteps  = 100  // number of first steps of a series, whose median is the spacing
)

// GapWatch is a tap that finds gaps in regular series, and samples that are older than an earlier one. A model without
// pipeline.interval takes the samples before and after a gap as neighbours.
type GapWatch struct {
	interval  config.Interval // 0: not configured
	exogenous []string        // names of inputs
	series    map[string]*steps
	settled   int  // number of series with a known spacing
	older     bool // a sample was older than an earlier one
}

// steps counts the steps between the samples of a series.
type steps struct {
	last    int64
	first   []int64 // first steps, until the spacing is known
	spacing int64   // 0: not known yet
	regular int     // number of steps of one spacing
	others  int     // number of other steps
	gaps    int     // number of other steps of several spacings
	most    int64   // largest number of samples missing in a gap
}

// NewGapWatch returns a GapWatch for a job.
func NewGapWatch(c *config.Config) *GapWatch {
	return &GapWatch{interval: c.Pipeline.Interval, exogenous: c.Model.Exogenous, series: make(map[string]*steps)}
}

// Write implements stream.Sink.
func (g *GapWatch) Write(_ context.Context, b *stream.Batch) error {
	for i := range b.Observations {
		o := &b.Observations[i]
		g.Add(o.Series.Name, o.Time)
		if s := g.series[o.Series.Name]; s != nil {
			s.last = o.Time // the engine has accepted the sample, so it is not late
		}
	}
	return nil
}

// AddRecord adds the time of a record that is a sample. Inputs that are known in advance come before the samples of their
// times and are no samples.
func (g *GapWatch) AddRecord(r *stream.Record) {
	if !r.Ahead && !g.hasInputsAlone(r) {
		g.Add(r.Series, r.Time)
	}
}

// hasInputsAlone reports whether a record has values of inputs and no value of another variable.
func (g *GapWatch) hasInputsAlone(r *stream.Record) bool {
	inputs := false
	for j, name := range r.Names {
		switch {
		case math.IsNaN(r.Values[j]):
		case !slices.Contains(g.exogenous, name):
			return false
		default:
			inputs = true
		}
	}
	return inputs
}

// Add adds the time of a sample.
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
	case time < s.last:
		g.older = true
	}
}

// Order returns the remedy for samples that are older than an earlier one; "": there are none.
func (g *GapWatch) Order() string {
	if !g.older {
		return ""
	}
	return "rows are older than rows before them: after ten in a row the series goes on from their time. Sort them with --sort, or leave out the row whose time is too late"
}

// Close implements stream.Sink.
func (g *GapWatch) Close() error { return nil }

// add reports whether the spacing is known from this step on.
func (s *steps) add(step int64) (settled bool) {
	if s.spacing > 0 {
		s.count(step)
		return false
	}
	s.first = append(s.first, step)
	if settled = len(s.first) == gapSteps; settled {
		s.settle()
	}
	return settled
}

// settle sets the spacing to the median of the first steps.
func (s *steps) settle() {
	s.spacing = slices.Sorted(slices.Values(s.first))[len(s.first)/2]
	for _, step := range s.first {
		s.count(step)
	}
	s.first = nil
}

func (s *steps) count(step int64) {
	switch {
	case step == s.spacing:
		s.regular++
		return
	case step >= 2*s.spacing && step%s.spacing == 0:
		s.gaps++
		s.most = max(s.most, step/s.spacing-1)
	}
	s.others++
}

// Hint returns the number of gaps, and the setting that fills them; "": there are no gaps, or fewer than nine of ten steps
// equal the spacing. With an interval, gaps are filled, and Hint warns if the samples do not fit it.
func (g *GapWatch) Hint() string {
	if text := g.misfit(); text != "" || g.interval.Fixed() > 0 {
		return text
	}
	var spacing, most int64
	gaps := 0
	for _, s := range g.series {
		if s.spacing == 0 && len(s.first) > 0 {
			s.settle()
		}
		if s.spacing <= 0 || s.gaps == 0 || s.regular < 9*s.others || spacing > 0 && s.spacing != spacing {
			continue
		}
		spacing, gaps, most = s.spacing, gaps+s.gaps, max(most, s.most)
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
