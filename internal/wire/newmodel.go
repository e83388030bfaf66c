package wire

import (
	"fmt"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// NewModel returns the model of c for series of dim variables. It has a drift detector, and intervals if c has levels.
// shared: several series share the model.
func NewModel(c config.Model, dim int, shared bool) (eval.Model, error) {
	m, err := newForecastingModel(c, dim, sharing{weights: shared})
	if err == nil && beside(c) {
		m, err = interval.WithIntervals(m, intervalsOf(c, dim))
	}
	if err == nil && c.Drift.Detect {
		m, err = interval.WithDrift(m, driftOf(c, dim))
	}
	return m, err
}

// newEngineModel returns NewModel without the companions that the engine keeps beside the model: newIntervals and
// newDriftWatch.
func newEngineModel(c config.Model, dim int, s sharing) (eval.Model, error) {
	m, err := newForecastingModel(c, dim, s)
	if err == nil && c.Drift.Detect && adapts(c) {
		m, err = interval.WithDrift(m, driftOf(c, dim))
	}
	return m, err
}

// beside reports whether the engine keeps the intervals beside the model, because they need only its forecasts. Quantiles
// and a joint region belong to the model.
func beside(c config.Model) bool { return len(c.Levels) > 0 && c.Intervals != "quantile" && !c.Joint }

// adapts reports whether the model reacts to a drift.
func adapts(c config.Model) bool { return drift.Adaptation(c.Drift.Action) != drift.None }

func intervalsOf(c config.Model, dim int) interval.Config {
	return interval.Config{Dim: dim, Horizon: c.Horizon, Levels: c.Levels}
}

func driftOf(c config.Model, dim int) interval.DriftConfig {
	return interval.DriftConfig{Dim: dim, Horizon: c.Horizon, FalseAlarms: c.Drift.FalseAlarms, Action: drift.Adaptation(c.Drift.Action)}
}

// newIntervals returns the constructor of the intervals beside the model of c, at the emitted horizons; horizons nil: all.
// It returns nil if the model has its own intervals, or c has no levels.
func newIntervals(c config.Model, horizons []int) func(dim int) (eval.Intervals, error) {
	if !beside(c) {
		return nil
	}
	return func(dim int) (eval.Intervals, error) {
		one := intervalsOf(c, dim)
		one.Horizons = horizons
		return interval.NewIntervals(one)
	}
}

// newDriftWatch returns the constructor of the drift watch beside the model of c; nil: the model has its own, or drift
// detection is off.
func newDriftWatch(c config.Model) func(dim int) (drift.Watch, error) {
	if !c.Drift.Detect || adapts(c) {
		return nil
	}
	return func(dim int) (drift.Watch, error) { return interval.NewDriftWatch(driftOf(c, dim)) }
}

// newForecastingModel returns the model with the intervals that need more than its forecasts.
func newForecastingModel(c config.Model, dim int, s sharing) (eval.Model, error) {
	m, err := newPlainModel(c, dim, s)
	if err == nil && c.Influence {
		m, err = interval.NewInfluence(m, dim, 0)
	}
	if err == nil && c.Anomaly.LevelSets {
		m, err = interval.NewLevelSets(m, interval.LevelSetConfig{Dim: dim, Order: c.Order, Seed: c.Seed})
	}
	if err != nil || len(c.Levels) == 0 || beside(c) {
		return m, err
	}
	if c.Intervals == "quantile" {
		m, err = interval.NewQuantiles(m, interval.QuantilesConfig{
			Dim: dim, Order: c.Order, Horizon: c.Horizon, Levels: c.Levels, Seed: c.Seed,
		})
	} else {
		m, err = interval.WithIntervals(m, intervalsOf(c, dim))
	}
	if err == nil && c.Joint {
		m, err = interval.WithJoint(m, interval.JointConfig{Dim: dim, Horizon: c.Horizon, Levels: c.Levels})
	}
	return m, err
}

// NewPlainModel returns the model without wrappers.
func NewPlainModel(c config.Model, dim int) (eval.Model, error) {
	return newPlainModel(c, dim, sharing{})
}

func newPlainModel(c config.Model, dim int, s sharing) (eval.Model, error) {
	m, err := modelNamed(c.Type)
	if err != nil {
		return nil, fmt.Errorf("model.type: %w", err)
	}
	if err := CheckModel(c, dim); err != nil {
		return nil, err
	}
	return m.make(c, dim, s)
}

// Reference is the name of the baseline of Score.SkillVsVAR: VAR(1).
const Reference = "var1"

var baseline = engine.Baseline{
	Name:      Reference,
	Reference: true,
	New: func(dim, horizon int) (eval.Model, error) {
		return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 1, Horizon: horizon})
	},
}
