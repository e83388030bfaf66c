package interval

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
)

// WithIntervals returns m with forecasters that implement eval.Bounder, each with its own Intervals. The forecasts stay the
// same.
func WithIntervals(m eval.Model, cfg Config) (eval.Model, error) {
	if _, err := NewIntervals(cfg); err != nil {
		return nil, err
	}
	return &bounded{m, cfg}, nil
}

type bounded struct {
	eval.Model
	cfg Config
}

func (m *bounded) NewSeries() eval.Forecaster {
	s, err := NewIntervals(m.cfg)
	if err != nil {
		panic("varmodel: " + err.Error()) // WithIntervals has tried it
	}
	b := &boundedSeries{accompanied: accompany(m.Model.NewSeries(), s, m.cfg.Horizon, m.cfg.Dim), intervals: s}
	b.seasonal, _ = eval.As[eval.Seasonal](b.Forecaster)
	return b
}

// boundedSeries is one series with its intervals.
type boundedSeries struct {
	accompanied
	intervals *Intervals
	seasonal  eval.Seasonal // nil: the model has no seasons
}

func (s *boundedSeries) Observe(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	if s.seasonal != nil {
		s.intervals.SetPhases(s.seasonal.Phases())
	}
	s.intervals.Observe(y)
	s.issue()
	return nil
}

// BoundsTo implements eval.Bounder.
func (s *boundedSeries) BoundsTo(lower, upper []float64) bool {
	return s.intervals.BoundsTo(lower, upper)
}

func (s *boundedSeries) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	c.Optional("intervals", func() { s.intervals.State(c) })
}
