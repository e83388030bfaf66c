package optional

import (
	"fmt"

	"github.com/orffvar/forecaster/sgd"
)

// SmoothMap is a Map whose prediction h(x) = Phi(x)^T theta has a derivative.
type SmoothMap interface {
	sgd.Map

	// PullbackTo writes J(x)^T r, the gradient in x of r.h(x), into g, len In. J is the Out x In Jacobian of h. phi is
	// FeaturesTo of this x, r has len Out.
	PullbackTo(g, x, phi, theta, r []float64)

	// Smooth returns an error if this kernel has no derivative.
	Smooth() error
}

// Smooth returns an error if a part of a map, a Scalar or a Map, has no derivative.
func Smooth(parts ...any) error {
	for _, p := range parts {
		s, ok := p.(interface{ Smooth() error })
		if !ok {
			return fmt.Errorf("orff: %T has no derivative", p)
		}
		if err := s.Smooth(); err != nil {
			return err
		}
	}
	return nil
}

// SlopedMap is a Map with the derivative of its exact kernel.
type SlopedMap interface {
	// KernelPullTo writes the gradient in x of r.K(x, z) a into g.
	KernelPullTo(g, x, z, r, a []float64)

	// KernelSmooth returns an error if the kernel has no derivative.
	KernelSmooth() error
}

// SlopedScalar is a Scalar with the derivative of its exact kernel.
type SlopedScalar interface {
	// KernelSlopeTo writes the gradient in x of k(x, z) into g.
	KernelSlopeTo(g, x, z []float64)
	KernelSmooth() error
}

// KernelSmooth returns an error if the exact kernel of a part of a map, a Scalar or a Map, has no derivative in closed
// form.
func KernelSmooth(parts ...any) error {
	for _, p := range parts {
		s, ok := p.(interface{ KernelSmooth() error })
		if !ok {
			return fmt.Errorf("orff: the kernel of %T has no derivative in closed form", p)
		}
		if err := s.KernelSmooth(); err != nil {
			return err
		}
	}
	return nil
}
