package orff

import (
	"fmt"

	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/sgd"
)

// SmoothScalar is a Scalar with a derivative.
type SmoothScalar interface {
	Scalar

	// GradientTo writes the gradient in x of c.phi(x) into g, len In. phi is FeaturesTo of this x, c has the length of
	// phi.
	GradientTo(g, x, phi, c []float64)

	// Smooth returns an error if this kernel has no derivative.
	Smooth() error
}

// Jacobian evaluates the Jacobian of the predictions of a map (Brault 2017,
// section 8.4; Lim et al. 2015). It is not safe for concurrent use.
type Jacobian struct {
	m    optional.SmoothMap
	dims sgd.Dims
	r    []float64 // scratch: zeros between calls
}

// NewJacobian prepares the Jacobian of m. It returns an error if m has none: frequencies without a variance (Laplacian,
// Matern 1/2), sign features (constant almost everywhere), or a map without the methods for derivatives.
func NewJacobian(m Map) (*Jacobian, error) {
	s, ok := m.(optional.SmoothMap)
	if !ok {
		return nil, fmt.Errorf("orff: %T has no Jacobian", m)
	}
	if err := s.Smooth(); err != nil {
		return nil, err
	}
	d := m.Dims()
	return &Jacobian{m: s, dims: d, r: make([]float64, d.Out)}, nil
}

// To writes the Jacobian of h at x into j, Out x In row-major: j[i*In+k] is the derivative of output i in input k. phi is
// FeaturesTo of this x.
func (a *Jacobian) To(j, x, phi, theta []float64) {
	d := a.dims
	if len(j) != d.Out*d.In || len(x) != d.In || len(phi) != d.Features || len(theta) != d.Params {
		panic(check.BadLength)
	}
	for i := range a.r {
		a.r[i] = 1
		a.m.PullbackTo(j[i*d.In:(i+1)*d.In], x, phi, theta, a.r)
		a.r[i] = 0
	}
}
