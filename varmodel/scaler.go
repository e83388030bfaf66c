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

	// What follows from them and is looked at more often than it changes.
	sd, rms        []float64 // square roots of variance and diff2; 0 for a constant coordinate
	unit, inverse  []float64 // sd and 1/sd; 1 and 0 for a constant coordinate
	steps, perStep []float64 // rms and 1/rms; 1 and 1 for a constant coordinate
	floor, ceiling []float64 // limits of a forecast
}

func newScaler(dim int) *scaler {
	v := make([]float64, 15*dim)
	part := func(i int) []float64 { return v[i*dim : (i+1)*dim : (i+1)*dim] }
	s := &scaler{
		weight: part(0), mean: part(1), variance: part(2),
		diffWeight: part(3), diff2: part(4),
		low: part(5), high: part(6),
		sd: part(7), rms: part(8),
		unit: part(9), inverse: part(10), steps: part(11), perStep: part(12),
		floor: part(13), ceiling: part(14),
	}
	s.derive()
	return s
}

// observe takes the sample y, NaN where missing. diff is y minus the sample
// before it, NaN unless both were observed.
func (s *scaler) observe(y, diff []float64) {
	n := len(y)
	weights, means, variances, low, high := s.weight[:n], s.mean[:n], s.variance[:n], s.low[:n], s.high[:n]
	sd, unit, inverse := s.sd[:n], s.unit[:n], s.inverse[:n]
	var weight, share float64 // as a rule those of the coordinate before
	for j, v := range y {
		if v != v {
			continue
		}
		switch {
		case weights[j] == 0:
			low[j], high[j] = v, v
		case v < low[j]:
			low[j] = v
		case v > high[j]:
			high[j] = v
		}
		if w := statsForgetting*weights[j] + 1; w != weight {
			weight, share = w, 1/w
		}
		weights[j] = weight
		mean, variance := means[j], variances[j]
		dev := winsorise(v-mean, sd[j], weight)
		mean += dev * share
		variance += (dev*dev*(1-share) - variance) * share
		means[j], variances[j] = mean, variance
		sd[j] = scaleOf(variance, mean)
		unit[j], inverse[j] = inverted(sd[j], 0)
	}
	weights, variances = s.diffWeight[:n], s.diff2[:n]
	sd, unit, inverse = s.rms[:n], s.steps[:n], s.perStep[:n]
	for j, v := range diff[:n] {
		if v != v {
			continue
		}
		if w := statsForgetting*weights[j] + 1; w != weight {
			weight, share = w, 1/w
		}
		weights[j] = weight
		v = winsorise(v, sd[j], weight)
		square := variances[j]
		square += (v*v - square) * share
		variances[j] = square
		sd[j] = scaleOf(square, means[j])
		unit[j], inverse[j] = inverted(sd[j], 1)
	}
	floor, ceiling := s.floor[:n], s.ceiling[:n]
	for j, rms := range sd {
		floor[j], ceiling[j] = low[j]-2*rms, high[j]+2*rms
	}
}

// derive sets what follows from sd and rms.
func (s *scaler) derive() {
	for j := range s.mean {
		s.unit[j], s.inverse[j] = inverted(s.sd[j], 0)
		s.steps[j], s.perStep[j] = inverted(s.rms[j], 1)
		s.floor[j], s.ceiling[j] = s.low[j]-2*s.rms[j], s.high[j]+2*s.rms[j]
	}
}

// inverted returns a scale and its inverse; 1 and what is given instead for that of a
// constant.
func inverted(scale, instead float64) (unit, inverse float64) {
	if scale == 0 {
		return 1, instead
	}
	return scale, 1 / scale
}

// winsorise limits a deviation to winsorLimit scales once weight samples have
// settled the scale.
func winsorise(dev, scale, weight float64) float64 {
	if weight <= winsorAfter || scale == 0 {
		return dev
	}
	return clip(dev, winsorLimit*scale)
}

// scaleOf is the square root of a mean square, and 0 when it is nothing but
// rounding at the given magnitude.
func scaleOf(square, magnitude float64) float64 {
	s := math.Sqrt(square)
	if s > degenerate*(1+math.Abs(magnitude)) {
		return s
	}
	return 0 // or square was negative by rounding
}

// standardised returns (v - mean)/sd, limited; 0 for a constant coordinate.
func (s *scaler) standardised(j int, v float64) float64 {
	return clip((v-s.mean[j])*s.inverse[j], inputLimit)
}

// step is the scale of the increments of coordinate j: its rms, or 1 for a
// constant coordinate.
func (s *scaler) step(j int) float64 { return s.steps[j] }

// within limits a forecast to the range of what was seen, widened by two
// typical steps.
func (s *scaler) within(j int, v float64) float64 {
	if floor := s.floor[j]; v < floor {
		return floor
	}
	if ceiling := s.ceiling[j]; v > ceiling {
		return ceiling
	}
	return v
}

func (s *scaler) State(c *snapshot.Codec) {
	c.Section("scaler")
	for _, v := range [][]float64{s.weight, s.mean, s.variance, s.diffWeight, s.diff2, s.low, s.high, s.sd, s.rms} {
		c.Float64s(v)
	}
	if c.Decoding() {
		s.derive()
	}
}
