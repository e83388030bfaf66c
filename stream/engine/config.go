package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
)

// Scope says which series share the weights of a model.
type Scope string

// The scopes.
const (
	PerSeries Scope = "series" // every series has a model of its own
	Shared    Scope = "shared" // all series with the same number of variables share one
)

// Config configures an Engine. A saved state restores only into an Engine with an equal
// Config, except for Shards, Together and the fields listed at Restore.
type Config struct {
	assemble.Config

	// Model is the name of the model in the points, NewModel its constructor for dim
	// variables. Forecasts are H x dim with H = Horizon; the bounds of a Bounder are
	// L x H x dim with L = len(Levels). An error of NewModel is fatal.
	Model    string
	NewModel func(dim int) (eval.Model, error)

	// Memory limits the bytes of all series; 0 = no limit. If the model of NewModel does not
	// fit, a new series gets the first of Lighter that fits, or is refused with the reason
	// refuse.Memory. Lighter is not used with the scope Shared. Existing series keep their
	// model when Memory changes.
	Memory  int64
	Lighter []LighterModel

	// Shards are further constructors of the same models: with n of them, n + 1 series may
	// learn at the same time. Models of one shard may share scratch memory. Together calls
	// work(0), work(1), …, work(n-1), possibly at the same time, as run.Together does; nil: one
	// after the other. No result depends on either field.
	Shards   []Constructors
	Together func(n int, work func(i int))

	// GrowAfter is the number of samples after which a series may grow: it begins with the
	// last of Lighter, and the best model that fits then learns its samples and takes over.
	// 0: a series begins with the best model that fits, and keeps it.
	GrowAfter int

	// Scope says which series share a model; empty means PerSeries.
	Scope Scope

	// Intervals and Drift construct the intervals and the drift detector of each series. They
	// are for models without their own; nil: none. Intervals need Levels.
	Intervals func(dim int) (eval.Intervals, error)
	Drift     func(dim int) (drift.Watch, error)

	// Anomalies returns the alarm rules of a series with these variables; nil means the zero
	// anomaly.Config.
	Anomalies func(variables []string) anomaly.Config

	// Bounds returns the lowest and the highest possible value of each variable, -Inf and Inf
	// without a bound. Forecasts and intervals are limited to this range. A nil function or
	// result: no bounds.
	Bounds func(variables []string) (low, high []float64)

	// Limits returns the range that each variable should not leave. Forecasts then have the
	// probability and the time of leaving it. A nil function or result: no limits.
	Limits func(variables []string) []scoring.Limit

	// Baselines run beside the model on each series and are scored like it.
	Baselines []Baseline

	// Horizon is the number of steps ahead that the model forecasts, at least 1.
	Horizon int

	// Emit are the horizons that are scored and become points, ascending,
	// within [1, Horizon]; nil means all.
	Emit []int

	// Levels are the nominal coverages of the prediction intervals, each in (0, 1);
	// the first one is scored. Nil means no intervals.
	Levels []float64

	// Joint adds the region of an eval.JointBounder to the forecasts and to the scores. It
	// needs Levels.
	Joint bool

	// MetricsEvery is the number of samples of a series between two of its metrics; 0 means no
	// metrics. MetricsWindow is the number of last samples in the scores; 0 means all.
	MetricsEvery  int
	MetricsWindow int

	// Pool is the series name for the metrics over all series. It begins with
	// stream.AllSeries, and engines that write to the same place need different names. Empty:
	// no metrics over all series.
	Pool string

	// Evaluation selects the scored forecasts and their units.
	Evaluation Evaluation
}

// Evaluation restricts the scores for a comparison of models on a file. The zero value
// scores all forecasts in the units of the data. No forecast depends on it.
type Evaluation struct {
	// A target of a series is scored if its Sample.Row is in [From, To). To = 0: no end.
	From, To int64

	// Scale returns the scoring.ScorerConfig.Scale of a series; nil: the units of the data.
	Scale func(s *stream.Series) []float64

	// Losses is called after each sample for the model, then for each baseline, with its
	// scoring.Scorer.Loss at each of Watched. It must not keep the slice.
	Losses func(s *stream.Series, model string, losses []float64)

	// Errors is called after each sample with the scoring.Scorer.Errors of the model at the
	// i-th of Watched. It must not keep the slice.
	Errors func(s *stream.Series, i int, errors []float64)

	// Inside is called after each sample with the result of scoring.Scorer.InsideTo of the
	// model at the i-th of Watched. It must not keep the slice.
	Inside func(s *stream.Series, i int, inside []float64)

	// Follow returns the Follower of a new series. Nil: none.
	Follow func(s *stream.Series) (Follower, error)

	// Watched are the horizons of Losses, Errors and Inside: indices of Emit. Nil: all.
	Watched []int

	// MeanTo is the scoring.ScorerConfig.MeanTo of all scorers; see Engine.MeanErrors.
	MeanTo int

	// ReferenceAlone runs only the baseline that is the Reference, for Score.SkillVsVAR, and
	// scores no baseline.
	ReferenceAlone bool

	// NoAnomalies leaves out anomaly scores: Observation.AnomalyScore is NaN.
	NoAnomalies bool

	// NoForecasts leaves Batch.Forecasts empty. Forecasts are still scored.
	NoForecasts bool
}

