package series

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

const (
	StatsForgetting = 0.9999 // weight of a sample in the statistics after one step
	WinsorAfter     = 30     // number of samples before deviations are limited
	WinsorLimit     = 10     // limit of a deviation, in standard deviations
	InputLimit      = 10     // limit of a standardised value
	forecastRange   = 2      // typical steps by which a forecast may leave the range of past values
	Degenerate      = 1e-12  // a scale below this times the magnitude of the data counts as zero
)

const scalerResetWeight = 100 // number of samples that the earlier statistics count as after a reset

// Scaler has the running statistics of each coordinate of one series, from the past alone: mean, standard deviation, root
// mean squared difference between consecutive samples, and range. Deviations are winsorised, so that one outlier cannot
// spoil a scale for long. A missing value does not change the statistics.
type Scaler struct {
	*lanes.Moments

	// Its vectors, as long as a sample.
	last                   []float64 // last sample; NaN: missing
	Weight, Mean, Variance []float64
	diffWeight, Diff2      []float64
	Low, High              []float64
	Sd, Rms                []float64 // 0 for a constant coordinate
	Unit, Inverse          []float64 // sd and 1/sd; 1 and 0 for a constant coordinate
	Steps, PerStep         []float64 // rms and 1/rms; 1 and 0 for a constant coordinate
}

func NewScaler(dim int) *Scaler {
	m := lanes.NewMoments(dim, StatsForgetting, WinsorAfter, WinsorLimit, Degenerate, forecastRange)
	return &Scaler{
		Moments: m,
		last:    m.Last[:dim],
		Weight:  m.Weight[:dim], Mean: m.Mean[:dim], Variance: m.Variance[:dim],
		diffWeight: m.DiffWeight[:dim], Diff2: m.Diff2[:dim],
		Low: m.Low[:dim], High: m.High[:dim],
		Sd: m.SD[:dim], Rms: m.RMS[:dim],
		Unit: m.Unit[:dim], Inverse: m.Inverse[:dim],
		Steps: m.Steps[:dim], PerStep: m.PerStep[:dim],
	}
}

// Standardised returns (v - mean)/sd, limited; 0 for a constant coordinate.
func (s *Scaler) Standardised(j int, v float64) float64 {
	return lanes.Clip((v-s.Mean[j])*s.Inverse[j], InputLimit)
}

// Step returns the typical step of coordinate j: the rms of its increments, or 1 for a constant coordinate.
func (s *Scaler) Step(j int) float64 { return s.Steps[j] }

// Within limits a forecast v to the range of past values, widened by forecastRange typical steps in the direction of move:
// see lanes.Moments.Bound.
func (s *Scaler) Within(j int, v, move float64) float64 {
	floor, ceiling := s.Range(j, move)
	return ClipTo(v, floor, ceiling)
}

// ResetWeights lowers the weight of the earlier statistics to scalerResetWeight samples.
func (s *Scaler) ResetWeights() {
	for j := range s.Weight {
		s.Weight[j] = min(s.Weight[j], scalerResetWeight)
		s.diffWeight[j] = min(s.diffWeight[j], scalerResetWeight)
	}
}

func (s *Scaler) State(c *snapshot.Codec) {
	c.Section("scaler")
	for _, v := range [][]float64{s.last, s.Weight, s.Mean, s.Variance, s.diffWeight, s.Diff2, s.Low, s.High, s.Sd, s.Rms} {
		c.Float64s(v)
	}
	if c.Decoding() {
		s.Derive()
	}
}

// ClipTo limits v to [low, high].
func ClipTo(v, low, high float64) float64 {
	if v < low {
		return low
	}
	if v > high {
		return high
	}
	return v
}
