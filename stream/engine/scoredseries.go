package engine

import (
	"fmt"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
)

// scoredSeries is the scorer's part of a series; see series for the engine's part.
type scoredSeries struct {
	info  *stream.Series
	place int   // index, in order of appearance
	time  int64 // time of the last sample

	scorers   []modelScorer   // scorer of the model, then those of the baselines
	baselines []*baseline     // in the order of Config.Baselines
	anomalies *anomaly.Scorer // nil with Evaluation.NoAnomalies

	intervals  eval.Intervals   // nil without Config.Intervals
	drift      drift.Watch      // nil without Config.Drift
	companions []eval.Companion // intervals and drift, if not nil
	follower   Follower         // nil without Evaluation.Follow
	yhat       []float64        // last one-step forecast, dim; NaN = none
	lower      []float64        // bounds of yhat, dim; NaN = none; nil if an event cannot tell them
	upper      []float64
	issued     issued // empty if no two origins can share a target time

	bounds *bounds
	limits *limitWatch

	changed bool // a step result came after Engine.Saved
}

func (s *scoredSeries) Changed() bool { return s.changed }

// modelScorer is the scorer of the named model or baseline.
type modelScorer struct {
	*scoring.Scorer
	model string
}

// baseline is the model of a Baseline for one series.
type baseline struct {
	name   string
	own    eval.Model
	f      forecaster      // forecaster of own
	scorer *scoring.Scorer // nil with Evaluation.ReferenceAlone
}

// newScoredSeries returns the scorer's part of a new series. The scorer receives it in a step
// result, see resultBegin.
func newScoredSeries(c *Config, info *stream.Series, place int) (*scoredSeries, error) {
	dim := len(info.Variables)
	s := &scoredSeries{
		info: info, place: place, scorers: []modelScorer{{newModelScorer(c, info), c.Model}},
		yhat: make([]float64, dim), bounds: newBounds(c, info.Variables), limits: newLimitWatch(c, info.Variables), changed: true,
	}
	if !c.Evaluation.NoAnomalies {
		a := c.anomalies(info.Variables)
		if c.Emit[0] == 1 && len(c.Levels) > 0 {
			s.lower, s.upper = make([]float64, dim), make([]float64, dim)
			a.Interval = func(j int) (lower, upper float64) { return s.lower[j], s.upper[j] }
		}
		s.anomalies = anomaly.NewScorer(a)
	}
	for _, b := range c.Baselines {
		m, err := b.New(dim, c.Horizon)
		if err != nil {
			return nil, fmt.Errorf("stream: baseline %s of %s: %w", b.Name, plural.Count(dim, "variable"), err)
		}
		one := &baseline{name: b.Name, own: m, f: newForecaster(m)}
		if !c.Evaluation.ReferenceAlone {
			one.scorer = scoring.NewScorer(scorerConfig(c, info))
			s.scorers = append(s.scorers, modelScorer{one.scorer, b.Name})
		}
		s.baselines = append(s.baselines, one)
	}
	var err error
	if c.Intervals != nil {
		if s.intervals, err = c.Intervals(dim); err != nil {
			return nil, fmt.Errorf("stream: intervals of %s: %w", plural.Count(dim, "variable"), err)
		}
		s.companions = append(s.companions, s.intervals)
	}
	if c.Drift != nil {
		if s.drift, err = c.Drift(dim); err != nil {
			return nil, fmt.Errorf("stream: drift detector of %s: %w", plural.Count(dim, "variable"), err)
		}
		s.companions = append(s.companions, s.drift)
	}
	if c.Evaluation.Follow != nil {
		if s.follower, err = c.Evaluation.Follow(info); err != nil {
			return nil, err
		}
	}
	s.expect(nil, nil)
	return s, nil
}

// newModelScorer returns the scorer of the model. Only the model has intervals.
func newModelScorer(c *Config, info *stream.Series) *scoring.Scorer {
	config := scorerConfig(c, info)
	if len(c.Levels) > 0 {
		config.Level = c.Levels[0]
		config.Joint = c.Joint
	}
	return scoring.NewScorer(config)
}

// scorerConfig returns the configuration of a scorer without intervals.
func scorerConfig(c *Config, info *stream.Series) scoring.ScorerConfig {
	config := scoring.ScorerConfig{Dim: len(info.Variables), Horizons: c.Emit, Window: c.MetricsWindow, MeanTo: c.Evaluation.MeanTo}
	if c.Evaluation.Scale != nil {
		config.Scale = c.Evaluation.Scale(info)
	}
	return config
}

// follow passes forecasts and bounds to the follower. yhat = nil: no forecasts.
func (s *scoredSeries) follow(yhat, lower, upper []float64) {
	switch {
	case s.follower == nil:
	case yhat == nil:
		s.follower.ResetLags()
	default:
		s.follower.Issue(yhat, lower, upper)
	}
}

func (s *scoredSeries) state(c *snapshot.Codec) {
	c.Section("scored")
	c.Int64(&s.time)
	c.Optional("model", func() { s.scorers[0].State(c) })
	for _, m := range s.baselines {
		c.Optional("baseline "+m.name, func() {
			m.own.State(c)
			m.f.State(c)
			if m.scorer != nil {
				m.scorer.State(c)
			}
		})
	}
	if s.intervals != nil {
		c.Optional("intervals", func() { s.intervals.State(c) })
	}
	if s.drift != nil {
		c.Optional("drift", func() { s.drift.State(c) })
	}
	if s.anomalies != nil {
		s.anomalies.State(c)
	}
	c.Float64s(s.yhat)
	if s.lower != nil {
		c.Optional("interval", func() { c.Float64s(s.lower); c.Float64s(s.upper) })
	}
	s.issued.state(c)
	if s.limits != nil {
		c.Optional("limits", func() { s.limits.state(c) })
	}
}
