package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
)

// Outcome is the result of one model.
type Outcome struct {
	Results []Result         // by horizon
	Losses  []scoring.Losses // by horizon: losses of all samples in order, see engine.Evaluation
	Scaled  []scoring.Losses // Losses with errors in standard deviations of the scored rows; nil unless Options.Pooled
	Seasons []Seasons        // seasons of the first seed after the last row
	Mean    *Mean            // means over the horizons; nil for one horizon

	Detections []Detection  // detections of the first seed; nil without labels
	Limits     []LimitScore // limits of the first seed; nil without limits
}

// drawnWeights is the approximate number of points in the plot of expert weights.
const drawnWeights = 1000

// Candidate is a model to evaluate.
type Candidate struct {
	Config    *config.Config
	Observers []func(*stream.Batch) // called with each batch of the first seed
}

// EvaluateModel is EvaluateModels of one model.
func EvaluateModel(ctx context.Context, c *config.Config, records *Records, samples *Samples, o Options, steps *atomic.Int64) (*Outcome, error) {
	out, err := EvaluateModels(ctx, []Candidate{{Config: c}}, records, samples, o, steps)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// EvaluateModels runs models over the records, in the engine of run and replay. For each seed, all models share one pass
// over the records. samples come from the records. steps counts the records of each model.
func EvaluateModels(ctx context.Context, models []Candidate, records *Records, samples *Samples, o Options, steps *atomic.Int64) ([]*Outcome, error) {
	trials := make([]*trial, len(models))
	most := 0 // seeds
	for i, m := range models {
		trials[i] = newTrial(m, samples, &o)
		most = max(most, trials[i].seeds)
	}
	for seed := range most {
		var learners []*learner
		for _, t := range trials {
			if seed >= t.seeds {
				continue
			}
			if err := t.begin(ctx, records, seed, steps); err != nil {
				return nil, fmt.Errorf("%s: %w", t.c.Model.Type, err)
			}
			learners = append(learners, &t.learner)
		}
		if err := records.teach(ctx, learners...); err != nil {
			return nil, err
		}
		for _, t := range trials {
			if seed < t.seeds {
				t.end(seed)
			}
		}
	}
	outcomes := make([]*Outcome, len(models))
	for i, t := range trials {
		outcomes[i] = t.outcome()
	}
	return outcomes, nil
}

// trial is the evaluation of one model.
type trial struct {
	learner   // engine of the current seed
	c         *config.Config
	o         *Options
	samples   *Samples
	seeds     int
	runs      [][]Score // by seed, then by horizon
	out       *Outcome
	scores    *Anomalies
	limits    *limitScorer                // nil: no limits
	windows   []*scoring.WindowedCoverage // by horizon
	crps      *crpsScores                 // scores of the first seed; nil without intervals
	observers []func(*stream.Batch)

	emit, watched []int // horizons; nil: all
}

func newTrial(m Candidate, samples *Samples, o *Options) *trial {
	t := &trial{
		c: m.Config, o: o, samples: samples, seeds: Repeats(m.Config.Model, o.Seeds), observers: slices.Clip(m.Observers),
		out: &Outcome{Losses: make([]scoring.Losses, len(o.Horizons))}, scores: new(Anomalies), windows: make([]*scoring.WindowedCoverage, len(o.Horizons)), emit: o.Horizons,
	}
	t.runs = make([][]Score, t.seeds)
	if o.Labels != nil {
		t.scores.Keep = true
		t.observers = append(t.observers, t.scores.Add)
	}
	if t.limits = newLimitScorer(t.c, o); t.limits != nil {
		t.observers = append(t.observers, t.limits.Add)
	}
	if o.Draws || t.limits != nil { // plots of the future and limits need the forecasts of all horizons
		t.emit, t.watched = nil, make([]int, len(o.Horizons))
		for k, h := range o.Horizons {
			t.watched[k] = h - 1
		}
	}
	if to := o.meanTo(); to > 0 {
		t.out.Mean = &Mean{Model: t.c.Model.Type, Horizon: to}
	}
	return t
}

// begin creates the engine of a seed.
func (t *trial) begin(ctx context.Context, records *Records, seed int, steps *atomic.Int64) error {
	c, o := *t.c, t.o
	c.Model.Seed += uint64(seed)
	c.Pipeline.Emit, c.Evaluate.Window, c.Evaluate.Interval = t.emit, 0, 0
	if o.Draws {
		c.Evaluate.Interval = max(1, t.samples.Len()/len(t.samples.Series)/drawnWeights)
	}
	if seed > 0 {
		t.observers = nil
	}
	ec := wire.EngineConfig(&c, stream.AllSeries)
	var err error
	if ec.Evaluation, err = o.evaluation(ctx, &c, records); err != nil {
		return err
	}
	ec.Evaluation.Watched, ec.Evaluation.NoForecasts = t.watched, len(t.observers) == 0
	ec.Evaluation.ReferenceAlone = true
	ec.Evaluation.NoAnomalies = seed > 0 || o.Labels == nil && !o.Draws
	if seed == 0 {
		if err := t.watch(ctx, &c, records, &ec.Evaluation); err != nil {
			return err
		}
	}
	e, err := engine.New(ec)
	t.learner = learner{engine: e, model: c.Model.Type, see: func(b *stream.Batch, records int) {
		steps.Add(int64(records))
		for _, see := range t.observers {
			see(b)
		}
	}}
	return err
}

// watch makes the engine of the first seed report losses and coverage.
func (t *trial) watch(ctx context.Context, c *config.Config, records *Records, e *engine.Evaluation) error {
	out := t.out
	e.Losses = func(_ *stream.Series, _ string, losses []float64) {
		for k, v := range losses {
			out.Losses[k].Add(v)
		}
	}
	if t.o.Pooled {
		out.Scaled = make([]scoring.Losses, len(t.o.Horizons))
		scales, err := records.scales(ctx, c, 0, t.o.From, t.o.To)
		if err != nil {
			return err
		}
		e.Errors = func(s *stream.Series, k int, errors []float64) {
			out.Scaled[k].Add(scaledLoss(errors, scales(s)))
		}
	}
	if len(c.Model.Levels) > 0 {
		for k := range t.windows {
			t.windows[k] = &scoring.WindowedCoverage{Window: coverageWindow, Limit: c.Model.Levels[0] - lowCoverage}
		}
		e.Inside = func(s *stream.Series, k int, inside []float64) { t.windows[k].Add(s.Name, inside) }
		n := len(t.o.Horizons)
		t.crps = &crpsScores{horizons: t.o.Horizons, level: c.Model.Levels[0], scales: e.Scale, sum: make([]float64, n), n: make([]float64, n)}
		e.Follow = t.crps.follow
	}
	return nil
}

// end adds the scores of a seed.
func (t *trial) end(seed int) {
	model, out := t.c.Model.Type, t.out
	t.runs[seed] = scoresOf(t.engine, model, t.o.Horizons)
	if out.Mean != nil {
		mse, nmse := t.engine.MeanErrors(model)
		out.Mean.MSE += report.Number(mse) / report.Number(t.seeds)
		out.Mean.NMSE += report.Number(nmse) / report.Number(t.seeds)
	}
	if seed == 0 {
		t.engine.Seasons(func(s *stream.Series, samples []int) {
			out.Seasons = append(out.Seasons, Seasons{Model: model, Series: s.Name, Samples: slices.Clone(samples)})
		})
		if t.limits != nil {
			out.Limits = t.limits.scores()
		}
		if len(t.scores.series) > 0 {
			out.Detections = DetectRows(model, t.scores, AlarmLimit, t.samples, t.o.Labels)
		}
	}
	for k := range t.runs[seed] {
		t.runs[seed][k].SamplesPerSecond = report.Number(float64(t.samples.Len()) / t.elapsed.Seconds())
	}
	t.learner = learner{} // frees memory for the engine of the next seed
}

// outcome returns the mean scores over the seeds.
func (t *trial) outcome() *Outcome {
	for k, h := range t.o.Horizons {
		r := Result{Score: t.runs[0][k], Seeds: t.seeds, Refused: t.samples.Refusals.Total()}
		for _, field := range r.fields() {
			*field = 0
		}
		var mse, nmse []float64
		for _, run := range t.runs {
			for n, field := range run[k].fields() {
				*r.fields()[n] += *field / report.Number(t.seeds)
			}
			mse, nmse = append(mse, float64(run[k].MSE)), append(nmse, float64(run[k].NMSE))
		}
		r.MSESD, r.NMSESD = report.Number(scoring.Summarize(mse...).SD), report.Number(scoring.Summarize(nmse...).SD)
		r.MSESE = report.Number(t.out.Losses[k].StandardError(h))
		r.LowestCoverage, r.LowWindows, r.CRPS = report.Number(math.NaN()), report.Number(math.NaN()), report.Number(math.NaN())
		if t.crps != nil {
			r.CRPS = report.Number(t.crps.sum[k] / t.crps.n[k]) // 0/0 = NaN
		}
		if w := t.windows[k]; w != nil {
			r.LowestCoverage, r.LowWindows = report.Number(w.Lowest()), report.Number(w.LowShare())
		}
		t.out.Results = append(t.out.Results, r)
	}
	return t.out
}
