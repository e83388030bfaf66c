// Package maclaurin has random features of kernels that are power series: f(<x, z>) of a dot
// product (New, NewKakade), and f(k(x, z)) of a shift-invariant kernel (NewCompositional).
package maclaurin

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// Series is a function f(t) = sum_n a_n t^n with a_n >= 0: f(<x, z>) and f(k(x, z)) are positive definite kernels.
type Series interface {
	// Coefficient returns a_n.
	Coefficient(n int) float64

	// At returns f(t). Slope returns f'(t).
	At(t float64) float64
	Slope(t float64) float64
}

// Exponential is the series of exp(t).
type Exponential struct{}

func (Exponential) Coefficient(n int) float64 { return 1 / math.Gamma(float64(n)+1) }
func (Exponential) At(t float64) float64      { return math.Exp(t) }
func (Exponential) Slope(t float64) float64   { return math.Exp(t) }

// Coefficients is a finite series, a polynomial: element n is a_n.
type Coefficients []float64

func (c Coefficients) Coefficient(n int) float64 {
	if n >= len(c) {
		return 0
	}
	return c[n]
}

func (c Coefficients) At(t float64) float64 {
	var s float64
	for n := len(c) - 1; n >= 0; n-- {
		s = s*t + c[n]
	}
	return s
}

func (c Coefficients) Slope(t float64) float64 {
	var s float64
	for n := len(c) - 1; n > 0; n-- {
		s = s*t + float64(n)*c[n]
	}
	return s
}

// Polynomial returns the series of (offset + t)^degree.
func Polynomial(offset float64, degree int) Coefficients {
	c := make(Coefficients, degree+1)
	b := 1.0 // degree over n, the binomial coefficient
	for n := range c {
		c[n] = b * math.Pow(offset, float64(degree-n))
		b *= float64(degree-n) / float64(n+1)
	}
	return c
}

// maxDegree limits the degree of a feature. Under Geometric with P >= 1.05, a larger degree has the probability 6e-22.
const maxDegree = 1000

// Truncate cuts a series after the first degree for which the rest at t = radius^2 is at most eps. For ||x||, ||z|| <=
// radius, the kernel then changes by at most eps (Kar and Karnick 2012, section 9).
func Truncate(s Series, radius, eps float64) (Coefficients, error) {
	if err := validateSeries(s); err != nil {
		return nil, err
	}
	if !(radius > 0) || !(eps > 0) {
		return nil, fmt.Errorf("orff: a truncation needs radius > 0 and eps > 0, got %g and %g", radius, eps)
	}
	t := radius * radius
	rest := s.At(t)
	if !numeric.Finite([]float64{rest}) {
		return nil, fmt.Errorf("orff: the series does not converge at radius %g", radius)
	}
	var c Coefficients
	for n, power := 0, 1.0; n <= maxDegree; n, power = n+1, power*t {
		a := s.Coefficient(n)
		c = append(c, a)
		if rest -= a * power; rest <= eps {
			return c, nil
		}
	}
	return nil, fmt.Errorf("orff: the tail at radius %g is above %g even after degree %d", radius, eps, maxDegree)
}

func validateSeries(s Series) error {
	sum := 0.0
	for n := range maxDegree {
		a := s.Coefficient(n)
		if !(a >= 0) {
			return fmt.Errorf("orff: a positive definite series needs coefficients >= 0, a_%d is %g", n, a)
		}
		sum += a
	}
	if sum == 0 {
		return fmt.Errorf("orff: the series is zero")
	}
	return nil
}

// DegreeLaw is the distribution of the degree N of a random Maclaurin feature.
type DegreeLaw interface {
	// Degree draws N.
	Degree(r *random.Rand) int

	// Probability returns P[N = n].
	Probability(n int) float64
}

// Geometric is P[N = n] = (P-1)/P^(n+1) for P > 1, the law of Kar and Karnick (2012), normalised.
type Geometric struct{ P float64 }

func (g Geometric) Degree(r *random.Rand) int {
	return min(maxDegree, int(-math.Log(r.Uniform())/math.Log(g.P)))
}

func (g Geometric) Probability(n int) float64 {
	return (g.P - 1) * math.Pow(g.P, -float64(n+1))
}

func (g Geometric) Validate(int) error {
	if !(g.P >= 1.05) || math.IsInf(g.P, 1) {
		return fmt.Errorf("orff: the base of a geometric degree law must be >= 1.05, got %g", g.P)
	}
	return nil
}

// restricted is a law on a finite set of degrees.
type restricted struct{ p, upTo []float64 }

// Restricted returns the law P[N = n] = a_n R^(2n) / f(R^2) on the degrees of a finite series. It never draws a degree
// with a_N = 0. On ||x||_1 <= R, |Z(x) Z(z)| <= f(R^2), the smallest bound of all laws.
func Restricted(c Coefficients, radius float64) (DegreeLaw, error) {
	if err := validateSeries(c); err != nil {
		return nil, err
	}
	if err := check.Positive("the radius of a degree law", radius); err != nil {
		return nil, err
	}
	l := restricted{make([]float64, len(c)), make([]float64, len(c))}
	total := c.At(radius * radius)
	var sum float64
	for n, a := range c {
		l.p[n] = a * math.Pow(radius, 2*float64(n)) / total
		sum += l.p[n]
		l.upTo[n] = sum
	}
	return l, nil
}

func (l restricted) Degree(r *random.Rand) int {
	u := r.Uniform() * l.upTo[len(l.upTo)-1]
	for n, s := range l.upTo {
		if u < s {
			return n
		}
	}
	return len(l.upTo) - 1
}

func (l restricted) Probability(n int) float64 {
	if n >= len(l.p) {
		return 0
	}
	return l.p[n]
}

// validateLaw returns an error for a law that never draws a degree with a_n > 0: the feature map would be biased.
func validateLaw(s Series, law DegreeLaw) error {
	if err := check.Parameters(law, 0); err != nil {
		return err
	}
	for n := range maxDegree {
		if s.Coefficient(n) > 0 && !(law.Probability(n) > 0) {
			if s.Coefficient(n) < 1e-300 {
				continue // beside such a small coefficient, a geometric probability underflows
			}
			return fmt.Errorf("orff: the degree law never draws %d although a_%d = %g: truncate the series first", n, n, s.Coefficient(n))
		}
	}
	return nil
}

// secondMoment returns E (Z(x) Z(z))^2 = sum_n a_n^2/P_n M^n, where M is the second moment of one factor; +Inf if the sum
// diverges.
func secondMoment(s Series, law DegreeLaw, m float64) float64 {
	var sum float64
	power := 1.0
	for n := range maxDegree {
		a, p := s.Coefficient(n), law.Probability(n)
		if a > 0 && p > 0 {
			sum += a * a / p * power
		}
		power *= m
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}
