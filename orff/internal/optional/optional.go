// Package optional calls the methods that not every feature map has. A method is looked for
// in the type of a map, so that a map of any package can have it:
//
//	Check(x []float64) error               // the reason why x lies outside the domain
//	Kernel(x, z []float64) float64         // of a scalar map: the exact kernel
//	KernelTo(k, x, z []float64)            // of an operator-valued map: the same
//	Variance(x, z []float64) float64       // of a scalar map: variance of phi(x).phi(z)
//	VarianceTo(v, x, z []float64)          // of an operator-valued map: the same
//	RedrawFrom(r *random.Rand) bool        // draws the map again
//	Weigh(s float64) bool                  // multiplies the features by s
//	State(c *snapshot.Codec)
//
// SmoothMap, SlopedMap and SlopedScalar have derivatives.
package optional

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// Check returns the reason why x lies outside the domain of m, or nil.
func Check(m any, x []float64) error {
	if d, ok := m.(interface{ Check(x []float64) error }); ok {
		return d.Check(x)
	}
	return nil
}

// CheckAll asks all parts of a map.
func CheckAll[T any](parts []T, x []float64) error {
	for _, p := range parts {
		if err := Check(p, x); err != nil {
			return err
		}
	}
	return nil
}

// CheckBoth asks both factors of a map.
func CheckBoth(a, b any, x []float64) error {
	if err := Check(a, x); err != nil {
		return err
	}
	return Check(b, x)
}

// Kernel returns the exact kernel of the scalar map s, NaN when it is not known.
func Kernel(s any, x, z []float64) float64 {
	if k, ok := s.(interface{ Kernel(x, z []float64) float64 }); ok {
		return k.Kernel(x, z)
	}
	return math.NaN()
}

// Variance returns the exact variance of phi(x).phi(z) over the draws of the scalar map s,
// NaN when there is no closed form. It is proportional to 1/D.
func Variance(s any, x, z []float64) float64 {
	if k, ok := s.(interface{ Variance(x, z []float64) float64 }); ok {
		return k.Variance(x, z)
	}
	return math.NaN()
}

// KernelTo writes the exact kernel of m into k, Out x Out row-major; NaN when it is not known.
func KernelTo(k []float64, m any, x, z []float64) {
	if e, ok := m.(interface{ KernelTo(k, x, z []float64) }); ok {
		e.KernelTo(k, x, z)
		return
	}
	numeric.FillNaN(k)
}

// VarianceTo writes E (K~(x, z) - K(x, z)) (K~(x, z) - K(x, z))^T over the draws
// of m into v, Out x Out row-major; NaN when there is no closed form. Its trace is
// the mean squared Frobenius error.
func VarianceTo(v []float64, m any, x, z []float64) {
	if e, ok := m.(interface{ VarianceTo(v, x, z []float64) }); ok {
		e.VarianceTo(v, x, z)
		return
	}
	numeric.FillNaN(v)
}

// State transfers the state of m, if it has one.
func State(m any, c *snapshot.Codec) {
	if s, ok := m.(snapshot.Stateful); ok {
		s.State(c)
	}
}

// Redraw replaces everything random in m by draws from r. It reports whether m
// depends on nothing but its parameters and r.
func Redraw(m any, r *random.Rand) bool {
	d, ok := m.(interface{ RedrawFrom(r *random.Rand) bool })
	return ok && d.RedrawFrom(r)
}

// RedrawAll redraws all parts of a map.
func RedrawAll[T any](parts []T, r *random.Rand) bool {
	for _, p := range parts {
		if !Redraw(p, r) {
			return false
		}
	}
	return true
}

// Weigh multiplies the features of m by s, its kernel by s^2. It reports whether
// m can do that.
func Weigh(m any, s float64) bool {
	w, ok := m.(interface{ Weigh(s float64) bool })
	return s == 1 || ok && w.Weigh(s)
}

// WeighAll weighs all parts of a map.
func WeighAll[T any](parts []T, s float64) bool {
	for _, p := range parts {
		if !Weigh(p, s) {
			return false
		}
	}
	return true
}

// GiveWeight multiplies the kernel of m by w.
func GiveWeight(m any, w float64) error {
	if !(w >= 0) || math.IsInf(w, 1) {
		return fmt.Errorf("orff: the weight of a kernel must be finite and >= 0, got %g", w)
	}
	if !Weigh(m, math.Sqrt(w)) {
		return fmt.Errorf("orff: %T cannot be weighted", m)
	}
	return nil
}
