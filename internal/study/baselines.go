package study

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/varmodel"
)

const (
	meanHorizons   = 336 // largest horizon with a mean over all horizons: its memory is quadratic in the horizon
	coverageWindow = 500 // forecasts
	lowCoverage    = .15 // a window is low when its coverage is this far below the level
)

// linear96 is the name of the simple forecast varmodel.NewLinearMap.
const linear96 = "linear96"

// simpleForecasts returns the simple forecasts that come before linear96 in each evaluation. season is in samples; 0:
// no seasonal forecast.
func simpleForecasts(season int) []engine.Baseline {
	list := []engine.Baseline{{Name: "persistence", New: func(dim, horizon int) (eval.Model, error) {
		return varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: dim, Horizon: horizon})
	}}}
	if season > 0 {
		list = append(list, engine.Baseline{Name: "seasonal", New: func(dim, horizon int) (eval.Model, error) {
			return varmodel.NewSeasonal(varmodel.SeasonalConfig{Dim: dim, Horizon: horizon, Period: season})
		}})
	}
	return list
}

// Mean has the mean scores of a model over the horizons 1 to Horizon.
type Mean struct {
	Model   string        `json:"model"`
	Horizon int           `json:"horizon"`
	MSE     report.Number `json:"mse"`
	NMSE    report.Number `json:"nmse"`
}

// EvaluateBaselines adds the scores of the simple forecasts on the targets of o. The seasonal forecast has the strongest
// season of most series, which the models have found by the end of the file: it knows the season from the first row on.
func (e *Evaluation) EvaluateBaselines(ctx context.Context, c *config.Config, records *Records, samples *Samples, o Options) error {
	b := *c
	b.Model.Limits, b.Model.Levels, b.Model.Joint, b.Model.Intervals, b.Model.Drift.Detect = nil, nil, false, "", false
	b.Model.Calendar, b.Model.Occurrences = nil, nil
	seasons := e.Seasons
	if c.Model.Season == 0 && len(seasons) == 0 {
		finder := b
		finder.Model.Type, finder.Model.Horizon, finder.Model.Experts = "auto-tiny", 1, nil // auto-tiny has other experts
		out, err := EvaluateModel(ctx, &finder, records, samples, Options{Horizons: []int{1}, From: o.From, To: o.To, Seeds: 1}, new(atomic.Int64))
		if err != nil {
			return fmt.Errorf("search for a season: %w", err)
		}
		seasons = out.Seasons
	}
	if e.Season = b.Model.Season; e.Season == 0 {
		e.Season = commonSeason(seasons)
	}
	if err := e.scoreSimple(ctx, &b, records, o); err != nil {
		return fmt.Errorf("simple forecasts: %w", err)
	}
	if len(e.Limits) > 0 {
		return e.evaluateLimits(ctx, c, records, samples, o)
	}
	return nil
}

// scoreSimple adds the scores of the simple forecasts, from one pass over the records.
func (e *Evaluation) scoreSimple(ctx context.Context, c *config.Config, records *Records, o Options) error {
	simple := *c
	simple.Model.Type, simple.Pipeline.Emit, simple.Evaluate.Window, simple.Evaluate.Interval = "persistence", o.Horizons, 0, 0
	ec := wire.EngineConfig(&simple, stream.AllSeries)
	ec.Baselines = simpleForecasts(e.Season)
	ec.Model, ec.Shards = linear96, nil
	ec.NewModel = func(dim int) (eval.Model, error) {
		return varmodel.NewLinearMap(varmodel.LinearMapConfig{Dim: dim, Horizon: c.Model.Horizon})
	}
	losses := make(map[string][]scoring.Losses)
	var err error
	if ec.Evaluation, err = o.evaluation(ctx, &simple, records); err != nil {
		return err
	}
	ec.Evaluation.NoForecasts, ec.Evaluation.NoAnomalies = true, true
	ec.Evaluation.Losses = func(_ *stream.Series, model string, last []float64) {
		if losses[model] == nil {
			losses[model] = make([]scoring.Losses, len(last))
		}
		for k, v := range last {
			losses[model][k].Add(v)
		}
	}
	simpler, err := engine.New(ec)
	if err != nil {
		return err
	}
	if err := records.teach(ctx, &learner{engine: simpler, model: linear96, see: func(*stream.Batch, int) {}}); err != nil {
		return err
	}
	var names []string
	for _, b := range ec.Baselines {
		names = append(names, b.Name)
	}
	for _, name := range append(names, linear96) {
		for k, score := range scoresOf(simpler, name, o.Horizons) {
			score.MSESE = report.Number(losses[name][k].StandardError(score.Horizon))
			e.Baselines = append(e.Baselines, score)
		}
		if to := o.meanTo(); to > 0 {
			mse, nmse := simpler.MeanErrors(name)
			e.addMean(&Mean{Model: name, Horizon: to, MSE: report.Number(mse), NMSE: report.Number(nmse)})
		}
	}
	return nil
}

