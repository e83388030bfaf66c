package regression

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
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

// setUnits replaces the units of the increments by their root mean square, or by multiples
// of the standard deviations.
func (l Law) setUnits(s *Series) {
	switch l {
	case NoLaw:
		return
	case ScaledFieldLaw:
		for j, sd := range s.Scaler.Unit {
			s.perUnit[j] = s.Scaler.Rms[j] / sd // scratch
		}
		typical := RootMeanSquare(s.perUnit)
		for j, sd := range s.Scaler.Unit {
			s.Unit[j], s.perUnit[j] = typical*sd, 1/(typical*sd)
		}
		return
	}
	unit := RootMeanSquare(s.Scaler.Rms)
	for j := range s.Unit {
		s.Unit[j], s.perUnit[j] = unit, 1/unit
	}
}

// keepSum restores the sum of a forecast y after last that the limits of single
// coordinates have moved: the increments of the sign that prevails shrink, which keeps
// every limit.
func (l Law) keepSum(y, last []float64) {
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
