// Package bound has the inequalities of the error bounds of feature maps, and the quantities of a map in these bounds.
package bound

import "errors"

// Inequality bounds the probability of an error.
type Inequality interface {
	Failure(draws float64) float64
	Draws(delta float64) float64
}

// Set is the region of the inputs, as accuracy.Problem describes it.
type Set struct {
	Diameter, Radius float64
}

// Estimate has the quantities of a map in the error bounds.
type Estimate struct {
	Draws int // number of draws of this map, for the memory of one draw
	D     int
	Norm  float64 // norm of the operator in front: ||Gamma|| times the weights

	// Spread is the half width of an interval that has the kernel values of one draw. Gram n bounds the norm of the Gram
	// matrix of one draw at n points.
	Spread        func(s Set) (float64, error)
	ExactDiagonal bool
	Gram          float64
	// Diagonal is the least k(x, x) before any weight; nil: 1.
	Diagonal func(s Set) (float64, error)

	Uniform func(eps float64, s Set) (bound Inequality, formula string, err error)
	Field   *UniformField // quantities of operator-valued draws; if it is set, Spread and Gram are unused
}

// Estimator is a Scalar or Map for which bounds are known.
type Estimator interface{ Estimate() (Estimate, error) }

// ErrUnknown is returned for a map without an Estimate.
var ErrUnknown = errors.New("orff: no error bound is known for this map: plan its parts, or measure")

// Of returns the quantities of a Scalar or a Map.
func Of(m any) (Estimate, error) {
	if e, ok := m.(Estimator); ok {
		return e.Estimate()
	}
	return Estimate{}, ErrUnknown
}
