package faultsim

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

var levels = []float64{.8}

// engineConfig returns the configuration of all engines of a run. The model is o.NewModel, or the cheap model below.
// All other parts with state are switched on.
func engineConfig(o *Options) engine.Config {
	const horizon = 2
	newModel := o.NewModel
	if newModel == nil {
		newModel = func(dim int) (eval.Model, error) {
			return &noisy{Drift: streamtest.NewDrift(dim, horizon, len(levels)), random: uint64(dim), bug: o.Bug}, nil
		}
	}
	return engine.Config{
		Model: "model", NewModel: newModel,
		Baselines: []engine.Baseline{{Name: "drift", Reference: true, New: func(dim, horizon int) (eval.Model, error) {
			return streamtest.NewDrift(dim, horizon, 0), nil
		}}},
		Horizon: horizon, Levels: levels, MetricsEvery: 10, MetricsWindow: 5, // small: most of a state are the scores
		Config: assemble.Config{SchemaChangeAfter: 3},
	}
}

// ahead returns the model of the bug WallClock, which reads the clock.
func ahead(newModel func(dim int) (eval.Model, error)) func(dim int) (eval.Model, error) {
	return func(dim int) (eval.Model, error) {
		m, err := newModel(dim)
		if n, ok := m.(*noisy); ok {
			n.random++
		}
		return m, err
	}
}

// noisy is a Drift with random numbers, like a learner that samples.
type noisy struct {
	*streamtest.Drift
	random uint64
	bug    Bug
}

func (m *noisy) NewSeries() eval.Forecaster {
	return &noisySeries{Forecaster: m.Drift.NewSeries(), m: m}
}

func (m *noisy) State(c *snapshot.Codec) {
	m.Drift.State(c)
	if m.bug != UnsavedRandom {
		c.Uint64(&m.random)
	}
}

type noisySeries struct {
	eval.Forecaster
	m     *noisy
	noise float64
}

func (s *noisySeries) Observe(y []float64) error {
	s.m.random = s.m.random*6364136223846793005 + 1442695040888963407
	s.noise = float64(s.m.random>>40) / (1 << 24)
	if s.m.bug == MapIteration {
		for _, v := range map[string]float64{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8} {
			s.noise = s.noise/2 + v
		}
	}
	return s.Forecaster.Observe(y)
}

func (s *noisySeries) ForecastTo(dst []float64) bool {
	ok := s.Forecaster.ForecastTo(dst)
	for i := range dst {
		dst[i] += s.noise
	}
	return ok
}

func (s *noisySeries) Unwrap() eval.Forecaster { return s.Forecaster }

func (s *noisySeries) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	c.Float64(&s.noise)
}
