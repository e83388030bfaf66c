package orff

import (
	"errors"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// angularScalar is the sign map of the angular (arc-sine) kernel
//
//	k(x, z) = 1 - 2 angle(x, z)/pi,  phi(x) = (1/sqrt(D)) sgn(W x), W normal,
//
// with sgn(0) = 1. It is undefined at x = 0. It has no Jacobian, because it is constant almost everywhere.
type angularScalar struct {
	d, n  int
	w     []float64 // n x d
	scale float64
}

// NewAngular returns a map of R^d with D directions drawn from r.
func NewAngular(d, D int, r random.Rand) (Scalar, error) {
	if err := check.Sizes("sign features", d, D); err != nil {
		return nil, err
	}
	f := &angularScalar{d: d, n: D, w: make([]float64, d*D), scale: 1 / math.Sqrt(float64(D))}
	f.RedrawFrom(&r)
	return f, nil
}

func (f *angularScalar) In() int  { return f.d }
func (f *angularScalar) Len() int { return f.n }

var errZero = errors.New("orff: the angular kernel is undefined at x = 0")

// Check returns an error at x = 0.
func (f *angularScalar) Check(x []float64) error {
	for _, v := range x {
		if v != 0 {
			return nil
		}
	}
	return errZero
}

// FeaturesTo writes phi(x).
func (f *angularScalar) FeaturesTo(phi, x []float64) {
	numeric.ProjectTo(phi, f.w, x, f.n, f.Check)
	for j, v := range phi {
		if v < 0 {
			phi[j] = -f.scale
		} else if v >= 0 { // otherwise v is NaN, and phi[j] stays NaN
			phi[j] = f.scale
		}
	}
}

func (f *angularScalar) Smooth() error {
	return errors.New("orff: sign features are constant almost everywhere, they have no Jacobian")
}

// State saves or restores the directions.
func (f *angularScalar) State(c *snapshot.Codec) {
	c.Section("angular")
	c.Float64s(f.w)
}

func (f *angularScalar) RedrawFrom(r *random.Rand) bool { r.NormalsTo(f.w); return true }
func (f *angularScalar) Weigh(s float64) bool           { f.scale *= s; return true }
func (f *angularScalar) mass() float64                  { return f.scale * f.scale * float64(f.n) }

func (f *angularScalar) Kernel(x, z []float64) float64 {
	cos := vec.Dot(x, z) / math.Sqrt(numeric.SquaredNorm(x)*numeric.SquaredNorm(z))
	return f.mass() * (1 - 2*math.Acos(max(-1, min(1, cos)))/math.Pi)
}

// Variance: the square of a term is 1.
func (f *angularScalar) Variance(x, z []float64) float64 {
	return (numeric.Square(f.mass()) - numeric.Square(f.Kernel(x, z))) / float64(f.n)
}

func (f *angularScalar) Estimate() (bound.Estimate, error) {
	return bound.Estimate{Draws: f.n, D: f.d, Norm: f.mass(), Spread: bound.Constant(1), ExactDiagonal: true, Gram: 1}, nil
}