// Follower observes the samples, forecasts and intervals of one series. No forecast depends on
// it. It must not keep the slices.
type Follower interface {
	// Observe takes the next sample, NaN where missing. scored: forecasts of it are scored.
	Observe(y []float64, scored bool)

	// Issue takes the forecasts made after the last sample, H x dim, and their bounds,
	// L x H x dim. The bounds are nil after a sample that was filled in. Without forecasts,
	// ResetLags is called instead.
	Issue(yhat, lower, upper []float64)

	// ResetLags drops the forecasts whose targets have not come.
	ResetLags()
}

// scored reports whether forecasts of the target at row are scored.
func (e *Evaluation) scored(row int64) bool { return row >= e.From && (e.To == 0 || row < e.To) }

// Baseline is a model with which the forecasts are compared, one per series.
type Baseline struct {
	Name string // in the metrics
	New  func(dim, horizon int) (eval.Model, error)

	// Reference makes this the baseline of Score.SkillVsVAR. At most one baseline has it.
	Reference bool
}

// withDefaults returns a deep copy of c with defaults instead of zeros, or an error that lists
// all invalid fields.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	var err error
	if c.Config, err = c.Config.WithDefaults(); err != nil {
		errs = append(errs, err)
	}
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("stream: "+format, args...))
		}
	}
	check(c.Model != "" && len(c.Model) < 256, "Model must have a name of less than 256 bytes, got %q", c.Model)
	check(c.NewModel != nil, "NewModel must be set")
	check(c.Scope == "" || c.Scope == PerSeries || c.Scope == Shared,
		"Scope must be %q or %q, got %q", PerSeries, Shared, c.Scope)
	names := map[string]bool{c.Model: true}
	references := 0
	for _, b := range c.Baselines {
		check(b.Name != "" && len(b.Name) < 256 && b.New != nil, "each of Baselines must have a name of less than 256 bytes and a constructor")
		check(!names[b.Name], "the name %q is used by two models", b.Name)
		names[b.Name] = true
		if b.Reference {
			references++
		}
	}
	check(references <= 1, "at most one of Baselines can be the Reference, got %d", references)
	check(c.Memory >= 0, "Memory must be >= 0, got %d", c.Memory)
	for _, l := range c.Lighter {
		check(l.Name != "" && l.New != nil, "each of Lighter must have a name and a constructor")
	}
	for _, s := range c.Shards {
		check(s.NewModel != nil && len(s.Lighter) == len(c.Lighter), "each of Shards must have NewModel and as many of Lighter as the engine")
	}
	check(c.GrowAfter >= 0, "GrowAfter must be >= 0, got %d", c.GrowAfter)
	check(c.Horizon >= 1, "Horizon must be >= 1, got %d", c.Horizon)
	for i, h := range c.Emit {
		check(h >= 1 && h <= c.Horizon && (i == 0 || h > c.Emit[i-1]),
			"Emit must be ascending within [1, %d], got %v", c.Horizon, c.Emit)
	}
	for _, p := range c.Levels {
		check(p > 0 && p < 1, "Levels must be inside (0, 1), got %v", p)
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"MetricsEvery", c.MetricsEvery}, {"MetricsWindow", c.MetricsWindow}} {
		check(f.value >= 0, "%s must be >= 0, got %d", f.name, f.value)
	}
	check(c.Pool == "" || stream.IsPool(c.Pool), "Pool must be %s or begin with it and a blank, got %q", stream.AllSeries, c.Pool)
	check(!c.Joint || len(c.Levels) > 0, "Joint needs Levels")
	check(c.Intervals == nil || len(c.Levels) > 0, "Intervals need Levels")
	c.Scope = cmp.Or(c.Scope, PerSeries)
	if c.Emit == nil {
		for h := 1; h <= c.Horizon; h++ {
			c.Emit = append(c.Emit, h)
		}
	}
	c.Emit = slices.Clone(c.Emit)
	if c.Evaluation.Watched == nil {
		for k := range c.Emit {
			c.Evaluation.Watched = append(c.Evaluation.Watched, k)
		}
	}
	c.Levels = slices.Clone(c.Levels)
	c.Lighter = slices.Clone(c.Lighter)
	c.Shards = slices.Clone(c.Shards)
	c.Baselines = slices.Clone(c.Baselines)
	if c.Evaluation.ReferenceAlone {
		c.Baselines = slices.DeleteFunc(c.Baselines, func(b Baseline) bool { return !b.Reference })
	}
	return c, errors.Join(errs...)
}
