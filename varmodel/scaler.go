package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	statsForgetting = 0.9999 // weight of a sample in the statistics after one step
	winsorAfter     = 30     // samples before deviations are limited
	winsorLimit     = 10     // limit of a deviation, in standard deviations
	inputLimit      = 10     // limit of a standardised value
	degenerate      = 1e-12  // a scale below this times the magnitude of the data counts as zero
)

// scaler holds the running statistics of one series, coordinate by coordinate,
// all of them from the past alone: mean, standard deviation, root mean squared
// difference between consecutive samples, and range. Deviations are winsorised,
// so that one wild value cannot spoil a scale for long; missing values leave a
// coordinate as it is.
type scaler struct {
	weight, mean, variance []float64
	diffWeight, diff2      []float64
	low, high              []float64

	sd, rms []float64 // square roots of variance and diff2; 0 for a constant coordinate
}

func newScaler(dim int) *scaler {
	v := make([]float64, 9*dim)
	part := func(i int) []float64 { return v[i*dim : (i+1)*dim : (i+1)*dim] }
	return &scaler{
		weight: part(0), mean: part(1), variance: part(2),
		diffWeight: part(3), diff2: part(4),
		low: part(5), high: part(6),
		sd: part(7), rms: part(8),
	}
}

// observe takes the sample y, NaN where missing. diff is y minus the sample
// before it, NaN unless both were observed.
func (s *scaler) observe(y, diff []float64) {
	for j, v := range y {
		if math.IsNaN(v) {
			continue
		}
		if s.weight[j] == 0 {
			s.low[j], s.high[j] = v, v
		}
		s.low[j], s.high[j] = min(s.low[j], v), max(s.high[j], v)

		s.weight[j] = statsForgetting*s.weight[j] + 1
		w := s.weight[j]
		dev := winsorise(v-s.mean[j], s.sd[j], w)
		s.mean[j] += dev / w
		s.variance[j] += (dev*dev*(1-1/w) - s.variance[j]) / w
		s.sd[j] = scaleOf(s.variance[j], s.mean[j])

		d := diff[j]
		if math.IsNaN(d) {
			continue
		}
		s.diffWeight[j] = statsForgetting*s.diffWeight[j] + 1
		d = winsorise(d, s.rms[j], s.diffWeight[j])
		s.diff2[j] += (d*d - s.diff2[j]) / s.diffWeight[j]
		s.rms[j] = scaleOf(s.diff2[j], s.mean[j])
	}
}

// winsorise limits a deviation to winsorLimit scales once weight samples have
// settled the scale.
func winsorise(dev, scale, weight float64) float64 {
	if weight <= winsorAfter || scale == 0 {
		return dev
	}
	limit := winsorLimit * scale
	return min(max(dev, -limit), limit)
}

// scaleOf is the square root of a mean square, and 0 when it is nothing but
// rounding at the given magnitude.
func scaleOf(square, magnitude float64) float64 {
	s := math.Sqrt(max(square, 0))
	if !(s > degenerate*(1+math.Abs(magnitude))) {
		return 0
	}
	return s
}

// standardised returns (v - mean)/sd, limited; 0 for a constant coordinate.
func (s *scaler) standardised(j int, v float64) float64 {
	if s.sd[j] == 0 {
		return 0
	}
	return clip((v-s.mean[j])/s.sd[j], inputLimit)
}

// step is the scale of the increments of coordinate j: its rms, or 1 for a
// constant coordinate.
func (s *scaler) step(j int) float64 {
	if s.rms[j] == 0 {
		return 1
	}
	return s.rms[j]
}

// within limits a forecast to the range of what was seen, widened by two
// typical steps.
func (s *scaler) within(j int, v float64) float64 {
	margin := 2 * s.rms[j]
	return min(max(v, s.low[j]-margin), s.high[j]+margin)
}

func (s *scaler) State(c *snapshot.Codec) {
	c.Section("scaler")
	for _, v := range [][]float64{s.weight, s.mean, s.variance, s.diffWeight, s.diff2, s.low, s.high, s.sd, s.rms} {
		c.Float64s(v)
	}
}
