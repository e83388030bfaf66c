package study

import (
	"time"

	"github.com/orffvar/forecaster/eval"
)

// timedModel measures the time that a model takes, without the scoring.
type timedModel struct {
	eval.Model
	elapsed time.Duration
	series  []eval.Forecaster
}

// NewSeries implements eval.Model.
func (m *timedModel) NewSeries() eval.Forecaster {
	f := m.Model.NewSeries()
	m.series = append(m.series, f)
	return &timedSeries{f, m}
}

type timedSeries struct {
	eval.Forecaster
	model *timedModel
}

// Observe implements eval.Forecaster.
func (s *timedSeries) Observe(y []float64) error {
	start := time.Now()
	err := s.Forecaster.Observe(y)
	s.model.elapsed += time.Since(start)
	return err
}

// ForecastTo implements eval.Forecaster.
func (s *timedSeries) ForecastTo(dst []float64) bool {
	start := time.Now()
	ok := s.Forecaster.ForecastTo(dst)
	s.model.elapsed += time.Since(start)
	return ok
}

// Unwrap returns the measured forecaster; see eval.As. The time of BoundsTo and
// JointTo, which copy, is not measured.
func (s *timedSeries) Unwrap() eval.Forecaster { return s.Forecaster }
