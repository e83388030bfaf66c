package build

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/varmodel"
)

// NewModel makes the model that c names for series of dim variables, with
// intervals if c has levels and what watches it. shared says that several series
// will share it.
func NewModel(c config.Model, dim int, shared bool) (eval.Model, error) {
	m, err := newForecastingModel(c, dim, shared)
	if err == nil && beside(c) {
		m, err = varmodel.WithIntervals(m, intervalsOf(c, dim))
	}
	if err == nil && c.Drift.Detect {
		m, err = varmodel.WithDrift(m, driftOf(c, dim))
	}
	return m, err
}

// newEngineModel is NewModel without what the engine keeps beside the model:
// newIntervals, and newDriftWatch.
func newEngineModel(c config.Model, dim int, shared bool) (eval.Model, error) {
	m, err := newForecastingModel(c, dim, shared)
	if err == nil && c.Drift.Detect && adapts(c) {
		m, err = varmodel.WithDrift(m, driftOf(c, dim))
	}
	return m, err
}

// beside reports whether the intervals of c only look at the forecasts. A joint
// region is made of those that the model has.
func beside(c config.Model) bool { return len(c.Levels) > 0 && c.Intervals != "quantile" && !c.Joint }

// adapts reports whether a drift changes the model.
func adapts(c config.Model) bool { return eval.Adaptation(c.Drift.Action) != eval.AdaptNone }

func intervalsOf(c config.Model, dim int) varmodel.IntervalConfig {
	return varmodel.IntervalConfig{Dim: dim, Horizon: c.Horizon, Levels: c.Levels}
}

func driftOf(c config.Model, dim int) varmodel.DriftConfig {
	return varmodel.DriftConfig{Dim: dim, Horizon: c.Horizon, FalseAlarms: c.Drift.FalseAlarms, Action: eval.Adaptation(c.Drift.Action)}
}

// newIntervals returns what makes the intervals beside the model of c; nil when the
// model has them, or none are asked for.
func newIntervals(c config.Model) func(dim int) (eval.Intervals, error) {
	if !beside(c) {
		return nil
	}
	return func(dim int) (eval.Intervals, error) { return varmodel.NewIntervals(intervalsOf(c, dim)) }
}

// newDriftWatch returns what watches the model of c from beside; nil when the model
// watches itself, or nothing does.
func newDriftWatch(c config.Model) func(dim int) (eval.DriftWatch, error) {
	if !c.Drift.Detect || adapts(c) {
		return nil
	}
	return func(dim int) (eval.DriftWatch, error) { return varmodel.NewDriftWatch(driftOf(c, dim)) }
}

// newForecastingModel makes the model of NewModel with those intervals that need more
// than its forecasts.
func newForecastingModel(c config.Model, dim int, shared bool) (eval.Model, error) {
	m, err := NewPlainModel(c, dim, shared)
	if err == nil && c.Influence {
		m, err = varmodel.NewInfluence(m, dim, 0)
	}
	if err == nil && c.Anomaly {
		m, err = varmodel.NewLevelSets(m, varmodel.LevelSetConfig{Dim: dim, Order: c.Order, Seed: c.Seed})
	}
	if err != nil || len(c.Levels) == 0 || beside(c) {
		return m, err
	}
	if c.Intervals == "quantile" {
		m, err = varmodel.NewQuantiles(m, varmodel.QuantilesConfig{
			Dim: dim, Order: c.Order, Horizon: c.Horizon, Levels: c.Levels, Seed: c.Seed,
		})
	} else {
		m, err = varmodel.WithIntervals(m, intervalsOf(c, dim))
	}
	if err == nil && c.Joint {
		m, err = varmodel.WithJoint(m, varmodel.JointConfig{Dim: dim, Horizon: c.Horizon, Levels: c.Levels})
	}
	return m, err
}

func NewPlainModel(c config.Model, dim int, shared bool) (eval.Model, error) {
	if config.IsKernelModel(c.Type) {
		return newKernelModel(c, dim)
	}
	switch c.Type {
	case "auto", "auto-light", "auto-tiny":
		return varmodel.NewAuto(varmodel.AutoConfig{
			Dim: dim, Horizon: c.Horizon, Seed: c.Seed, Tier: TierNamed(c), Shared: shared, Inputs: inputsOf(c), Experts: c.Experts, Season: c.Season,
		})
	case "orffvar":
		cfg := varmodel.ORFFVARConfig{
			Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed,
			Frequencies: c.Frequencies, Bandwidth: c.Bandwidth, Ridge: c.Ridge, Forgetting: c.Forgetting,
			Inputs: inputsOf(c),
		}
		if c.Optimiser.Step == "plain" {
			cfg.Optimiser, cfg.Step = varmodel.NLMS, c.Optimiser.Rate
		}
		return varmodel.NewORFFVAR(cfg)
	case "ngrc":
		return varmodel.NewNGRC(varmodel.NGRCConfig{
			Dim: dim, Order: c.Order, Horizon: c.Horizon, Degree: c.Kernel.Degree, Ridge: c.Ridge, Forgetting: c.Forgetting,
		})
	case "persistence":
		return varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: dim, Horizon: c.Horizon})
	case "seasonal":
		return varmodel.NewSeasonal(varmodel.SeasonalConfig{Dim: dim, Horizon: c.Horizon, Period: c.Season})
	}
	if lags, ok := lagsOf(c.Type, "var"); ok {
		return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: lags, Horizon: c.Horizon, Inputs: inputsOf(c)})
	}
	if lags, ok := lagsOf(c.Type, "ar"); ok {
		return varmodel.NewAR(varmodel.ARConfig{Dim: dim, Order: lags, Horizon: c.Horizon})
	}
	return nil, fmt.Errorf("model.type: %w", config.ModelName(c.Type))
}

// CheckModel returns an error unless name is a model that c can make.
func CheckModel(name string, c config.Model) error {
	if err := config.ModelName(name); err != nil {
		return err
	}
	if name == "seasonal" && c.Season < 1 {
		return errors.New("seasonal needs --season, the steps of a season")
	}
	return nil
}

// Seeded reports whether a model draws random frequencies.
func Seeded(name string) bool {
	switch name {
	case "auto", "auto-light", "auto-tiny", "orffvar", "kernelvar", "krls", "nystroem":
		return true
	}
	return false
}

// lagsOf returns N of a name such as varN.
func lagsOf(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// reference is VAR(1), which Score.SkillVsVAR compares with.
var reference = stream.Baseline{
	Name:      "var1",
	Reference: true,
	New: func(dim, horizon int) (eval.Model, error) {
		return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 1, Horizon: horizon})
	},
}
