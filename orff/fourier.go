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
	"github.com/orffvar/forecaster/orff/spectrum"
)

// Fourier is the random Fourier feature map of a shift-invariant kernel in its
// cos-sin form (Rahimi and Recht 2007; Brault 2017, section 2.1.2.1):
//
//	phi(x) = (1/sqrt(D)) [cos(W x); sin(W x)]
//
// The D cosines come first, then the D sines. The rows of W, D x d, are the frequencies. phi(x).phi(x) = 1 exactly.
type Fourier struct {
	spectrum spectrum.Spectrum // nil for given frequencies
	d, n     int
	w        []float64  // W^T/(2 pi), d x n: frequencies in turns; nil with a fast projection
	fast     projection // W as a product of fast transforms, or nil
	scale    float64    // 1/sqrt(n), times the root of a weight

	rows         []float64 // scratch of redraw: n x d
	t, v         []float64 // scratch, n
	delta, twice []float64 // scratch, d
}

// projection computes W x for a matrix W of frequencies, in turns, that is never formed.
type projection interface {
	turnsTo(t, x []float64) // t = W x / (2 pi)
	pullTo(g, v []float64)  // g = W^T v / (2 pi)
	RedrawFrom(r *random.Rand)
	State(c *snapshot.Codec)
}

// NewFourier draws D frequencies in R^d from r. It returns an error for impossible parameters of the kernel.
func NewFourier(s spectrum.Spectrum, d, D int, r random.Rand) (*Fourier, error) {
	if err := check.Sizes("Fourier features", d, D); err != nil {
		return nil, err
	}
	if err := check.Parameters(s, d); err != nil {
		return nil, err
	}
	f := newFourier(s, d, D)
	f.w = make([]float64, d*D)
	f.RedrawFrom(&r)
	f.rows = nil // only redrawn blocks need it again
	return f, nil
}

// FourierOf returns the map of given frequencies w, D x d row-major.
func FourierOf(w []float64, d int) *Fourier {
	if d < 1 || len(w) == 0 || len(w)%d != 0 {
		panic("orff: FourierOf needs whole rows of frequencies")
	}
	f := newFourier(nil, d, len(w)/d)
	f.w = make([]float64, len(w))
	numeric.TurnsTo(f.w, w, d)
	return f
}

func newFourier(s spectrum.Spectrum, d, n int) *Fourier {
	return &Fourier{
		spectrum: s, d: d, n: n, scale: 1 / math.Sqrt(float64(n)),
		t: make([]float64, n), v: make([]float64, n),
		delta: make([]float64, d), twice: make([]float64, d),
	}
}

func (f *Fourier) In() int  { return f.d }
func (f *Fourier) Len() int { return 2 * f.n }

// FeaturesTo writes phi(x).
func (f *Fourier) FeaturesTo(phi, x []float64) {
	if len(phi) != 2*f.n || len(x) != f.d {
		panic(check.BadLength)
	}
	if f.fast == nil {
		vec.Features(phi, f.w, x, f.scale)
		return
	}
	f.fast.turnsTo(f.t, x)
	vec.SinCos(phi[f.n:], phi[:f.n], f.t)
	vec.Scale(f.scale, phi)
}

// GradientTo writes the gradient of c.phi(x), g = W^T (c_s cos - c_c sin). It needs only the features phi of x.
func (f *Fourier) GradientTo(g, _, phi, c []float64) {
	n := f.n
	for j := range f.v {
		f.v[j] = 2 * math.Pi * (c[n+j]*phi[j] - c[j]*phi[n+j])
	}
	if f.fast == nil {
		vec.MatVec(g, f.w, f.v)
		return
	}
	f.fast.pullTo(g, f.v)
}

// Smooth returns an error for kernels whose frequencies have no variance.
func (f *Fourier) Smooth() error { return spectrum.CheckVariance(f.spectrum) }

// Frequencies returns W, D x d row-major.
func (f *Fourier) Frequencies() []float64 {
	rows := make([]float64, f.n*f.d)
	e := make([]float64, f.d)
	for k := range f.d {
		if f.fast != nil {
			clear(e)
			e[k] = 1
			f.fast.turnsTo(f.t, e)
		} else {
			copy(f.t, f.w[k*f.n:])
		}
		for j, t := range f.t {
			rows[j*f.d+k] = 2 * math.Pi * t
		}
	}
	return rows
}

