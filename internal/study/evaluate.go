package study

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
)

// Evaluation is what evaluate prints.
type Evaluation struct {
	Dataset     string       `json:"dataset"`
	Rows        int          `json:"rows"`
	Dim         int          `json:"dim"`
	Results     []Result     `json:"results"`
	Comparisons []comparison `json:"comparisons,omitempty"`
	Detections  []Detection  `json:"detections,omitempty"`

	Refused string `json:"-"` // rows left out, by reason
}

// Result is a score with what only evaluate knows.
type Result struct {
	Score
	Seeds   int           `json:"seeds"`
	MSESD   report.Number `json:"mse_sd"`  // over the seeds
	Refused int           `json:"refused"` // samples that the model would not learn
}

// Observer sees every step of a model.
type Observer interface {
	step(f eval.Forecaster, s eval.Step)
}

// EvaluateModel runs one model, as often as there are seeds, and returns one
// Result a horizon, with the losses of the first seed, which observers see.
func EvaluateModel(ctx context.Context, c config.Model, data *eval.Dataset, o eval.Options, seeds int, steps *atomic.Int64, observers ...Observer) ([]Result, [][]float64, error) {
	seeds = Repeats(c, seeds)
	runs := make([][]Score, seeds)
	var losses [][]float64
	refused := 0
	for s := range runs {
		c := c
		c.Seed += uint64(s)
		m, err := build.NewModel(c, data.Dim(), len(data.Series) > 1)
		if err != nil {
			return nil, nil, err
		}
		ref, err := build.NewModel(config.Model{Type: "var1", Horizon: c.Horizon}, data.Dim(), false)
		if err != nil {
			return nil, nil, err
		}
		o.Reference = ref
		timed := &timedModel{Model: m}
		o.OnStep = func(st eval.Step) error {
			steps.Add(1)
			for _, see := range observers {
				see.step(timed.series[st.Series], st)
			}
			return ctx.Err()
		}
		r, err := eval.Prequential(timed, data, o)
		if err != nil {
			return nil, nil, err
		}
		for k, h := range r.Horizons {
			one := NewScore("", c.Type, h, r.Score(eval.All, k))
			one.SamplesPerSecond = report.Number(float64(data.Len()) / timed.elapsed.Seconds())
			runs[s] = append(runs[s], one)
		}
		if s == 0 {
			losses, refused, observers = r.Losses, r.Refused, nil
		}
	}
	var results []Result
	for k := range o.Horizons {
		mean := runs[0][k]
		var mse []float64
		for _, field := range mean.fields() {
			*field = 0
		}
		for _, run := range runs {
			for i, field := range run[k].fields() {
				*mean.fields()[i] += *field / report.Number(seeds)
			}
			mse = append(mse, float64(run[k].MSE))
		}
		results = append(results, Result{Score: mean, Seeds: seeds, MSESD: report.Number(eval.Summarize(mse...).SD), Refused: refused})
	}
	return results, losses, nil
}

// Repeats is how often a model is run: once when it draws nothing.
func Repeats(c config.Model, seeds int) int {
	if !build.IsRandom(c.Type) {
		return 1
	}
	return seeds
}

// fields are the figures of a score that are averaged over seeds.
func (s *Score) fields() []*report.Number {
	return []*report.Number{
		&s.MSE, &s.RMSE, &s.MAE, &s.NMSE, &s.MASE, &s.SkillVsPersistence, &s.SkillVsVAR1,
		&s.SCVMSE, &s.SCVMSESD, &s.Coverage, &s.JointCoverage, &s.Width, &s.Pinball, &s.SamplesPerSecond,
	}
}

// Shortest returns the rows of the shortest series.
func Shortest(data *eval.Dataset) int {
	n := data.Len()
	for _, s := range data.Series {
		n = min(n, len(s.Rows))
	}
	return n
}

// ParseRows reads A:B; B = 0 means the end.
func ParseRows(s string) (from, to int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	bad := fmt.Errorf("--score-rows: must have the form A:B with 0 <= A < B, got %q", s)
	a, b, ok := strings.Cut(s, ":")
	if !ok {
		return 0, 0, bad
	}
	if a != "" {
		if from, err = strconv.Atoi(a); err != nil || from < 0 {
			return 0, 0, bad
		}
	}
	if b != "" {
		if to, err = strconv.Atoi(b); err != nil || to <= from {
			return 0, 0, bad
		}
	}
	return from, to, nil
}

func (e *Evaluation) Headline() string {
	return fmt.Sprintf("%s: %s rows, %d variables", e.Dataset, report.Thousands(int64(e.Rows)), e.Dim)
}

// tables are the results for people.
func (e *Evaluation) Tables() []report.Table {
	t := report.Table{
		Title: "Models", Numeric: 1,
		Header: []string{"model", "horizon", "n", "mse", "mae", "nmse", "skill vs persistence", "vs var1", "scv-mse", "± sd", "coverage", "speed"},
	}
	for _, r := range e.Results {
		mse := r.MSE.String()
		if r.Seeds > 1 {
			mse = fmt.Sprintf("%v ± %.2g", r.MSE, float64(r.MSESD))
		}
		t.Rows = append(t.Rows, []string{
			r.Model, strconv.Itoa(r.Horizon), report.Thousands(r.N), mse, r.MAE.String(), r.NMSE.Fixed(4),
			r.SkillVsPersistence.Fixed(4), r.SkillVsVAR1.Fixed(4), r.SCVMSE.String(), r.SCVMSESD.String(), r.Coverage.Fixed(3), report.Rate(float64(r.SamplesPerSecond)),
		})
	}
	t = WithJoint(t, e.Results, func(r Result) Score { return r.Score })
	tables := []report.Table{t}
	if c := e.comparisonTable(); len(c.Rows) > 0 {
		tables = append(tables, c)
	}
	if len(e.Detections) > 0 {
		tables = append(tables, DetectionTable(e.Detections))
	}
	return tables
}
