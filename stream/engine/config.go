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

// Scope selects which series share the weights of a model.
type Scope string

// Scopes.
const (
	PerSeries Scope = "series" // each series has its own model
	Shared    Scope = "shared" // series with the same number of variables share a model
)

// Config configures an Engine. A saved state can only be restored into an Engine with an equal Config, except for
// Shards, Together and the fields listed at Restore.
type Config struct {
	assemble.Config

	// Model is the name of the model in the points. NewModel constructs the model for dim variables; its error is
	// fatal. With H = Horizon and L = len(Levels), forecasts are H x dim, and the bounds of a Bounder L x H x dim.
	Model    string
	NewModel func(dim int) (eval.Model, error)

	// Memory is the largest number of bytes for all series; 0 = no limit. A new series whose NewModel does not fit
	// gets the first of Lighter that fits. If none fits it is refused with the reason refuse.Memory. Lighter is not
	// used with the scope Shared. Existing series keep their model when Memory changes.
	Memory  int64
	Lighter []LighterModel

	// Shards are further constructors of the same models. With n of them, n + 1 series may learn at the same time.
	// Models of one shard may share scratch memory. Together calls work(0), …, work(n-1), possibly at the same
	// time, like run.Together; nil: one after the other. No result depends on Shards or Together.
	Shards   []Constructors
	Together func(n int, work func(i int))

	// GrowAfter is the number of samples after which a series may grow. The series begins with the last of Lighter.
	// After GrowAfter samples the best model that fits learns its samples and takes over. 0: a series keeps the
	// best model that fits at its beginning.
	GrowAfter int

	// Scope selects which series share a model; empty means PerSeries.
	Scope Scope

	// Intervals and Drift construct intervals and the drift detector of a series whose model has none. Nil: none.
	// Intervals needs Levels.
	Intervals func(dim int) (eval.Intervals, error)
	Drift     func(dim int) (drift.Watch, error)

	// Anomalies returns the configuration of the anomaly scores of a series with these variables. Nil: the zero
	// anomaly.Config.
	Anomalies func(variables []string) anomaly.Config

	// Bounds returns the least and the largest possible value of each variable; -Inf and Inf: none. Forecasts and
	// intervals are clipped to them. A nil function or result: no bounds.
	Bounds func(variables []string) (low, high []float64)

	// Limits returns the range that each variable should not leave. Points then have the probability and the time
	// of leaving it. A nil function or result: no limits.
	Limits func(variables []string) []scoring.Limit

	// Baselines are models that run beside the model on each series and are scored in the same way.
	Baselines []Baseline

	// Horizon is the number of steps ahead that the model forecasts, at least 1.
	Horizon int

	// Emit lists the horizons that are scored and emitted, ascending, within [1, Horizon]. Nil: all.
	Emit []int

	// Levels are the nominal coverages of the prediction intervals, each in (0, 1). The first is scored. Nil: no
	// intervals.
	Levels []float64

	// Joint adds the joint region of an eval.JointBounder to forecasts and scores. It needs Levels.
	Joint bool

	// MetricsEvery is the number of samples of a series between two of its metrics; 0: no metrics. MetricsWindow is
	// the number of last samples in the scores; 0: all.
	MetricsEvery  int
	MetricsWindow int

	// Pool is the series name of the metrics over all series, beginning with stream.AllSeries. Engines with the
	// same output need different names. Empty: no such metrics.
	Pool string

	// Evaluation selects the scored forecasts and the units of the errors.
	Evaluation Evaluation
}

// Evaluation configures the scores for a comparison of models on a file. The zero value scores all forecasts in
// units of the data. No forecast depends on it.
type Evaluation struct {
	// From and To restrict the scored targets of each series to Sample.Row in [From, To). To = 0: no end.
	From, To int64

	// Scale returns the scoring.ScorerConfig.Scale of a series; nil: the units of the data.
	Scale func(s *stream.Series) []float64

	// Losses is called after each sample, for the model and then for each baseline. losses has the
	// scoring.Scorer.Loss at each horizon of Watched. The callee must not keep the slice.
	Losses func(s *stream.Series, model string, losses []float64)

	// Errors is called after each sample. errors is the scoring.Scorer.Errors of the model at the i-th horizon of
	// Watched. The callee must not keep the slice.
	Errors func(s *stream.Series, i int, errors []float64)

	// Inside is called after each sample. inside is the result of scoring.Scorer.InsideTo of the model at the i-th
	// horizon of Watched. The callee must not keep the slice.
	Inside func(s *stream.Series, i int, inside []float64)

	// Follow returns the Follower of a new series. Nil: none.
	Follow func(s *stream.Series) (Follower, error)

	// Watched lists the horizons for Losses, Errors and Inside, as indices of Emit. Nil: all.
	Watched []int

	// MeanTo is scoring.ScorerConfig.MeanTo of all scorers; see Engine.MeanErrors.
	MeanTo int

	// ReferenceAlone runs only the Reference baseline, for Score.SkillVsVAR, and does not score it.
	ReferenceAlone bool

	// NoAnomalies omits anomaly scores: Observation.AnomalyScore is NaN.
	NoAnomalies bool

	// NoForecasts omits Batch.Forecasts. Forecasts are still scored.
	NoForecasts bool
}

// Follower observes samples, forecasts and intervals of one series. No forecast depends on it. It must not keep the
// slices.
type Follower interface {
	// Observe takes the next sample; NaN = missing. scored reports whether its forecasts are scored.
	Observe(y []float64, scored bool)

	// Issue takes the forecasts after the last sample, H x dim, and their bounds, L x H x dim. Bounds are nil after
	// a filled-in sample. Without forecasts, ResetLags is called instead.
	Issue(yhat, lower, upper []float64)

	// ResetLags drops the pending forecasts, because their targets will not come.
	ResetLags()
}

// scored reports whether forecasts of the target at row are scored.
func (e *Evaluation) scored(row int64) bool { return row >= e.From && (e.To == 0 || row < e.To) }

// Baseline is a model for comparison, one per series.
type Baseline struct {
	Name string // name in the metrics
	New  func(dim, horizon int) (eval.Model, error)

	// Reference marks the baseline of Score.SkillVsVAR. At most one baseline is marked.
	Reference bool
}

// withDefaults returns a deep copy of c with defaults instead of zeros. The error lists all invalid fields.
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