// State saves or restores the frequencies.
func (f *Fourier) State(c *snapshot.Codec) {
	c.Section("fourier")
	if f.fast != nil {
		f.fast.State(c)
		return
	}
	c.Float64s(f.w)
}

func (f *Fourier) RedrawFrom(r *random.Rand) bool {
	switch {
	case f.fast != nil:
		f.fast.RedrawFrom(r)
	case f.spectrum == nil:
		return false
	default:
		if f.rows == nil {
			f.rows = make([]float64, f.n*f.d)
		}
		f.spectrum.SampleTo(f.rows, f.d, r)
		numeric.TurnsTo(f.w, f.rows, f.d)
	}
	return true
}

func (f *Fourier) Weigh(s float64) bool { f.scale *= s; return true }

// mass returns k(x, x); it is 1 before any weight.
func (f *Fourier) mass() float64 { return f.scale * f.scale * float64(f.n) }

func (f *Fourier) Kernel(x, z []float64) float64 {
	if f.spectrum == nil {
		return math.NaN()
	}
	numeric.LagTo(f.delta, x, z)
	return f.mass() * f.spectrum.K0(f.delta)
}

func (f *Fourier) Variance(x, z []float64) float64 {
	if f.spectrum == nil || f.fast != nil || spectrum.Dependent(f.spectrum) {
		return math.NaN()
	}
	numeric.LagTo(f.delta, x, z)
	return numeric.Square(f.mass()) * cosSinVariance(f.spectrum, f.delta) / float64(f.n)
}

// cosSinVariance returns the variance of one frequency in the cos-sin form, (1 + k0(2 delta))/2 - k0(delta)^2, because
// cos^2 t = (1 + cos 2t)/2.
func cosSinVariance(s spectrum.Spectrum, delta []float64) float64 {
	k, k2 := spectrum.TwoLags(s, delta)
	return (1+k2)/2 - k*k
}

// phaseVariance returns the variance of one feature in the phase form, 1 + k0(2 delta)/2 - k0(delta)^2:
// 2 cos a cos b = cos(a-b) + cos(a+b), and the second term is noise, uncorrelated with the first.
func phaseVariance(s spectrum.Spectrum, delta []float64) float64 {
	k, k2 := spectrum.TwoLags(s, delta)
	return 1 + k2/2 - k*k
}

func (f *Fourier) KernelSmooth() error { return spectrum.CheckSlope(f.spectrum) }

func (f *Fourier) KernelSlopeTo(g, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	spectrum.SlopeTo(g, f.spectrum, f.delta)
	vec.Scale(f.mass(), g)
}

func (f *Fourier) Estimate() (bound.Estimate, error) {
	if f.spectrum == nil || f.fast != nil || spectrum.Dependent(f.spectrum) {
		return bound.Estimate{}, bound.ErrUnknown
	}
	return bound.Estimate{Draws: f.n, D: f.d, Norm: f.mass(), Spread: bound.Constant(1), ExactDiagonal: true, Gram: 1, Uniform: spectrumUniform(f.spectrum, f.d)}, nil
}

// spectrumUniform returns the uniform bound of Rahimi and Recht for a spectrum in R^d.
func spectrumUniform(s spectrum.Spectrum, d int) func(float64, bound.Set) (bound.Inequality, string, error) {
	return func(eps float64, p bound.Set) (bound.Inequality, string, error) {
		v := s.Variance()
		if math.IsInf(v, 1) {
			return nil, "", errors.New("orff: no uniform bound: the frequencies of this kernel have no variance")
		}
		if err := check.Positive("the diameter of the set of inputs", p.Diameter); err != nil {
			return nil, "", err
		}
		second := math.Sqrt(float64(d) * v)
		eps = min(eps, second*p.Diameter)
		return bound.RahimiRecht(eps, d, second, p.Diameter), "Rahimi and Recht on a compact set", nil
	}
}
