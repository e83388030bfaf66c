package stream

import (
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

	// Variables are the names of the variables of every series, in order. Of a
	// record with names those listed are used and the others ignored; of a
	// record without names the values are taken in this order. Nil means that
	// the first record of a series says which variables it has.
	Variables []string

	// Interval is the spacing of the samples; 0 means that it is estimated and
	// that gaps are not filled. See docs/design/0001-shape.md.
	Interval time.Duration

	// MaxGap is the largest number of missing samples that are filled in when
	// Interval is set; after more, the model's lags are dropped.
	MaxGap int

	// MetricsEvery is the number of samples of a series between two metrics of
	// it; 0 means none. MetricsWindow is the number of samples they look back
	// at; 0 means all.
	MetricsEvery  int
	MetricsWindow int

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

// Baseline is a forecaster of its own that every model is compared with.
type Baseline struct {
	Name string // in the metrics
	New  func(dim, horizon int) (eval.Forecaster, error)

	// Reference makes this the baseline of Score.SkillVsVAR: at most one.
	Reference bool
}
