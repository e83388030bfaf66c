package study

import (
	"context"
	"slices"

	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
)

// coverageLevels are the levels whose coverage a report always shows.
var coverageLevels = []float64{.5, .8, .9, .95}

// WithCoverageLevels returns levels, followed by the coverage levels that are not among them.
func WithCoverageLevels(levels []float64) []float64 {
	all := slices.Clone(levels)
	for _, l := range coverageLevels {
		if !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// Tracer builds a report.Trace from the batches of an engine.
type Tracer struct {
	Model   string
	Horizon int // horizon of the forecasts in the plot
	Levels  []float64

	// Scored and Labelled report whether a row of a series is scored, and labelled as anomalous. Series and rows are
	// counted in order of appearance. Nil: all rows are scored, none is labelled.
	Scored, Labelled func(series, row int) bool

	trace  *report.Trace
	dim    int
	series map[*stream.Series]int
	rows   []int             // by series: number of rows so far
	future []stream.Forecast // last forecasts of the first series, copied
}

// Write implements stream.Sink.
func (t *Tracer) Write(_ context.Context, b *stream.Batch) error {
	t.Add(b)
	return nil
}

// Close implements stream.Sink.
func (t *Tracer) Close() error { return nil }

// Add adds the points of b.
func (t *Tracer) Add(b *stream.Batch) {
	next, insight := 0, 0 // forecasts and insights are in the order of their observations
	for i := range b.Observations {
		o := &b.Observations[i]
		if t.trace == nil {
			t.series, t.dim = make(map[*stream.Series]int), len(o.Y)
			t.trace = report.NewTrace(report.Config{Model: t.Model, Horizon: t.Horizon, Variables: o.Series.Variables, Series: o.Series.Name, Levels: t.Levels})
		}
		s, seen := t.series[o.Series]
		if !seen {
			s = len(t.series)
			t.series[o.Series], t.rows = s, append(t.rows, 0)
		}
		step := report.Step{
			Series: s, Time: o.Time, Y: o.Y, Anomaly: o.AnomalyScore,
			Scored: t.Scored == nil || t.Scored(s, t.rows[s]), Labelled: t.Labelled != nil && t.Labelled(s, t.rows[s]),
		}
		t.rows[s]++
		from := next
		for next < len(b.Forecasts) && b.Forecasts[next].Series == o.Series && b.Forecasts[next].Origin == o.Time {
			if f := &b.Forecasts[next]; f.Horizon == t.Horizon {
				step.Forecast, step.Lower, step.Upper = f.Yhat, f.Lower, f.Upper
			}
			next++
		}
		if s == 0 {
			t.future = t.future[:0]
			for _, f := range b.Forecasts[from:next] {
				f.Yhat, f.Lower, f.Upper = slices.Clone(f.Yhat), slices.Clone(f.Lower), slices.Clone(f.Upper)
				t.future = append(t.future, f)
			}
		}
		if len(o.Y) == t.dim { // other series may have other variables
			t.trace.Step(step)
		}
		for insight < len(b.Insights) && b.Insights[insight].Series == o.Series && b.Insights[insight].Time == o.Time {
			if in := &b.Insights[insight]; in.Weights != nil {
				t.trace.Weights(in.Experts, in.Weights)
			}
			insight++
		}
	}
}

// Finish adds the forecasts after the last sample, and returns the trace; nil without a sample.
func (t *Tracer) Finish() *report.Trace {
	for _, f := range t.future {
		var lower, upper []float64
		if len(f.Lower) > 0 {
			lower, upper = f.Lower[:t.dim], f.Upper[:t.dim]
		}
		t.trace.Future(f.Time, f.Yhat, lower, upper)
	}
	return t.trace
}
