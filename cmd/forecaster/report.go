package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/varmodel"
)

// reportFlags adds the flags of commands that can draw what they did.
func reportFlags(cmd *cobra.Command) {
	cmd.Flags().String("report", "", "write a page with tables and plots to this file: .html, needs nothing else")
	cmd.Flags().String("plots", "", "write each plot as SVG and PNG into this folder")
}

// reporting is where the report of a command goes; the zero value is nowhere.
type reporting struct{ page, plots string }

func reportingOf(cmd *cobra.Command) reporting {
	var r reporting
	r.page, _ = cmd.Flags().GetString("report")
	r.plots, _ = cmd.Flags().GetString("plots")
	return r
}

func (r reporting) wanted() bool { return r.page != "" || r.plots != "" }

// write makes the files and says where they are.
func (r reporting) write(w io.Writer, rep *report.Report) error {
	b := readBuildInfo()
	rep.Made = "forecaster " + b.Version
	if r.page != "" {
		if err := rep.WriteFile(r.page); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		fmt.Fprintf(w, "report: %s\n", r.page)
	}
	if r.plots != "" {
		names, err := rep.WriteFiles(r.plots)
		if err != nil {
			return fmt.Errorf("--plots: %w", err)
		}
		fmt.Fprintf(w, "plots: %d files in %s\n", len(names), r.plots)
	}
	return nil
}

// coverageLevels are the levels whose coverage a report shows beside those that are
// configured.
var coverageLevels = []float64{.5, .8, .9, .95}

// weightsEvery is how often replay looks at the weights for a report, in samples of a
// series.
const weightsEvery = 20

