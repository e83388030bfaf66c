package orff

import (
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// logarithmicScalar is the map x -> phi(log(x + c)) of an inner map phi: Fourier features on multiplicative groups
// (Brault 2017, section 3.2.4). Its kernel depends on the ratios (x_k + c_k)/(z_k + c_k). Its domain is x_k > -c_k.
type logarithmicScalar struct {
	inner   Scalar
	c, u, v []float64 // c: offsets; u, v: scratch
}

// NewSkewedChiSquared returns a map with D frequencies of the skewed chi-squared kernel (Li, Ionescu and Sminchisescu
// 2010; Brault 2017, section 4.2.2.2)
//
//	k(x, z) = prod_k 2 sqrt((x_k+c_k)(z_k+c_k)) / (x_k + z_k + 2 c_k), c_k > 0.
func NewSkewedChiSquared(c []float64, D int, r random.Rand) (Scalar, error) {
	for _, v := range c {
		if err := check.Positive("an offset of the skewed chi-squared kernel", v); err != nil {
			return nil, err
		}
	}
	f, err := NewFourier(spectrum.Sech{}, len(c), D, r)
	if err != nil {
		return nil, err
	}
	return &logarithmicScalar{inner: f, c: slices.Clone(c), u: make([]float64, len(c)), v: make([]float64, len(c))}, nil
}

func (f *logarithmicScalar) In() int  { return f.inner.In() }
func (f *logarithmicScalar) Len() int { return f.inner.Len() }

// logTo writes log(x + c) into u. It is NaN outside the domain, and so are the features.
func (f *logarithmicScalar) logTo(u, x []float64) []float64 {
	for k, c := range f.c {
		u[k] = math.Log(x[k] + c)
		if !(x[k] > -c) {
			u[k] = math.NaN()
		}
	}
	return u
}

// FeaturesTo writes phi(log(x + c)).
func (f *logarithmicScalar) FeaturesTo(phi, x []float64) {
	if len(x) != len(f.c) {
		panic(check.BadLength)
	}
	f.inner.FeaturesTo(phi, f.logTo(f.u, x))
}

// Check returns an error for coordinates x_k <= -c_k.
func (f *logarithmicScalar) Check(x []float64) error {
	for k, c := range f.c {
		if !(x[k] > -c) {
			return fmt.Errorf("orff: coordinate %d must be > %g, got %g", k+1, -c, x[k])
		}
	}
	return nil
}

// GradientTo: the derivative of log(x + c) is 1/(x + c).
func (f *logarithmicScalar) GradientTo(g, x, phi, c []float64) {
	f.inner.(SmoothScalar).GradientTo(g, f.logTo(f.u, x), phi, c)
	for k := range g {
		g[k] /= x[k] + f.c[k]
	}
}

func (f *logarithmicScalar) Smooth() error           { return optional.Smooth(f.inner) }
func (f *logarithmicScalar) State(c *snapshot.Codec) { f.inner.State(c) }

func (f *logarithmicScalar) RedrawFrom(r *random.Rand) bool { return optional.Redraw(f.inner, r) }
func (f *logarithmicScalar) Weigh(s float64) bool           { return optional.Weigh(f.inner, s) }

func (f *logarithmicScalar) Kernel(x, z []float64) float64 {
	return Kernel(f.inner, f.logTo(f.u, x), f.logTo(f.v, z))
}

func (f *logarithmicScalar) Variance(x, z []float64) float64 {
	return optional.Variance(f.inner, f.logTo(f.u, x), f.logTo(f.v, z))
}

func (f *logarithmicScalar) KernelSmooth() error { return optional.KernelSmooth(f.inner) }

// KernelSlopeTo: the derivative of log(x + c) is 1/(x + c).
func (f *logarithmicScalar) KernelSlopeTo(g, x, z []float64) {
	f.inner.(optional.SlopedScalar).KernelSlopeTo(g, f.logTo(f.u, x), f.logTo(f.v, z))
	for k := range g {
		g[k] /= x[k] + f.c[k]
	}
}

// Estimate returns the estimate of the inner map: the kernel is shift invariant in log(x + c), and the bounds hold there.
func (f *logarithmicScalar) Estimate() (bound.Estimate, error) { return bound.Of(f.inner) }
