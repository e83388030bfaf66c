package orff

import (
	"fmt"

	"github.com/orffvar/forecaster/orff/internal/check"
)

// SmoothScalar is a Scalar with a derivative.
type SmoothScalar interface {
	Scalar

	// GradientTo writes the gradient in x of c.phi(x) into g, len In. phi is
	// FeaturesTo of this x, c has the length of phi.
	GradientTo(g, x, phi, c []float64)

	// Smooth returns nil, or the reason why this kernel has no derivative.
	Smooth() error
}

// smoothMap is a Map whose prediction h(x) = Phi(x)^T theta has a derivative.
type smoothMap interface {
	Map

	// PullbackTo writes J(x)^T r, the gradient in x of r.h(x), into g, len In; J
	// is the Out x In Jacobian of h. phi is FeaturesTo of this x, r has len Out.
	PullbackTo(g, x, phi, theta, r []float64)

	// Smooth returns nil, or the reason why this kernel has no derivative.
	Smooth() error
}

// Jacobian evaluates the Jacobian of the predictions of a map (Brault 2017,
// section 8.4; Lim et al. 2015). It is not safe for concurrent use.
type Jacobian struct {
	m    smoothMap
	dims Dims
	r    []float64
}

// NewJacobian prepares the Jacobian of m. It returns the reason when m has none:
// frequencies without a variance (Laplacian, Matern 1/2), sign features, which are
// constant almost everywhere, or a map that does not know its derivative.
func NewJacobian(m Map) (*Jacobian, error) {
	s, ok := m.(smoothMap)
	if !ok {
		return nil, fmt.Errorf("orff: %T has no Jacobian", m)
	}
	if err := s.Smooth(); err != nil {
		return nil, err
	}
	d := m.Dims()
	return &Jacobian{m: s, dims: d, r: make([]float64, d.Out)}, nil
}

// To writes the Jacobian of h at x into j, Out x In row-major: j[i*In+k] is the
// derivative of output i in input k. phi is FeaturesTo of this x.
func (a *Jacobian) To(j, x, phi, theta []float64) {
	d := a.dims
	if len(j) != d.Out*d.In || len(x) != d.In || len(phi) != d.Features || len(theta) != d.Params {
		panic(check.BadLength)
	}
	clear(a.r)
	for i := range a.r {
		a.r[i] = 1
		a.m.PullbackTo(j[i*d.In:(i+1)*d.In], x, phi, theta, a.r)
		a.r[i] = 0
	}
}

// smooth returns the reason why one of the parts of a map, each a Scalar or a Map, has no
// derivative, or nil.
func smooth(parts ...any) error {
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
