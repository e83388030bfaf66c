// Package units has the units of a kernel model: the scale in which its kernel sees the lags, and
// the units of the increments between which the law of the kernel holds. They belong together: a
// vector field in the units of the data needs inputs and increments in one unit.
package units

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/series"
)

// Law is a statement of a kernel about all coordinates of an increment together. It holds in
// the units of the data, so that their increments need one unit, or in the units of the inputs: with any
// other unit for each coordinate it would hold between numbers that mean nothing to the user.
type Law int

const (
	NoLaw    Law = iota
	FieldLaw     // a vector field: a gradient, or one without sources; with Common inputs
	SumLaw       // the sum of the coordinates stays as it is

	// ScaledFieldLaw is FieldLaw between the standardised coordinates, with Standardised inputs. A
	// field without sources there has none in the units of the data either; a gradient there is
	// the gradient in a metric in which all coordinates count alike.
	ScaledFieldLaw
)

// UnitsTo writes the units of the increments and their inverses: the typical step of each
// coordinate, the root mean square of these steps, or multiples of the standard deviations.
func (l Law) UnitsTo(unit, perUnit []float64, s *series.Scaler) {
	switch l {
	case NoLaw:
		copy(unit, s.Steps)
		copy(perUnit, s.PerStep)
		return
	case ScaledFieldLaw:
		for j, sd := range s.Unit {
			perUnit[j] = s.Rms[j] / sd // scratch
		}
		typical := RootMeanSquare(perUnit)
		for j, sd := range s.Unit {
			unit[j], perUnit[j] = typical*sd, 1/(typical*sd)
		}
		return
	}
	one := RootMeanSquare(s.Rms)
	for j := range unit {
		unit[j], perUnit[j] = one, 1/one
	}
}

// KeepSum restores the sum of a forecast y after last that the limits of single
// coordinates have moved: the increments of the sign that prevails shrink, which keeps
// every limit. Laws other than SumLaw leave y as it is.
func (l Law) KeepSum(y, last []float64) {
	if l != SumLaw {
		return
	}
	var up, down float64
	for j, v := range y {
		if d := v - last[j]; d > 0 {
			up += d
		} else {
			down -= d
		}
	}
	for j, v := range y {
		switch d := v - last[j]; {
		case d > 0 && up > down:
			y[j] = last[j] + d*(down/up)
		case d < 0 && down > up:
			y[j] = last[j] + d*(up/down)
		}
	}
}

// RootMeanSquare returns the common scale of v, or 1 if all are 0.
func RootMeanSquare(v []float64) float64 {
	if q := vec.Dot(v, v); q > 0 {
		return math.Sqrt(q / float64(len(v)))
	}
	return 1
}
