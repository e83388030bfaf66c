package maclaurin

import (
	"errors"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// compositionalScalar is the random Maclaurin map of the kernel f(k(x, z)) for a
// shift-invariant k (Kar and Karnick 2012, section 10):
//
//	Z = sqrt(a_N/P_N) prod_{j<=N} W_j(x),  W(x) = sqrt(2) cos(omega.x + beta).
type compositionalScalar struct {
	series   Series
	law      DegreeLaw
	spectrum spectrum.Spectrum
	d, n     int
	scale    float64
	products
	w []float64 // one row per factor: its frequency, then its offset, in turns

	t, sin []float64 // scratch, one element per factor
	rows   []float64 // scratch of redraw
	delta  []float64
}

// NewCompositional draws D features on R^d from r: all degrees, then all frequencies, then all offsets.
func NewCompositional(s Series, law DegreeLaw, inner spectrum.Spectrum, d, D int, r random.Rand) (orff.Scalar, error) {
	if err := check.Sizes("compositional features", d, D); err != nil {
		return nil, err
	}
	if err := check.Parameters(inner, d); err != nil {
		return nil, err
	}
	if err := validateSeries(s); err != nil {
		return nil, err
	}
	if err := validateLaw(s, law); err != nil {
		return nil, err
	}
	f := &compositionalScalar{series: s, law: law, spectrum: inner, d: d, n: D, scale: 1 / math.Sqrt(float64(D)), products: newProducts(D), delta: make([]float64, d)}
	f.RedrawFrom(&r)
	return f, nil
}

func (f *compositionalScalar) In() int  { return f.d }
func (f *compositionalScalar) Len() int { return f.n }

// factorsTo evaluates the factors W_j, and the sines of their angles.
func (f *compositionalScalar) factorsTo(x []float64) {
	for i := range f.t {
		row := f.w[i*(f.d+1) : (i+1)*(f.d+1)]
		f.t[i] = vec.Dot(row[:f.d], x) + row[f.d]
	}
	vec.SinCos(f.sin, f.factors, f.t)
	vec.Scale(math.Sqrt2, f.factors)
}

// FeaturesTo writes phi(x).
func (f *compositionalScalar) FeaturesTo(phi, x []float64) {
	if len(phi) != f.n || len(x) != f.d {
		panic(check.BadLength)
	}
	f.factorsTo(x)
	f.featuresTo(phi, f.scale)
}

// GradientTo: grad W = -sqrt(2) sin(omega.x + beta) omega.
func (f *compositionalScalar) GradientTo(g, x, phi, c []float64) {
	f.factorsTo(x)
	f.pullFrom(c, f.scale)
	clear(g)
	for i, v := range f.pull {
		vec.Axpy(-2*math.Pi*math.Sqrt2*v*f.sin[i], f.w[i*(f.d+1):i*(f.d+1)+f.d], g)
	}
}

func (f *compositionalScalar) Smooth() error { return spectrum.CheckVariance(f.spectrum) }

// State saves or restores degrees, frequencies and offsets.
func (f *compositionalScalar) State(c *snapshot.Codec) {
	c.Section("compositional")
	f.products.state(c, &f.w, f.d+1)
	f.setCoefficients(f.series, f.law)
	f.resizeScratch()
}

func (f *compositionalScalar) resizeScratch() {
	n := len(f.factors)
	f.t, f.sin = grown(f.t, n), grown(f.sin, n)
}

func (f *compositionalScalar) RedrawFrom(r *random.Rand) bool {
	f.drawDegrees(f.series, f.law, r)
	n := f.resize()
	f.resizeScratch()
	f.w = grown(f.w, n*(f.d+1))
	f.rows = grown(f.rows, n*f.d)
	f.spectrum.SampleTo(f.rows, f.d, r)
	for i := range n {
		row := f.w[i*(f.d+1) : (i+1)*(f.d+1)]
		for k := range f.d {
			row[k] = f.rows[i*f.d+k] / (2 * math.Pi)
		}
		row[f.d] = r.Uniform()
	}
	return true
}

func (f *compositionalScalar) Weigh(s float64) bool { f.scale *= s; return true }
func (f *compositionalScalar) mass() float64        { return f.scale * f.scale * float64(f.n) }

func (f *compositionalScalar) Kernel(x, z []float64) float64 {
	numeric.LagTo(f.delta, x, z)
	return f.mass() * f.series.At(f.spectrum.K0(f.delta))
}

// Variance: M = E (W(x) W(z))^2 = 1 + k0(2 delta)/2.
func (f *compositionalScalar) Variance(x, z []float64) float64 {
	if spectrum.Dependent(f.spectrum) {
		return math.NaN()
	}
	numeric.LagTo(f.delta, x, z)
	k, k2 := spectrum.TwoLags(f.spectrum, f.delta)
	return numeric.Square(f.mass()) * (secondMoment(f.series, f.law, 1+k2/2) - numeric.Square(f.series.At(k))) / float64(f.n)
}

func (f *compositionalScalar) KernelSmooth() error { return spectrum.CheckSlope(f.spectrum) }

// KernelSlopeTo applies the chain rule.
func (f *compositionalScalar) KernelSlopeTo(g, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	spectrum.SlopeTo(g, f.spectrum, f.delta)
	vec.Scale(f.mass()*f.series.Slope(f.spectrum.K0(f.delta)), g)
}

func (f *compositionalScalar) Estimate() (bound.Estimate, error) {
	if spectrum.Dependent(f.spectrum) {
		return bound.Estimate{}, bound.ErrUnknown
	}
	const cw = 2 // bound of |W(x) W(z)| in the phase form
	spread := func(bound.Set) (float64, error) { return productBound(f.series, f.law, cw) }
	uniform := func(eps float64, p bound.Set) (bound.Inequality, string, error) {
		g, ok := f.law.(Geometric)
		if !ok {
			return nil, "", errors.New("orff: the uniform bound of compositional features is known for the geometric law only")
		}
		if err := check.Positive("the radius of the inputs", p.Radius); err != nil {
			return nil, "", err
		}
		c1, err := spread(p)
		if err != nil {
			return nil, "", err
		}
		// E||omega|| bounds the slope of k and, times sqrt(2), the slope of W.
		s := math.Sqrt(float64(f.d) * f.spectrum.Variance())
		if math.IsInf(s, 1) {
			return nil, "", errors.New("orff: no uniform bound: the frequencies of the inner kernel have no variance")
		}
		l1 := s*f.series.Slope(1) + math.Sqrt2*s*g.P*g.P/(g.P-1)*math.Sqrt(cw)*f.series.Slope(g.P*cw)
		return maclaurinUniform(eps, p, f.d, c1, l1)
	}
	return bound.Estimate{Draws: f.n, D: f.d, Norm: f.mass(), Spread: spread, Uniform: uniform}, nil
}
