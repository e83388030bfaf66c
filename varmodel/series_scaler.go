package varmodel

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	statsForgetting = 0.9999 // weight of a sample in the statistics after one step
	winsorAfter     = 30     // samples before deviations are limited
	winsorLimit     = 10     // limit of a deviation, in standard deviations
	inputLimit      = 10     // limit of a standardised value
	forecastRange   = 2      // typical steps that a forecast may leave the range of what was seen
	degenerate      = 1e-12  // a scale below this times the magnitude of the data counts as zero
)

// scaler holds the running statistics of one series, coordinate by coordinate,
// all of them from the past alone: mean, standard deviation, root mean squared
// difference between consecutive samples, and range. Deviations are winsorised,
// so that one wild value cannot spoil a scale for long; missing values leave a
// coordinate as it is.
type scaler struct {
	*lanes.Moments

	// Its vectors, as long as a sample.
	last                   []float64 // sample, NaN where it was missing
	weight, mean, variance []float64
	diffWeight, diff2      []float64
	low, high              []float64
	sd, rms                []float64 // 0 for a constant coordinate
	unit, inverse          []float64 // sd and 1/sd; 1 and 0 for a constant coordinate
	steps, perStep         []float64 // rms and 1/rms; 1 and 0 for a constant coordinate
}

func newScaler(dim int) *scaler {
	m := lanes.NewMoments(dim, statsForgetting, winsorAfter, winsorLimit, degenerate, forecastRange)
	return &scaler{
		Moments: m,
		last:    m.Last[:dim],
		weight:  m.Weight[:dim], mean: m.Mean[:dim], variance: m.Variance[:dim],
		diffWeight: m.DiffWeight[:dim], diff2: m.Diff2[:dim],
		low: m.Low[:dim], high: m.High[:dim],
		sd: m.SD[:dim], rms: m.RMS[:dim],
		unit: m.Unit[:dim], inverse: m.Inverse[:dim],
		steps: m.Steps[:dim], perStep: m.PerStep[:dim],
	}
}

// standardised returns (v - mean)/sd, limited; 0 for a constant coordinate.
func (s *scaler) standardised(j int, v float64) float64 {
	return lanes.Clip((v-s.mean[j])*s.inverse[j], inputLimit)
}

// step is the scale of the increments of coordinate j: its rms, or 1 for a
// constant coordinate.
func (s *scaler) step(j int) float64 { return s.steps[j] }

// within limits a forecast to the range of what was seen, widened by forecastRange typical
// steps, when the series moves on, see lanes.Moments.Bound.
func (s *scaler) within(j int, v, move float64) float64 {
	floor, ceiling := s.Range(j, move)
	return clipTo(v, floor, ceiling)
}

// resetWeights lets the next samples change the statistics as quickly as samples did
// early on.
func (s *scaler) resetWeights() {
	for j := range s.weight {
		s.weight[j] = min(s.weight[j], scalerResetWeight)
		s.diffWeight[j] = min(s.diffWeight[j], scalerResetWeight)
	}
}

func (s *scaler) State(c *snapshot.Codec) {
	c.Section("scaler")
	for _, v := range [][]float64{s.last, s.weight, s.mean, s.variance, s.diffWeight, s.diff2, s.low, s.high, s.sd, s.rms} {
		c.Float64s(v)
	}
	if c.Decoding() {
		s.Derive()
	}
}
