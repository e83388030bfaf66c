// Package spectrum has shift-invariant kernels, and the distributions of the frequencies of random Fourier features:
// independent (Gaussian, Laplacian, Sinc, Sech, Matern), orthogonal (Orthogonal) or from a low-discrepancy sequence
// (QuasiMonteCarlo).
package spectrum

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
	"gonum.org/v1/gonum/mathext"
)

// Spectrum is a shift-invariant kernel k(x, z) = K0(x-z) with K0(0) = 1, and its spectral measure: the even probability
// distribution of frequencies omega with K0(delta) = E cos(omega.delta) (Bochner).
type Spectrum interface {
	// SampleTo fills w with len(w)/d frequencies in R^d, row-major, in the inverse unit of x. Each has the distribution
	// of the spectral measure.
	SampleTo(w []float64, d int, r *random.Rand)

	// K0 returns the kernel at the lag delta.
	K0(delta []float64) float64

	// Variance returns the variance of one coordinate of omega, +Inf if it has none. A kernel with variance +Inf is not
	// differentiable and has no uniform error bound.
	Variance() float64
}

// quantiler is a Spectrum whose frequencies have independent coordinates. Quantile is the inverse distribution function
// of a coordinate on (0, 1).
type quantiler interface {
	Spectrum
	Quantile(u float64) float64
}

// sloped is a Spectrum with the gradient of K0.
type sloped interface {
	Spectrum
	SlopeTo(g, delta []float64)
}

func sampleQuantiles(w []float64, s quantiler, r *random.Rand) {
	for i := range w {
		w[i] = s.Quantile(r.Uniform())
	}
}

// Gaussian is the kernel exp(-||delta||^2 / (2 Sigma^2)). Sigma, the bandwidth,
// has the unit of x; the frequencies are N(0, I/Sigma^2).
type Gaussian struct{ Sigma float64 }

func (k Gaussian) SampleTo(w []float64, d int, r *random.Rand) {
	r.NormalsTo(w)
	for i := range w {
		w[i] /= k.Sigma
	}
}

func (k Gaussian) K0(delta []float64) float64 {
	return math.Exp(-numeric.SquaredNorm(delta) / (2 * k.Sigma * k.Sigma))
}

func (k Gaussian) Variance() float64 { return 1 / (k.Sigma * k.Sigma) }

func (k Gaussian) Quantile(u float64) float64 { return mathext.NormalQuantile(u) / k.Sigma }

func (k Gaussian) SlopeTo(g, delta []float64) {
	f := -k.K0(delta) / (k.Sigma * k.Sigma)
	for i, t := range delta {
		g[i] = f * t
	}
}

func (k Gaussian) Validate(int) error { return check.Positive("Sigma of a Gaussian kernel", k.Sigma) }

// Laplacian is the kernel exp(-Gamma ||delta||_1); the coordinates of a
// frequency are independent Cauchy variables of scale Gamma. E||omega|| is
// infinite: its maps have no Jacobian and no uniform error bound.
type Laplacian struct{ Gamma float64 }

func (k Laplacian) SampleTo(w []float64, d int, r *random.Rand) { sampleQuantiles(w, k, r) }

func (k Laplacian) K0(delta []float64) float64 {
	var s float64
	for _, t := range delta {
		s += math.Abs(t)
	}
	return math.Exp(-k.Gamma * s)
}

func (k Laplacian) Variance() float64 { return math.Inf(1) }

func (k Laplacian) Quantile(u float64) float64 { return k.Gamma * math.Tan(math.Pi*(u-0.5)) }

func (k Laplacian) Validate(int) error { return check.Positive("Gamma of a Laplacian kernel", k.Gamma) }

// Sinc is the product over the coordinates of sin(A delta)/(A delta); the
// coordinates of a frequency are independent and uniform in (-A, A).
type Sinc struct{ A float64 }

func (k Sinc) SampleTo(w []float64, d int, r *random.Rand) { sampleQuantiles(w, k, r) }

func (k Sinc) K0(delta []float64) float64 {
	p := 1.0
	for _, t := range delta {
		p *= sinc(k.A * t)
	}
	return p
}

func (k Sinc) Variance() float64 { return k.A * k.A / 3 }

func (k Sinc) Quantile(u float64) float64 { return k.A * (2*u - 1) }

func (k Sinc) SlopeTo(g, delta []float64) {
	productSlope(g, delta, func(t float64) float64 { return sinc(k.A * t) }, func(t float64) float64 { return k.A * sincSlope(k.A*t) })
}

func (k Sinc) Validate(int) error { return check.Positive("A of a sinc kernel", k.A) }

