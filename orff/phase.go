package orff

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// phaseScalar is the random Fourier map of a shift-invariant kernel in its phase form,
//
//	phi(x) = sqrt(2/D) cos(W x + beta), beta uniform in (0, 2 pi),
//
// of length D. For the Gaussian kernel, Fourier has the smaller variance at equal length, and phi(x).phi(x) is random
// here. The offsets are drawn after all frequencies.
type phaseScalar struct {
	spectrum spectrum.Spectrum
	d, n     int
	w, beta  []float64 // W^T, d x n, and the offsets, both in turns
	scale    float64   // sqrt(2/n), times the root of a weight

	rows, t, sin, delta []float64 // scratch
}

// NewPhase draws D frequencies in R^d and D offsets from r.
func NewPhase(s spectrum.Spectrum, d, D int, r random.Rand) (Scalar, error) {
	if err := check.Sizes("phase features", d, D); err != nil {
		return nil, err
	}
	if err := check.Parameters(s, d); err != nil {
		return nil, err
	}
	f := &phaseScalar{
		spectrum: s, d: d, n: D, w: make([]float64, D*d), beta: make([]float64, D), scale: math.Sqrt(2 / float64(D)),
		t: make([]float64, D), sin: make([]float64, D), delta: make([]float64, d),
	}
	f.RedrawFrom(&r)
	f.rows = nil
	return f, nil
}

func (f *phaseScalar) In() int  { return f.d }
func (f *phaseScalar) Len() int { return f.n }

// FeaturesTo writes phi(x).
func (f *phaseScalar) FeaturesTo(phi, x []float64) {
	if len(phi) != f.n || len(x) != f.d {
		panic(check.BadLength)
	}
	f.anglesTo(x)
	vec.SinCos(f.sin, phi, f.t)
	vec.Scale(f.scale, phi)
}

func (f *phaseScalar) anglesTo(x []float64) {
	vec.MatTVec(f.t, f.w, x)
	vec.Axpy(1, f.beta, f.t)
}

// GradientTo writes the gradient of c.phi(x), g = -sqrt(2/D) W^T (c sin).
func (f *phaseScalar) GradientTo(g, x, phi, c []float64) {
	f.anglesTo(x)
	cos := f.t
	vec.SinCos(f.sin, cos, f.t)
	for j, v := range f.sin {
		f.t[j] = -2 * math.Pi * f.scale * c[j] * v
	}
	vec.MatVec(g, f.w, f.t)
}

// Smooth returns an error for kernels whose frequencies have no variance.
func (f *phaseScalar) Smooth() error { return spectrum.CheckVariance(f.spectrum) }

// State saves or restores frequencies and offsets.
func (f *phaseScalar) State(c *snapshot.Codec) {
	c.Section("phase")
	c.Float64s(f.w)
	c.Float64s(f.beta)
}

func (f *phaseScalar) RedrawFrom(r *random.Rand) bool {
	if f.rows == nil {
		f.rows = make([]float64, len(f.w))
	}
	f.spectrum.SampleTo(f.rows, f.d, r)
	numeric.TurnsTo(f.w, f.rows, f.d)
	for j := range f.beta {
		f.beta[j] = r.Uniform()
	}
	return true
}

func (f *phaseScalar) Weigh(s float64) bool { f.scale *= s; return true }

func (f *phaseScalar) mass() float64 { return f.scale * f.scale * float64(f.n) / 2 }

func (f *phaseScalar) Kernel(x, z []float64) float64 {
	numeric.LagTo(f.delta, x, z)
	return f.mass() * f.spectrum.K0(f.delta)
}

func (f *phaseScalar) Variance(x, z []float64) float64 {
	if spectrum.Dependent(f.spectrum) {
		return math.NaN()
	}
	numeric.LagTo(f.delta, x, z)
	return numeric.Square(f.mass()) * phaseVariance(f.spectrum, f.delta) / float64(f.n)
}

func (f *phaseScalar) KernelSmooth() error { return spectrum.CheckSlope(f.spectrum) }

func (f *phaseScalar) KernelSlopeTo(g, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	spectrum.SlopeTo(g, f.spectrum, f.delta)
	vec.Scale(f.mass(), g)
}

func (f *phaseScalar) Estimate() (bound.Estimate, error) {
	if spectrum.Dependent(f.spectrum) {
		return bound.Estimate{}, bound.ErrUnknown
	}
	return bound.Estimate{Draws: f.n, D: f.d, Norm: f.mass(), Spread: bound.Constant(2), Gram: 2}, nil
}
