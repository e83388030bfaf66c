package engine

import (
	"math"

	"github.com/orffvar/forecaster/stream"
)

// observe is the stage of the samples: it appends them with their residuals and anomaly scores.
func (sc *scorer) observe(dst *Results, r *stepResult) error {
	s := r.series
	switch r.kind {
	case resultFill, resultBreak:
		s.expect(nil, nil)
		return nil
	case resultSample:
	default:
		return nil
	}
	v := dst.room(2 * len(r.y))
	residual, anomaly := v[:len(r.y):len(r.y)], v[len(r.y):]
	r.observation = len(dst.Observations)
	dst.Observations = append(dst.Observations, stream.Observation{
		Series: s.info, Time: r.time, Missing: r.missing, Y: r.y, Residual: residual, AnomalyScore: math.NaN(), StateScore: math.NaN(), VariableScores: anomaly,
		LevelSetScore: r.levelSetScore,
	})
	for i, y := range r.y {
		residual[i], anomaly[i] = y-s.yhat[i], math.NaN()
	}
	if s.anomalies != nil {
		scoreAnomaly(dst, &dst.Observations[r.observation], s, r)
	}
	s.expect(r.yhat, r.bounds)
	return nil
}

// expect keeps the one-step forecast and its bounds for the next sample. nil: there are none.
func (s *scoredSeries) expect(yhat, bounds []float64) {
	lower, upper := halves(bounds)
	set(s.yhat, yhat)
	set(s.lower, lower)
	set(s.upper, upper)
}

// set sets dst to the first elements of v, or to NaN if v is nil.
func set(dst, v []float64) {
	if v == nil {
		fillNaN(dst)
	}
	copy(dst, v)
}

func fillNaN(v []float64) {
	for i := range v {
		v[i] = math.NaN()
	}
}
