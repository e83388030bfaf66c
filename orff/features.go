package orff

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// Scalar is a feature map phi of a scalar kernel: phi(x).phi(z) ~ k(x, z).
//
// It keeps scratch memory and is not safe for concurrent use. Outside the domain
// of its kernel (see CheckInput) every feature is NaN.
type Scalar interface {
	// In is the length d of x, Len the length r of phi.
	In() int
	Len() int

	// FeaturesTo writes phi(x) into phi, len Len.
	FeaturesTo(phi, x []float64)

	// State saves or restores the draws and the learnt statistics. Kernel parameters and
	// weights belong to the configuration.
	State(c *snapshot.Codec)
}

// domain is a Scalar or a Map that is not defined on the whole of R^d.
type domain interface {
	// Check returns the reason why x cannot be mapped, or nil.
	Check(x []float64) error
}

// CheckInput returns the reason why x lies outside the domain of a Scalar or a Map, or nil.
func CheckInput(m any, x []float64) error {
	if d, ok := m.(domain); ok {
		return d.Check(x)
	}
	return nil
}

func checkAll[T any](parts []T, x []float64) error {
	for _, p := range parts {
		if err := CheckInput(p, x); err != nil {
			return err
		}
	}
	return nil
}

func checkBoth(a, b any, x []float64) error {
	if err := CheckInput(a, x); err != nil {
		return err
	}
	return CheckInput(b, x)
}

// Kernel returns the exact kernel that the inner products of s approximate, NaN
// when it is not known (given frequencies, for example).
func Kernel(s Scalar, x, z []float64) float64 {
	if k, ok := s.(interface{ kernel(x, z []float64) float64 }); ok {
		return k.kernel(x, z)
	}
	return math.NaN()
}

// varianceOf returns the exact variance of phi(x).phi(z) over the draws of s, NaN
// when there is no closed form. It is proportional to 1/D.
func varianceOf(s Scalar, x, z []float64) float64 {
	if k, ok := s.(interface{ variance(x, z []float64) float64 }); ok {
		return k.variance(x, z)
	}
	return math.NaN()
}

// KernelTo writes the exact operator-valued kernel K(x, z) that m approximates
// into k, Out x Out row-major; NaN when it is not known.
func KernelTo(k []float64, m Map, x, z []float64) {
	if e, ok := m.(interface{ kernelTo(k, x, z []float64) }); ok {
		e.kernelTo(k, x, z)
		return
	}
	numeric.FillNaN(k)
}

// variancesTo writes E (K~(x, z) - K(x, z)) (K~(x, z) - K(x, z))^T over the draws
// of m into v, Out x Out row-major; NaN when there is no closed form. Its trace is
// the mean squared Frobenius error.
func variancesTo(v []float64, m Map, x, z []float64) {
	if e, ok := m.(interface{ varianceTo(v, x, z []float64) }); ok {
		e.varianceTo(v, x, z)
		return
	}
	numeric.FillNaN(v)
}

// Optional methods of the Scalars and Maps of this package. Those of other packages lack
// them: they are never drawn again and cannot be weighted.

// state transfers the state of m, if it has one.
func state(m any, c *snapshot.Codec) {
	if s, ok := m.(snapshot.Stateful); ok {
		s.State(c)
	}
}

// redraw replaces everything random in m by draws from r. It reports whether m
// depends on nothing but its parameters and r.
func redraw(m any, r *random.Rand) bool {
	d, ok := m.(interface{ redraw(r *random.Rand) bool })
	return ok && d.redraw(r)
}

// weigh multiplies the features of m by s, its kernel by s^2. It reports whether
// m can do that.
func weigh(m any, s float64) bool {
	w, ok := m.(interface{ weigh(s float64) bool })
	return s == 1 || ok && w.weigh(s)
}

func redrawAll[T any](parts []T, r *random.Rand) bool {
	for _, p := range parts {
		if !redraw(p, r) {
			return false
		}
	}
	return true
}

func weighAll[T any](parts []T, s float64) bool {
	for _, p := range parts {
		if !weigh(p, s) {
			return false
		}
	}
	return true
}

// giveWeight multiplies the kernel of m by w.
func giveWeight(m any, w float64) error {
	if !(w >= 0) || math.IsInf(w, 1) {
		return fmt.Errorf("orff: the weight of a kernel must be finite and >= 0, got %g", w)
	}
	if !weigh(m, math.Sqrt(w)) {
		return errors.New("orff: a map of another package cannot be weighted")
	}
	return nil
}
