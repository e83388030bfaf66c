// Package optional calls methods that only some feature maps have. It looks for a method in the type of a map: a map of
// any package can have it.
//
//	Check(x []float64) error               // error if x lies outside the domain
//	Kernel(x, z []float64) float64         // scalar map: exact kernel
//	KernelTo(k, x, z []float64)            // operator-valued map: exact kernel
//	Variance(x, z []float64) float64       // scalar map: variance of phi(x).phi(z)
//	VarianceTo(v, x, z []float64)          // operator-valued map: E (K~ - K) (K~ - K)^T
//	RedrawFrom(r *random.Rand) bool        // draws the map again
//	Weigh(s float64) bool                  // multiplies the features by s
//	State(c *snapshot.Codec)
//
// SmoothMap, SlopedMap and SlopedScalar have methods for derivatives.
package optional

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// Check returns an error if x lies outside the domain of m.
func Check(m any, x []float64) error {
	if d, ok := m.(interface{ Check(x []float64) error }); ok {
		return d.Check(x)
	}
	return nil
}

// CheckAll returns the first error of a part of a map.
func CheckAll[T any](parts []T, x []float64) error {
	for _, p := range parts {
		if err := Check(p, x); err != nil {
			return err
		}
	}
	return nil
}

// CheckBoth returns the first error of the two factors of a map.
func CheckBoth(a, b any, x []float64) error {
	if err := Check(a, x); err != nil {
		return err
	}
	return Check(b, x)
}

// Kernel returns the exact kernel of the scalar map s, or NaN if it is unknown.
func Kernel(s any, x, z []float64) float64 {
	if k, ok := s.(interface{ Kernel(x, z []float64) float64 }); ok {
		return k.Kernel(x, z)
	}
	return math.NaN()
}

// Variance returns the exact variance of phi(x).phi(z) over the draws of the scalar map s, or NaN without a closed
// form. It is proportional to 1/D.
func Variance(s any, x, z []float64) float64 {
	if k, ok := s.(interface{ Variance(x, z []float64) float64 }); ok {
		return k.Variance(x, z)
	}
	return math.NaN()
}

// KernelTo writes the exact kernel of m into k, Out x Out row-major; NaN if it is unknown.
func KernelTo(k []float64, m any, x, z []float64) {
	if e, ok := m.(interface{ KernelTo(k, x, z []float64) }); ok {
		e.KernelTo(k, x, z)
		return
	}
	numeric.FillNaN(k)
}

// VarianceTo writes E (K~(x, z) - K(x, z)) (K~(x, z) - K(x, z))^T over the draws of m into v, Out x Out row-major; NaN
// without a closed form. Its trace is the mean squared Frobenius error.
func VarianceTo(v []float64, m any, x, z []float64) {
	if e, ok := m.(interface{ VarianceTo(v, x, z []float64) }); ok {
		e.VarianceTo(v, x, z)
		return
	}
	numeric.FillNaN(v)
}

// State saves or restores the state of m, if it has one.
func State(m any, c *snapshot.Codec) {
	if s, ok := m.(snapshot.Stateful); ok {
		s.State(c)
	}
}

// Redraw replaces all random values of m by draws from r. It returns true if m then depends only on its parameters and r.
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

// Weigh multiplies the features of m by s, and so its kernel by s^2. It returns false if m has no weight.
func Weigh(m any, s float64) bool {
	w, ok := m.(interface{ Weigh(s float64) bool })
	return s == 1 || ok && w.Weigh(s)
}

// WeighAll multiplies the features of all parts of a map by s. It returns false if a part has no weight.
func WeighAll[T any](parts []T, s float64) bool {
	for _, p := range parts {
		if !Weigh(p, s) {
			return false
		}
	}
	return true
}

// GiveWeight multiplies the kernel of m by w. It returns an error if m cannot have the weight w.
func GiveWeight(m any, w float64) error {
	if !(w >= 0) || math.IsInf(w, 1) {
		return fmt.Errorf("orff: the weight of a kernel must be finite and >= 0, got %g", w)
	}
	if !Weigh(m, math.Sqrt(w)) {
		return fmt.Errorf("orff: %T cannot be weighted", m)
	}
	return nil
}
