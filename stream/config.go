package stream

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval"
)

// Scope says which series share the weights of a model.
type Scope string

// The scopes.
const (
	PerSeries Scope = "series" // every series has a model of its own
	Shared    Scope = "shared" // all series with the same number of variables share one
)

// EngineConfig says what an Engine does with every record. Everything in it
// takes part in the results: a state restores only into an Engine with an equal
// configuration, and the fingerprint of a checkpoint should cover it.
type EngineConfig struct {
	// Model is the name of the model in the points, NewModel its constructor
	// for dim variables. The forecasts are H x dim with H = Horizon, the bounds
	// of a Bounder L x H x dim with L = len(Levels). An error of NewModel is
	// fatal.
	Model    string
	NewModel func(dim int) (eval.Model, error)

	// Scope says which series share a model; empty means PerSeries.
	Scope Scope

	// Intervals and Drift make what follows the forecasts of a series beside a model
	// that has no intervals or no detector of drifts itself; nil means that there is
	// nothing beside it. Intervals need Levels.
	Intervals func(dim int) (eval.Intervals, error)
	Drift     func(dim int) (eval.DriftWatch, error)

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

	// Joint says that forecasts have the region of an eval.JointBounder, too, which
	// is scored; it needs Levels.
	Joint bool

	// Variables are the names of the variables of every series, in order. Of a
	// record with names those listed are used and the others ignored; of a
	// record without names the values are taken in this order. Nil means that
	// the first record of a series says which variables it has.
	Variables []string

	// Exogenous are the names of variables that are not forecast: inputs of a model
	// whose forecasters are eval.InputTakers. A record with a value of them alone,
	// and of no other variable, is no sample: it says what they are at its time,
	// which may be one to come. Calendar are inputs made of the time.
	Exogenous []string
	Calendar  eval.Calendar

	// Interval is the spacing of the samples; 0 means that it is estimated and
	// that gaps are not filled. See docs/design/0001-shape.md.
	Interval time.Duration

	// Months is the spacing in months of the calendar, in the place of Interval: 3 for
	// quarters. Without either, times that lie months apart are recognised.
	Months int

	// Assembly makes samples of records that have a part of one each; it needs an
	// Interval. Nil means that each record is a sample.
	Assembly *Assembly

	// MaxGap is the largest number of missing samples that are filled in when
	// Interval is set; after more, the model's lags are dropped.
	MaxGap int

	// MetricsEvery is the number of samples of a series between two metrics of
	// it; 0 means none. MetricsWindow is the number of samples they look back
	// at; 0 means all.
	MetricsEvery  int
	MetricsWindow int

	// Pool is the name of the series of metrics over all series together, which must
	// begin with AllSeries: one for each engine that writes to the same place. Empty
	// means that there are none.
	Pool string

	// Lineage is the number of consecutive records of other, but equal, variables
	// after which a series starts anew with these; until then they are refused
	// with Dimension. 0 means never.
	Lineage int

	// GoodCopy is the number of samples between two copies of the state that a
	// rollback returns to. 0 means none: a state gone bad is reset.
	GoodCopy int

	// MaxAhead is how far the time of a sample may lie after the time of its
	// message, so that one wrong clock does not make all that follows late. 0
	// means that it may.
	MaxAhead time.Duration

	// MaxSeries, MaxDim and MaxName limit the number of series, the variables of
	// one and the bytes of a name of either. MaxAbs limits the absolute value of
	// a sample; beyond it is NonFinite. 0 means the default.
	MaxSeries int     // 100,000
	MaxDim    int     // 1,024
	MaxName   int     // 256
	MaxAbs    float64 // 1e50: what models square and square again stays finite
}

// Baseline is a model that the forecasts are compared with; every series has its
// own.
type Baseline struct {
	Name string // in the metrics
	New  func(dim, horizon int) (eval.Model, error)

	// Reference makes this the baseline of Score.SkillVsVAR: at most one.
	Reference bool
}

