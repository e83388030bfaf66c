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

// SetInputs implements eval.InputTaker.
func (s *timedSeries) SetInputs(u []float64) {
	if taker, ok := s.Forecaster.(eval.InputTaker); ok {
		taker.SetInputs(u)
	}
}

// JointTo implements eval.JointBounder; without a region it returns false.
func (s *timedSeries) JointTo(lower, upper []float64) bool {
	b, ok := s.Forecaster.(eval.JointBounder)
	if !ok {
		return false
	}
	start := time.Now()
	ok = b.JointTo(lower, upper)
	s.model.elapsed += time.Since(start)
	return ok
}

// BoundsTo implements eval.Bounder; without intervals it returns false.
func (s *timedSeries) BoundsTo(lower, upper []float64) bool {
	b, ok := s.Forecaster.(eval.Bounder)
	if !ok {
		return false
	}
	start := time.Now()
	ok = b.BoundsTo(lower, upper)
	s.model.elapsed += time.Since(start)
	return ok
}