// Add adds the outcome of a model.
func (e *Evaluation) Add(o *Outcome) {
	e.Results = append(e.Results, o.Results...)
	e.Seasons = append(e.Seasons, o.Seasons...)
	e.Limits = append(e.Limits, o.Limits...)
	e.addMean(o.Mean)
	e.Detections = append(e.Detections, o.Detections...)
}

// addMean adds the means of a model once: persistence can be both a model and a baseline.
func (e *Evaluation) addMean(m *Mean) {
	if m == nil {
		return
	}
	for _, old := range e.Means {
		if old.Model == m.Model {
			return
		}
	}
	e.Means = append(e.Means, *m)
}

// commonSeason returns the season that is the strongest one of most series; 0: no series has a season.
func commonSeason(seasons []Seasons) (season int) {
	count := make(map[int]int)
	for _, s := range seasons {
		p := s.Samples[0]
		if count[p]++; count[p] > count[season] {
			season = p
		}
	}
	return season
}

// baselineTable compares the models with the simple forecasts, at the last horizon and on average over all horizons.
func (e *Evaluation) baselineTable() report.Table {
	last := e.Results[len(e.Results)-1].Horizon
	at := strconv.Itoa(last)
	t := report.Table{
		Title: "Beside simple forecasts", Numeric: 1,
		Header: []string{"model", "mse\nat " + at, "nmse\nat " + at},
		Caption: "seasonal: " + e.seasonOfBaseline() + "\n" +
			"linear96: one map of the last 96 values, the same for all variables, learnt by least squares.",
	}
	means := make(map[string]Mean)
	for _, m := range e.Means {
		means[m.Model] = m
	}
	if len(means) > 0 {
		t.Header = append(t.Header, "mse\n1 to "+at, "nmse\n1 to "+at)
	}
	covered := false
	for _, r := range e.Results {
		covered = covered || !math.IsNaN(float64(r.LowestCoverage))
	}
	if covered {
		t.Header = append(t.Header, "lowest\ncoverage\nof 500", "low\nwindows")
		t.Caption += "\nlowest coverage of 500: the lowest one of a variable over 500 forecasts in a row, a window." +
			"\nlow windows: share of all windows whose coverage is more than " + report.Number(lowCoverage).Fixed(2) + " below the level of the interval."
	}
	add := func(s Score, coverage ...string) {
		row := []string{s.Model, s.MSE.String(), s.NMSE.Digits(3)}
		if len(means) > 0 {
			m := means[s.Model]
			row = append(row, m.MSE.String(), m.NMSE.Digits(3))
		}
		if covered {
			row = append(row, coverage...)
		}
		t.Rows = append(t.Rows, row)
	}
	for _, s := range e.Baselines {
		if s.Horizon == last {
			add(s, "-", "-")
		}
	}
	for _, r := range e.Results {
		if r.Horizon == last && r.Model != "persistence" {
			add(r.Score, r.LowestCoverage.Fixed(3), r.LowWindows.Fixed(3))
		}
	}
	return t
}

func (e *Evaluation) seasonOfBaseline() string {
	if e.Season == 0 {
		return "left out, because no season was found."
	}
	return fmt.Sprintf("the value one season ago, of %s, which it knows from the first row on.", plural.Count(e.Season, "sample"))
}
