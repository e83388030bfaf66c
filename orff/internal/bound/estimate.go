// Package bound has the inequalities behind the error bounds of feature maps, and the
// quantities of a map that they depend on.
package bound

import "errors"

// Inequality is a bound of the probability of an error.
type Inequality interface {
	Failure(draws float64) float64
	Draws(delta float64) float64
}

// Set is the region of the inputs, as accuracy.Problem describes it.
type Set struct {
	Diameter, Radius float64
}

// Estimate has the quantities of a map in error bounds.
type Estimate struct {
	Draws int // of this instance, for the memory of one draw
	D     int
	Norm  float64 // of the operator in front: ||Gamma|| times the weights

	// A draw contributes kernel values in an interval of half width Spread; the
	// norm of its Gram matrix is at most Gram n.
	Spread        func(s Set) (float64, error)
	ExactDiagonal bool
	Gram          float64
	// Diagonal is the least k(x, x) before any weight; nil where it is 1.
	Diagonal func(s Set) (float64, error)

	Uniform func(eps float64, s Set) (bound Inequality, formula string, err error)
	Field   *UniformField // operator-valued draws; Spread and Gram are unused then
}

// Estimator is a Scalar or Map for which bounds are known.
type Estimator interface{ Estimate() (Estimate, error) }

// ErrUnknown refuses a map without an Estimate.
var ErrUnknown = errors.New("orff: no error bound is known for this map: plan its parts, or measure")

// Of returns the quantities of a Scalar or a Map.
func Of(m any) (Estimate, error) {
	if e, ok := m.(Estimator); ok {
		return e.Estimate()
	}
	return Estimate{}, ErrUnknown
}
