package study

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/report"
)

// coverageLevels are the levels whose coverage a report shows beside those that are
// configured.
var coverageLevels = []float64{.5, .8, .9, .95}

// WithCoverageLevels returns levels and, behind them, what is missing.
func WithCoverageLevels(levels []float64) []float64 {
	all := slices.Clone(levels)
	for _, l := range coverageLevels {
		if !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// Tracer draws a model as evaluate runs it.
type Tracer struct {
	trace   *report.Trace
	data    *eval.Dataset
	options eval.Options
	horizon int        // that is drawn
	scores  *Anomalies // or nil
	marked  *Labels    // or nil
	start   []int      // of each series in marked
	every   int        // steps between two looks at the weights
	steps   int
	end     eval.Step // of the first series
	weights []float64
}

func NewTracer(model string, data *eval.Dataset, o eval.Options, scores *Anomalies, marked *Labels) *Tracer {
	t := &Tracer{
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
func (t *Tracer) step(f eval.Forecaster, s eval.Step) {
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
		r.Anomaly = t.scores.series[s.Series].scores[s.Row].Score
	}
	if t.marked != nil {
		i := t.start[s.Series] + s.Row
		r.Labelled = t.marked.known[i] && t.marked.anomalous[i]
	}
	t.trace.Step(r)
	if w, ok := eval.As[eval.Mixture](f); ok && t.steps%t.every == 0 {
		names := w.Experts()
		if t.weights == nil {
			t.weights = make([]float64, len(names)*d)
		}
		w.WeightsTo(t.weights)
		t.trace.Weights(names, t.weights)
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
func (t *Tracer) Finish() *report.Trace {
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
