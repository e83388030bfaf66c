package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

// PersistenceConfig describes the forecast that nothing changes.
type PersistenceConfig struct {
	Dim     int // d, coordinates of a sample
	Horizon int // H, forecasts 1 … H steps ahead
}

// NewPersistence returns the model whose forecast at every horizon is the last
// observed value of each coordinate: the baseline of every other model.
func NewPersistence(cfg PersistenceConfig) (eval.Model, error) {
	if err := check.Shape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	return statelessModel(func() eval.Forecaster {
		return &seasonal{dim: cfg.Dim, horizon: cfg.Horizon, past: series.NewHistory(cfg.Dim, 1)}
	}), nil
}

// statelessModel is a model whose series share nothing.
type statelessModel func() eval.Forecaster

func (m statelessModel) NewSeries() eval.Forecaster { return m() }
func (m statelessModel) State(*snapshot.Codec)      {}