// withCoverageLevels returns levels and, behind them, what is missing.
func withCoverageLevels(levels []float64) []float64 {
	all := slices.Clone(levels)
	for _, l := range coverageLevels {
		if !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// tracer draws a model as evaluate runs it.
type tracer struct {
	trace   *report.Trace
	data    *eval.Dataset
	options eval.Options
	horizon int        // that is drawn
	scores  *surprises // or nil
	marked  *labels    // or nil
	start   []int      // of each series in marked
	every   int        // steps between two looks at the weights
	steps   int
	end     eval.Step // of the first series
	weights []float64
}

func newTracer(model string, data *eval.Dataset, o eval.Options, scores *surprises, marked *labels) *tracer {
	t := &tracer{
		trace: report.NewTrace(report.Config{
			Model: model, Horizon: o.Horizons[0], Variables: data.Variables, Levels: o.Levels,
		}),
		data: data, options: o, horizon: o.Horizons[0], scores: scores, marked: marked,
		every: max(1, data.Len()/1000),
	}
	n := 0
	for _, s := range data.Series {
		t.start = append(t.start, n)
		n += len(s.Rows)
	}
	return t
}

// step implements observer.
func (t *tracer) step(f eval.Forecaster, s eval.Step) {
	d, h := t.data.Dim(), t.options.Horizon
	r := report.Step{
		Series: s.Series, Time: t.data.Series[s.Series].Times[s.Row], Y: s.Y, Anomaly: math.NaN(),
		Scored: s.Row >= t.options.From && (t.options.To == 0 || s.Row < t.options.To),
	}
	if s.Forecast != nil {
		r.Forecast = s.Forecast[(t.horizon-1)*d : t.horizon*d]
	}
	if s.Lower != nil {
		r.Lower, r.Upper = atHorizon(s.Lower, d, h, t.horizon), atHorizon(s.Upper, d, h, t.horizon)
	}
	if t.scores != nil {
		r.Anomaly = t.scores.series[s.Series].scores[s.Row].score
	}
	if t.marked != nil {
		i := t.start[s.Series] + s.Row
		r.Labelled = t.marked.known[i] && t.marked.anomalous[i]
	}
	t.trace.Step(r)
	if w, ok := f.(varmodel.Weighted); ok && t.steps%t.every == 0 {
		if names := w.Experts(); len(names) > 0 {
			if t.weights == nil {
				t.weights = make([]float64, len(names)*d)
			}
			w.WeightsTo(t.weights)
			t.trace.Weights(names, t.weights)
		}
	}
	t.steps++
	if s.Series == 0 {
		t.end.Row = s.Row
		t.end.Forecast = append(t.end.Forecast[:0], s.Forecast...)
		t.end.Lower = append(t.end.Lower[:0], s.Lower...)
		t.end.Upper = append(t.end.Upper[:0], s.Upper...)
	}
}

// atHorizon picks horizon k out of bounds of levels x h x d.
func atHorizon(bounds []float64, d, h, k int) []float64 {
	var out []float64
	for from := (k - 1) * d; from < len(bounds); from += h * d {
		out = append(out, bounds[from:from+d]...)
	}
	return out
}

// finish adds the forecasts after the last row and returns the trace.
func (t *tracer) finish() *report.Trace {
	times, d := t.data.Series[0].Times, t.data.Dim()
	if n := t.end.Row; n > 0 && len(t.end.Forecast) > 0 {
		spacing := times[n] - times[n-1]
		for h := range t.options.Horizon {
			var lower, upper []float64
			if len(t.end.Lower) > 0 {
				lower, upper = t.end.Lower[h*d:(h+1)*d], t.end.Upper[h*d:(h+1)*d]
			}
			t.trace.Future(times[n]+int64(h+1)*spacing, t.end.Forecast[h*d:(h+1)*d], lower, upper)
		}
	}
	return t.trace
}

// traceSink draws a model as replay runs it.
type traceSink struct {
	cfg    *config.Config
	trace  *report.Trace
	dim    int
	series map[*stream.Series]int
	future []stream.Forecast // of the first series, copied
}

// Write implements stream.Sink.
func (t *traceSink) Write(_ context.Context, b *stream.Batch) error {
	next, insight := 0, 0 // in the order of the observations that they belong to
	for i := range b.Observations {
		o := &b.Observations[i]
		if t.trace == nil {
			t.series, t.dim = make(map[*stream.Series]int), len(o.Y)
			t.trace = report.NewTrace(report.Config{
				Model: t.cfg.Model.Type, Horizon: emitted(t.cfg)[0], Variables: o.Series.Variables, Levels: t.cfg.Model.Levels,
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
		if len(o.Y) == t.dim { // a series may have other variables than the first
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
func (t *traceSink) Close() error { return nil }

// finish adds the forecasts after the last sample and returns the trace, nil when
// there was no sample.
func (t *traceSink) finish() *report.Trace {
	for _, f := range t.future {
		var lower, upper []float64
		if len(f.Lower) > 0 {
			lower, upper = f.Lower[:t.dim], f.Upper[:t.dim]
		}
		t.trace.Future(f.Time, f.Yhat, lower, upper)
	}
	return t.trace
}

// printTable prints a table as a report shows it on a page; on a terminal, unless
// NO_COLOR is set, with colours.
func printTable(w io.Writer, r report.Table) {
	coloured := isTerminal(w)
	header := slices.Clone(r.Header)
	if coloured {
		for i, h := range header {
			header[i] = text.Bold.Sprint(h)
		}
	}
	t := newTable(r.Numeric, header...)
	for _, cells := range r.Rows {
		row := make([]any, len(cells))
		for i, c := range cells {
			row[i] = c
			if n, err := strconv.Atoi(c); err == nil {
				row[i] = n // aligned as a number in any column
			}
			if coloured {
				row[i] = paint(r.Header[i], row[i])
			}
		}
		t.AppendRow(row)
	}
	if len(r.Rows) > 0 {
		fmt.Fprintln(w, t.Render())
	}
}

// paint colours a cell: skill is green where a model is better than the other and
// red where it is worse.
func paint(header string, cell any) any {
	if !strings.Contains(header, "vs ") {
		return cell
	}
	switch skill, err := strconv.ParseFloat(fmt.Sprint(cell), 64); {
	case err != nil || skill == 0:
		return cell
	case skill > 0:
		return text.FgGreen.Sprint(cell)
	default:
		return text.FgRed.Sprint(cell)
	}
}
