package orff

import (
	"github.com/orffvar/forecaster/orff/internal/optional"
)

// KernelSlope evaluates the derivative of the exact kernel of a map, for models h(x) = sum_l K(x, x_l) c_l (Brault 2017,
// section 8.4). It is not safe for concurrent use and does not allocate.
type KernelSlope struct{ m optional.SlopedMap }

// NewKernelSlope prepares the derivative of the kernel that m approximates. It returns an error if the kernel has none.
func NewKernelSlope(m Map) (*KernelSlope, error) {
	if err := optional.KernelSmooth(m); err != nil {
		return nil, err
	}
	return &KernelSlope{m.(optional.SlopedMap)}, nil
}

// PullbackTo writes the gradient in x of r.K(x, z) a into g, len In. r and a have len Out. With a unit vector r, g is a
// row of the Jacobian of x -> K(x, z) a.
func (s *KernelSlope) PullbackTo(g, x, z, r, a []float64) { s.m.KernelPullTo(g, x, z, r, a) }
