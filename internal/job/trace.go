package job

import (
	"context"
	"slices"

	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
)

// WeightsEvery is the number of samples of a series between two readings of the experts'
// weights for a report.
const WeightsEvery = 20

// TraceSink is a tap that collects what a report draws of a replay.
type TraceSink struct {
	Cfg    *config.Config
	trace  *report.Trace
	dim    int
	series map[*stream.Series]int
	future []stream.Forecast // of the first series, copied
}

// Write implements stream.Sink.
func (t *TraceSink) Write(_ context.Context, b *stream.Batch) error {
	next, insight := 0, 0 // forecasts and insights have the order of their observations
	for i := range b.Observations {
		o := &b.Observations[i]
		if t.trace == nil {
			t.series, t.dim = make(map[*stream.Series]int), len(o.Y)
			t.trace = report.NewTrace(report.Config{
				Model: t.Cfg.Model.Type, Horizon: build.Emitted(t.Cfg)[0], Variables: o.Series.Variables, Levels: t.Cfg.Model.Levels,
			})
		}
		s, seen := t.series[o.Series]
		if !seen {
			s = len(t.series)
			t.series[o.Series] = s
		}
		step := report.Step{Series: s, Time: o.Time, Y: o.Y, Anomaly: o.Score, Scored: true}
		from := next
		for next < len(b.Forecasts) && b.Forecasts[next].Series == o.Series && b.Forecasts[next].Origin == o.Time {
			next++
		}
		made := b.Forecasts[from:next]
		if len(made) > 0 {
			step.Forecast, step.Lower, step.Upper = made[0].Yhat, made[0].Lower, made[0].Upper
		}
		if s == 0 {
			t.future = t.future[:0]
			for _, f := range made {
				f.Yhat, f.Lower, f.Upper = slices.Clone(f.Yhat), slices.Clone(f.Lower), slices.Clone(f.Upper)
				t.future = append(t.future, f)
			}
		}
		if len(o.Y) == t.dim { // only series with the variables of the first are drawn
			t.trace.Step(step)
		}
		for insight < len(b.Insights) && b.Insights[insight].Series == o.Series && b.Insights[insight].Time == o.Time {
			if in := &b.Insights[insight]; in.Weights != nil {
				t.trace.Weights(in.Experts, in.Weights)
			}
			insight++
		}
	}
	return nil
}

// Close implements stream.Sink.
func (t *TraceSink) Close() error { return nil }

// Finish adds the forecasts after the last sample and returns the trace; it is nil if
// there was no sample.
func (t *TraceSink) Finish() *report.Trace {
	for _, f := range t.future {
		var lower, upper []float64
		if len(f.Lower) > 0 {
			lower, upper = f.Lower[:t.dim], f.Upper[:t.dim]
		}
		t.trace.Future(f.Time, f.Yhat, lower, upper)
	}
	return t.trace
}
