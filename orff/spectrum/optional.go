package spectrum

import (
	"errors"
	"fmt"
	"math"
)

// Dependent reports whether the frequencies of s are dependent draws.
func Dependent(s Spectrum) bool {
	_, ok := s.(interface{ Dependent() })
	return ok
}

// TwoLags returns K0(delta) and K0(2 delta), for the variances of features.
func TwoLags(s Spectrum, delta []float64) (k, k2 float64) {
	twice := make([]float64, len(delta))
	for i, v := range delta {
		twice[i] = 2 * v
	}
	return s.K0(delta), s.K0(twice)
}

// CheckVariance returns an error if features of s have no derivative. s nil: given frequencies, whose features have one.
func CheckVariance(s Spectrum) error {
	if s != nil && math.IsInf(s.Variance(), 1) {
		return errors.New("orff: the frequencies of this kernel have no variance, a Jacobian would diverge with D")
	}
	return nil
}

// CheckSlope returns an error if K0 has no derivative in closed form.
func CheckSlope(s Spectrum) error {
	if s == nil {
		return errors.New("orff: the kernel of given frequencies is not known")
	}
	if err := CheckVariance(s); err != nil {
		return err
	}
	if q, ok := s.(QuasiMonteCarlo); ok {
		return CheckSlope(q.Spectrum)
	}
	if _, ok := s.(sloped); !ok {
		return fmt.Errorf("orff: %T has no gradient in closed form", s)
	}
	return nil
}

// SlopeTo writes the gradient of K0 at delta into g. Precondition: CheckSlope(s) returns nil.
func SlopeTo(g []float64, s Spectrum, delta []float64) {
	if q, ok := s.(QuasiMonteCarlo); ok {
		s = q.Spectrum
	}
	s.(sloped).SlopeTo(g, delta)
}
