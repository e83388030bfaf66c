// Package semigroup has random Laplace features: kernels of x + z on inputs x_k >= 0 (Yang et al. 2014; Brault 2017,
// section 2.1.2.4).
package semigroup

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// Law is the distribution of the rates of a random Laplace map.
type Law int

const (
	// Exponential is k(x, z) = prod_k exp(-p sqrt(x_k + z_k)). Its rates have a Levy distribution.
	Exponential Law = iota
	// Reciprocal is k(x, z) = prod_k p/(x_k + z_k + p). Its rates have an exponential distribution.
	Reciprocal
)

// laplace is the random Laplace map of a kernel of x + z on the inputs
// x_k >= 0 (Yang et al. 2014; Brault 2017, section 2.1.2.4),
//
//	phi(x) = (1/sqrt(D)) exp(-W x), W >= 0.
type laplace struct {
	law       Law
	parameter float64
	d, n      int
	w         []float64 // n x d
	scale     float64
	v         []float64 // scratch, n
}

// New returns a map with D rate vectors in R^d, drawn from r. The parameter p of the law must be positive.
func New(law Law, parameter float64, d, D int, r random.Rand) (orff.Scalar, error) {
	if law != Exponential && law != Reciprocal {
		return nil, fmt.Errorf("orff: unknown semigroup law %d", law)
	}
	if err := check.Sizes("random Laplace features", d, D); err != nil {
		return nil, err
	}
	if err := check.Positive("the parameter of a semigroup kernel", parameter); err != nil {
		return nil, err
	}
	f := &laplace{law: law, parameter: parameter, d: d, n: D, w: make([]float64, d*D), v: make([]float64, D), scale: 1 / math.Sqrt(float64(D))}
	f.RedrawFrom(&r)
	return f, nil
}

func (f *laplace) In() int  { return f.d }
func (f *laplace) Len() int { return f.n }

// Check returns an error for negative coordinates.
func (f *laplace) Check(x []float64) error {
	for k, v := range x {
		if !(v >= 0) {
			return fmt.Errorf("orff: a semigroup kernel needs x >= 0, coordinate %d is %g", k+1, v)
		}
	}
	return nil
}

// FeaturesTo writes phi(x).
func (f *laplace) FeaturesTo(phi, x []float64) {
	numeric.ProjectTo(phi, f.w, x, f.n, f.Check)
	for j, v := range phi {
		phi[j] = f.scale * math.Exp(-v)
	}
}

// GradientTo writes -W^T (c phi).
func (f *laplace) GradientTo(g, x, phi, c []float64) {
	for j := range f.v {
		f.v[j] = -c[j] * phi[j]
	}
	vec.MatTVec(g, f.w, f.v)
}

func (f *laplace) Smooth() error { return nil }

// State saves or restores the rates.
func (f *laplace) State(c *snapshot.Codec) {
	c.Section("semigroup")
	c.Float64s(f.w)
}

func (f *laplace) RedrawFrom(r *random.Rand) bool {
	if f.law == Reciprocal {
		for i := range f.w {
			f.w[i] = -math.Log(r.Uniform()) / f.parameter
		}
		return true
	}
	r.NormalsTo(f.w)
	for i, z := range f.w {
		f.w[i] = numeric.Square(f.parameter/z) / 2
	}
	return true
}

func (f *laplace) Weigh(s float64) bool { f.scale *= s; return true }
func (f *laplace) mass() float64        { return f.scale * f.scale * float64(f.n) }

// at returns the kernel, without its weight, at times (x + z).
func (f *laplace) at(x, z []float64, times float64) float64 {
	k := 1.0
	for i := range x {
		s := times * (x[i] + z[i])
		if f.law == Reciprocal {
			k *= f.parameter / (s + f.parameter)
		} else {
			k *= math.Exp(-f.parameter * math.Sqrt(s))
		}
	}
	return k
}

func (f *laplace) Kernel(x, z []float64) float64 { return f.mass() * f.at(x, z, 1) }

// Variance: the square of exp(-w s) is exp(-w 2s).
func (f *laplace) Variance(x, z []float64) float64 {
	return numeric.Square(f.mass()) * (f.at(x, z, 2) - numeric.Square(f.at(x, z, 1))) / float64(f.n)
}

func (f *laplace) KernelSmooth() error { return nil }

// KernelSlopeTo multiplies the logarithmic derivative by the kernel. The derivative of the exponential law diverges at
// x + z = 0.
func (f *laplace) KernelSlopeTo(g, x, z []float64) {
	k := f.Kernel(x, z)
	for i := range g {
		s := x[i] + z[i]
		if f.law == Reciprocal {
			g[i] = -k / (s + f.parameter)
		} else {
			g[i] = -k * f.parameter / (2 * math.Sqrt(s))
		}
	}
}

// Estimate: a term exp(-omega.(x+z)) lies in [0, 1]. For other kernels, the trace of the Gram matrix is n; here it is
// at least n times the smallest k(x, x). k(x, x) is smallest where all coordinates are equal, because -ln k(x, x) is a
// sum of concave functions of the coordinates.
func (f *laplace) Estimate() (bound.Estimate, error) {
	least := func(p bound.Set) (float64, error) {
		if err := check.Positive("the radius of the inputs", p.Radius); err != nil {
			return 0, err
		}
		x := make([]float64, f.d)
		for k := range x {
			x[k] = p.Radius / float64(f.d)
		}
		return f.at(x, x, 1), nil
	}
	return bound.Estimate{Draws: f.n, D: f.d, Norm: f.mass(), Spread: bound.Constant(0.5), Gram: 1, Diagonal: least}, nil
}