// sinc returns sin(t)/t. For |t| < 1e-4, the term t^4/120 of its series is below rounding.
func sinc(t float64) float64 {
	if math.Abs(t) < 1e-4 {
		return 1 - t*t/6
	}
	return math.Sin(t) / t
}

// sincSlope returns the derivative (t cos t - sin t)/t^2. Below 0.02 the difference cancels, but two terms of the
// series are exact to rounding.
func sincSlope(t float64) float64 {
	if math.Abs(t) < 0.02 {
		return t * (-1.0/3 + t*t*(1.0/30-t*t/840))
	}
	sin, cos := math.Sincos(t)
	return (t*cos - sin) / (t * t)
}

// Sech is the product over the coordinates of sech(delta/2); the coordinates of a frequency
// are independent with the density sech(pi omega). On x = log of a positive input it is the
// skewed chi-squared kernel.
type Sech struct{}

func (k Sech) SampleTo(w []float64, d int, r *random.Rand) { sampleQuantiles(w, k, r) }

func (k Sech) K0(delta []float64) float64 {
	p := 1.0
	for _, t := range delta {
		p *= sech(t / 2)
	}
	return p
}

func (k Sech) Variance() float64 { return 0.25 }

func (k Sech) Quantile(u float64) float64 { return math.Log(math.Tan(math.Pi*u/2)) / math.Pi }

func (k Sech) SlopeTo(g, delta []float64) {
	productSlope(g, delta, func(t float64) float64 { return sech(t / 2) }, func(t float64) float64 { return -sech(t/2) * math.Tanh(t/2) / 2 })
}

// sech returns 1/cosh(t) without overflow.
func sech(t float64) float64 {
	e := math.Exp(-math.Abs(t))
	return 2 * e / (1 + e*e)
}

// productSlope writes the gradient of prod_k f(delta_k) into g, without a division.
func productSlope(g, delta []float64, f, slope func(float64) float64) {
	before := 1.0
	for i, t := range delta {
		g[i] = before
		before *= f(t)
	}
	after := 1.0
	for i := len(delta) - 1; i >= 0; i-- {
		g[i] *= after * slope(delta[i])
		after *= f(delta[i])
	}
}

// Matern is the Matern kernel with smoothness nu = Half + 1/2 and length scale Ell. Half = 0 is exp(-r/Ell); 1 and 2
// are the usual nu = 3/2 and 5/2. The frequencies have a multivariate t distribution with 2 nu degrees of freedom and
// scale 1/Ell.
type Matern struct {
	Half int
	Ell  float64
}

func (k Matern) SampleTo(w []float64, d int, r *random.Rand) {
	r.NormalsTo(w)
	nu := 2*k.Half + 1
	for ; len(w) > 0; w = w[d:] {
		f := math.Sqrt(float64(nu)/r.ChiSquared(nu)) / k.Ell
		for i := range w[:d] {
			w[i] *= f
		}
	}
}

func (k Matern) K0(delta []float64) float64 {
	s := k.distance(delta)
	return math.Exp(-s) * maternPolynomial(k.Half, s)
}

// distance returns sqrt(2 nu) ||delta|| / Ell.
func (k Matern) distance(delta []float64) float64 {
	return math.Sqrt(float64(2*k.Half+1)*numeric.SquaredNorm(delta)) / k.Ell
}

// maternPolynomial returns q!/(2q)! sum_i (q+i)!/(i! (q-i)!) (2s)^(q-i), from the ratios of neighbouring coefficients.
func maternPolynomial(q int, s float64) float64 {
	c, sum := 1.0, 1.0 // coefficient of s^j and partial sum: c_(j+1) = c_j 2 (q-j) / ((2q-j)(j+1))
	power := 1.0
	for j := range q {
		c *= 2 * float64(q-j) / (float64(2*q-j) * float64(j+1))
		power *= s
		sum += c * power
	}
	return sum
}

func (k Matern) Variance() float64 {
	if k.Half == 0 {
		return math.Inf(1)
	}
	nu := float64(k.Half) + 0.5
	return nu / (nu - 1) / (k.Ell * k.Ell)
}

// SlopeTo: the derivative of exp(-s) P_q(s) is -s exp(-s) P_(q-1)(s)/(2q-1).
func (k Matern) SlopeTo(g, delta []float64) {
	s, q := k.distance(delta), k.Half
	f := -math.Exp(-s) * maternPolynomial(q-1, s) / float64(2*q-1) * float64(2*q+1) / (k.Ell * k.Ell)
	for i, t := range delta {
		g[i] = f * t
	}
}

func (k Matern) Validate(int) error {
	if k.Half < 0 || k.Half > 20 {
		return fmt.Errorf("orff: a Matern kernel has the smoothness Half + 1/2 with Half = 0 … 20, got %d", k.Half)
	}
	return check.Positive("Ell of a Matern kernel", k.Ell)
}