// withDefaults returns a copy of c with the defaults in the place of zeros,
// which shares no memory with c, or an error with every violated relation.
func (c EngineConfig) withDefaults() (EngineConfig, error) {
	var errs []error
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
	}{
		{"MaxGap", c.MaxGap}, {"MetricsEvery", c.MetricsEvery}, {"MetricsWindow", c.MetricsWindow}, {"Lineage", c.Lineage},
		{"GoodCopy", c.GoodCopy}, {"MaxSeries", c.MaxSeries}, {"MaxDim", c.MaxDim}, {"MaxName", c.MaxName},
	} {
		check(f.value >= 0, "%s must be >= 0, got %d", f.name, f.value)
	}
	check(c.Months >= 0 && c.Months <= longestMonths && (c.Months == 0 || c.Interval == 0),
		"Months must lie in [0, %d], without an Interval, got %d", longestMonths, c.Months)
	check(c.Interval >= 0, "Interval must be >= 0, got %v", c.Interval)
	if c.Assembly != nil {
		a := *c.Assembly
		a.Fill = cmp.Or(a.Fill, FillNone)
		a.Several = cmp.Or(a.Several, SeveralLatest)
		check(a.Several == SeveralLatest || a.Several == SeveralMean && a.Hold,
			"Assembly.Several must be %q, or %q with Hold, got %q", SeveralLatest, SeveralMean, a.Several)
		check(c.Interval > 0 && c.Interval <= longestRow, "an Assembly needs an Interval of at most ten years, got %v", c.Interval)
		check(a.Wait >= 0 && a.Wait <= longestRow && (c.Interval <= 0 || a.Wait/c.Interval <= maxOpenRows),
			"Assembly.Wait must be >= 0 and at most %d times Interval, got %v and %v", maxOpenRows, a.Wait, c.Interval)
		check(a.Fill == FillNone || a.Fill == FillLast, "Assembly.Fill must be %q or %q, got %q", FillNone, FillLast, a.Fill)
		c.Assembly = &a
	}
	check(c.Pool == "" || isPool(c.Pool), "Pool must be %s or begin with it and a blank, got %q", AllSeries, c.Pool)
	check(!c.Joint || len(c.Levels) > 0, "Joint needs Levels")
	check(c.Intervals == nil || len(c.Levels) > 0, "Intervals need Levels")
	check(c.MaxAhead >= 0, "MaxAhead must be >= 0, got %v", c.MaxAhead)
	check(c.MaxAbs >= 0, "MaxAbs must be >= 0, got %v", c.MaxAbs)

	c.Scope = cmp.Or(c.Scope, PerSeries)
	c.MaxSeries = cmp.Or(c.MaxSeries, 100_000)
	c.MaxDim = cmp.Or(c.MaxDim, 1024)
	c.MaxName = cmp.Or(c.MaxName, 256)
	c.MaxAbs = cmp.Or(c.MaxAbs, 1e50)
	check(len(c.Variables) <= c.MaxDim, "at most %d Variables are allowed, got %d", c.MaxDim, len(c.Variables))
	for i, v := range c.Variables {
		check(v != "" && v != AllTargets && len(v) <= c.MaxName,
			"each of Variables must have a name of at most %d bytes that is not %s, got %q", c.MaxName, AllTargets, v)
		check(!slices.Contains(c.Variables[:i], v), "Variables has %q twice", v)
	}
	check(len(c.Exogenous) <= c.MaxDim, "at most %d Exogenous are allowed, got %d", c.MaxDim, len(c.Exogenous))
	for i, v := range c.Exogenous {
		check(v != "" && !slices.Contains(c.Exogenous[:i], v) && !slices.Contains(c.Variables, v),
			"Exogenous must have different names that no variable has, got %q", v)
	}
	if c.Emit == nil {
		for h := 1; h <= c.Horizon; h++ {
			c.Emit = append(c.Emit, h)
		}
	}
	c.Emit = slices.Clone(c.Emit)
	c.Levels = slices.Clone(c.Levels)
	c.Variables = slices.Clone(c.Variables)
	c.Exogenous = slices.Clone(c.Exogenous)
	c.Baselines = slices.Clone(c.Baselines)
	return c, errors.Join(errs...)
}
