package orff

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/internal/optional"
)

// Scalar is a feature map phi of a scalar kernel: phi(x).phi(z) ~ k(x, z).
//
// It keeps scratch memory and is not safe for concurrent use. Outside the domain
// of its kernel (see CheckInput) every feature is NaN.
type Scalar interface {
	// In is the length d of x. Len is the length r of phi.
	In() int
	Len() int

	// FeaturesTo writes phi(x) into phi, len Len.
	FeaturesTo(phi, x []float64)

	// State saves or restores the draws and the learnt statistics. Kernel parameters and
	// weights belong to the configuration.
	State(c *snapshot.Codec)
}

// CheckInput returns an error if x lies outside the domain of m, a Scalar or a Map.
func CheckInput(m any, x []float64) error { return optional.Check(m, x) }

// Kernel returns the exact kernel k(x, z) that s approximates. NaN if it is unknown, for example with given frequencies.
func Kernel(s Scalar, x, z []float64) float64 { return optional.Kernel(s, x, z) }

// KernelTo writes the exact operator-valued kernel K(x, z) that m approximates into k, Out x Out row-major. NaN if it is
// unknown.
func KernelTo(k []float64, m Map, x, z []float64) { optional.KernelTo(k, m, x, z) }
