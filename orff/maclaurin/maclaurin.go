package maclaurin

import (
	"errors"
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

// Projections is the distribution of the vectors of a random Maclaurin map.
type Projections int

const (
	// Rademacher vectors have entries +-1, each with probability 1/2.
	Rademacher Projections = iota
	// Normal vectors have standard normal entries.
	Normal
)

func (p Projections) fill(w []float64, r *random.Rand) {
	if p == Normal {
		r.NormalsTo(w)
		return
	}
	for i := range w {
		w[i] = r.Sign()
	}
}

// secondMoment returns E <w,x>^2 <w,z>^2.
func (p Projections) secondMoment(x, z []float64) float64 {
	xz := vec.Dot(x, z)
	m := numeric.SquaredNorm(x)*numeric.SquaredNorm(z) + 2*xz*xz
	if p == Rademacher {
		for i := range x {
			m -= 2 * numeric.Square(x[i]*z[i])
		}
	}
	return m
}

func (p Projections) Validate() error {
	if p != Rademacher && p != Normal {
		return fmt.Errorf("orff: unknown law of projections %d", p)
	}
	return nil
}

// maclaurinScalar is the random Maclaurin map of the dot product kernel f(<x, z>) (Kar and Karnick 2012, with the law
// of the degree and the weight normalised):
//
//	phi(x) = (1/sqrt(D)) (Z_1 … Z_D),  Z = sqrt(a_N/P_N) prod_{j<=N} <w_j, x>.
type maclaurinScalar struct {
	series Series
	law    DegreeLaw
	proj   Projections
	d, n   int
	scale  float64
	products
	w []float64 // one row of length d per factor
}

// New draws D features on R^d from r: their degrees from law, then their vectors. Prefer Restricted to Geometric if the
// series is finite or can be truncated: products of high degree have a huge variance.
func New(s Series, law DegreeLaw, proj Projections, d, D int, r random.Rand) (orff.Scalar, error) {
	if err := check.Sizes("random Maclaurin features", d, D); err != nil {
		return nil, err
	}
	if err := proj.Validate(); err != nil {
		return nil, err
	}
	if err := validateSeries(s); err != nil {
		return nil, err
	}
	if err := validateLaw(s, law); err != nil {
		return nil, err
	}
	f := &maclaurinScalar{series: s, law: law, proj: proj, d: d, n: D, scale: 1 / math.Sqrt(float64(D)), products: newProducts(D)}
	f.RedrawFrom(&r)
	return f, nil
}

func (f *maclaurinScalar) In() int  { return f.d }
func (f *maclaurinScalar) Len() int { return f.n }

// FeaturesTo writes phi(x).
func (f *maclaurinScalar) FeaturesTo(phi, x []float64) {
	if len(phi) != f.n || len(x) != f.d {
		panic(check.BadLength)
	}
	vec.MatVec(f.factors, f.w, x)
	f.featuresTo(phi, f.scale)
}

// GradientTo applies the product rule.
func (f *maclaurinScalar) GradientTo(g, x, phi, c []float64) {
	vec.MatVec(f.factors, f.w, x)
	f.pullFrom(c, f.scale)
	vec.MatTVec(g, f.w, f.pull)
}

func (f *maclaurinScalar) Smooth() error { return nil }

// State saves or restores degrees and vectors.
func (f *maclaurinScalar) State(c *snapshot.Codec) {
	c.Section("maclaurin")
	f.products.state(c, &f.w, f.d)
	f.setCoefficients(f.series, f.law)
}

func (f *maclaurinScalar) RedrawFrom(r *random.Rand) bool {
	f.drawDegrees(f.series, f.law, r)
	f.w = grown(f.w, f.d*f.resize())
	f.proj.fill(f.w, r)
	return true
}

func (f *maclaurinScalar) Weigh(s float64) bool { f.scale *= s; return true }
func (f *maclaurinScalar) mass() float64        { return f.scale * f.scale * float64(f.n) }

func (f *maclaurinScalar) Kernel(x, z []float64) float64 {
	return f.mass() * f.series.At(vec.Dot(x, z))
}

func (f *maclaurinScalar) Variance(x, z []float64) float64 {
	m := secondMoment(f.series, f.law, f.proj.secondMoment(x, z))
	return numeric.Square(f.mass()) * (m - numeric.Square(f.series.At(vec.Dot(x, z)))) / float64(f.n)
}

// kakadeScalar is the polynomial map of S. Kakade's notes: every feature has all degrees 0 … l of a finite series,
//
//	phi_j(x) = (1/sqrt(D)) sum_i sqrt(a_i) prod_{k<=i} <w_ijk, x>,
//
// with l(l+1)/2 vectors per feature. It is unbiased: each cross term has an unpaired factor of mean zero. Its variance is
// larger than that of New, with one degree per feature.
type kakadeScalar struct {
	coef  Coefficients
	proj  Projections
	d, n  int
	scale float64
	products
	w, z, c []float64 // z, c: scratch, one number per degree and feature
}

// NewKakade draws D features on R^d from r.
func NewKakade(a Coefficients, proj Projections, d, D int, r random.Rand) (orff.Scalar, error) {
	if err := check.Sizes("random polynomial features", d, D); err != nil {
		return nil, err
	}
	if err := proj.Validate(); err != nil {
		return nil, err
	}
	if err := validateSeries(a); err != nil {
		return nil, err
	}
	n := D * len(a)
	f := &kakadeScalar{coef: append(Coefficients(nil), a...), proj: proj, d: d, n: D, scale: 1 / math.Sqrt(float64(D)), products: newProducts(n), z: make([]float64, n), c: make([]float64, n)}
	for j := range f.degree {
		f.degree[j] = j % len(a)
		f.setLog(j, math.Log(a[j%len(a)])/2)
	}
	f.w = make([]float64, d*f.resize())
	f.RedrawFrom(&r)
	return f, nil
}

func (f *kakadeScalar) In() int  { return f.d }
func (f *kakadeScalar) Len() int { return f.n }

// FeaturesTo writes phi(x).
func (f *kakadeScalar) FeaturesTo(phi, x []float64) {
	if len(phi) != f.n || len(x) != f.d {
		panic(check.BadLength)
	}
	vec.MatVec(f.factors, f.w, x)
	f.featuresTo(f.z, f.scale)
	l := len(f.coef)
	for j := range phi {
		var s float64
		for _, v := range f.z[j*l : (j+1)*l] {
			s += v
		}
		phi[j] = s
	}
}

// GradientTo applies the product rule.
func (f *kakadeScalar) GradientTo(g, x, phi, c []float64) {
	vec.MatVec(f.factors, f.w, x)
	for j := range f.c {
		f.c[j] = c[j/len(f.coef)]
	}
	f.pullFrom(f.c, f.scale)
	vec.MatTVec(g, f.w, f.pull)
}

func (f *kakadeScalar) Smooth() error { return nil }

// State saves or restores the vectors.
func (f *kakadeScalar) State(c *snapshot.Codec) {
	c.Section("kakade")
	c.Float64s(f.w)
}

func (f *kakadeScalar) RedrawFrom(r *random.Rand) bool { f.proj.fill(f.w, r); return true }
func (f *kakadeScalar) Weigh(s float64) bool           { f.scale *= s; return true }
func (f *kakadeScalar) mass() float64                  { return f.scale * f.scale * float64(f.n) }

func (f *kakadeScalar) Kernel(x, z []float64) float64 { return f.mass() * f.coef.At(vec.Dot(x, z)) }

// Variance: with X_i the term of degree i at x, and Z_i at z, E X_i X_k Z_l Z_m is not zero only if every degree
// appears in pairs.
func (f *kakadeScalar) Variance(x, z []float64) float64 {
	m, xz := f.proj.secondMoment(x, z), vec.Dot(x, z)
	xx, zz := numeric.SquaredNorm(x), numeric.SquaredNorm(z)
	var second float64
	for i, a := range f.coef {
		second += a * a * math.Pow(m, float64(i))
		for k, b := range f.coef {
			if k != i {
				second += a * b * (math.Pow(xx, float64(i))*math.Pow(zz, float64(k)) + 2*math.Pow(xz, float64(i+k)))
			}
		}
	}
	return numeric.Square(f.mass()) * (second - numeric.Square(f.coef.At(xz))) / float64(f.n)
}

func (f *maclaurinScalar) KernelSmooth() error { return nil }

// KernelSlopeTo: f'(<x, z>) z.
func (f *maclaurinScalar) KernelSlopeTo(g, x, z []float64) {
	s := f.mass() * f.series.Slope(vec.Dot(x, z))
	for i, v := range z {
		g[i] = s * v
	}
}

func (f *kakadeScalar) KernelSmooth() error { return nil }

func (f *kakadeScalar) KernelSlopeTo(g, x, z []float64) {
	s := f.mass() * f.coef.Slope(vec.Dot(x, z))
	for i, v := range z {
		g[i] = s * v
	}
}

func (f *maclaurinScalar) Estimate() (bound.Estimate, error) {
	if f.proj != Rademacher {
		return bound.Estimate{}, errors.New("orff: no error bound: a feature with normal vectors is unbounded, use Rademacher vectors")
	}
	spread := func(p bound.Set) (float64, error) {
		if err := check.Positive("the radius of the inputs", p.Radius); err != nil {
			return 0, err
		}
		return productBound(f.series, f.law, p.Radius*p.Radius)
	}
	uniform := func(eps float64, p bound.Set) (bound.Inequality, string, error) {
		g, ok := f.law.(Geometric)
		if !ok {
			return nil, "", errors.New("orff: the uniform bound of random Maclaurin features is known for the geometric law only")
		}
		c1, err := spread(p)
		if err != nil {
			return nil, "", err
		}
		r := p.Radius
		l1 := r*f.series.Slope(r*r) + g.P*g.P/(g.P-1)*r*math.Sqrt(float64(f.d))*f.series.Slope(g.P*r*r)
		return maclaurinUniform(eps, p, f.d, c1, l1)
	}
	return bound.Estimate{Draws: f.n, D: f.d, Norm: f.mass(), Spread: spread, Uniform: uniform}, nil
}
