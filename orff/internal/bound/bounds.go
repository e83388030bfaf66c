package bound

import (
	"math"

	"github.com/orffvar/forecaster/orff/internal/numeric"
)

// A Tail bounds the probability that an error exceeds epsilon with D draws by factor exp(-rate D). Its inverse is the
// number of draws for a probability. All logarithms are natural.
type Tail struct{ factor, rate float64 }

// Failure returns the bound for the given number of draws.
func (t Tail) Failure(draws float64) float64 { return t.factor * math.Exp(-t.rate*draws) }

// Draws returns the number of draws for which the bound equals delta, not rounded.
func (t Tail) Draws(delta float64) float64 { return math.Log(t.factor/delta) / t.rate }

// Hoeffding returns Hoeffding's two-sided inequality for the mean of terms in an interval of half width c, as a union
// bound over the given number of kernel values.
func Hoeffding(eps, c, values float64) Tail { return Tail{2 * values, eps * eps / (2 * c * c)} }

// RahimiRecht returns the uniform bound of Rahimi and Recht (2007); Brault 2017, theorem 5.1. s^2 is E||omega||^2, diam
// the diameter of the compact set in R^d.
func RahimiRecht(eps float64, d int, s, diam float64) Tail {
	return Tail{256 * numeric.Square(s*diam/eps), eps * eps / (4 * float64(d+2))}
}

// BernsteinAtLags returns Tropp's inequality at the lags between n points, for p x p draws of norm u and variance v.
func BernsteinAtLags(eps float64, n, p int, u, v float64) Tail {
	lags := float64(n)*float64(n-1)/2 + 1 // K~(x, x) is random too
	return Tail{2 * float64(p) * lags, eps * eps / (2 * (v + u*eps/3))}
}

// BernsteinOfGram returns Tropp's inequality for the error of the Gram matrix G of n points in the spectral norm,
// relative to ||G||. One draw has a Gram matrix R with ||R|| <= m n and E[R^2] <= m n G. ratio is n/||G||.
func BernsteinOfGram(eps float64, n int, ratio, m float64) Tail {
	return Tail{2 * float64(n), eps * eps / (2 * m * ratio * (1 + 2*eps/3))}
}

// DrawsSpectral returns the D that solves sqrt(2 m I l/D) + 2 m I l/(3D) = eps. The left side bounds the expected
// relative error of the Gram matrix of n points in the spectral norm (matrix Bernstein inequality). l = ln(2n), I =
// ratio = n/||G||, and m n bounds the norm of one draw.
func DrawsSpectral(eps float64, n int, ratio, m float64) float64 {
	l := math.Log(2 * float64(n))
	return m * ratio * l * numeric.Square((math.Sqrt2+math.Sqrt(2+8*eps/3))/(2*eps))
}

// MaclaurinOnASet returns the bound of Kar and Karnick (2012), theorem 15, with the net over pairs.
func MaclaurinOnASet(eps float64, d int, radius, c1, l1 float64) Tail {
	return Tail{64 * radius * l1 / eps, eps * eps / (8 * c1 * c1 * float64(2*d+1))}
}

// DrawsStatistical returns sqrt(N) ln N. This number of features suffices for the rate
// N^(-1/2) of ridge regression with lambda = N^(-1/2) (Rudi, Camoriano and Rosasco).
func DrawsStatistical(n int) float64 {
	return math.Sqrt(float64(n)) * math.Log(float64(n))
}

// UniformField has the quantities of the uniform bound for an operator-valued kernel on R^d (Brault 2017, corollaries
// 5.2 and 5.3, corrected). m >= E ||omega|| ||A||; u and v are the norm (or Orlicz norm) and the variance of a draw; p
// is the number of outputs.
type UniformField struct {
	D, P    int
	M, U, V float64
	Bounded bool
}

// Failure bounds the probability that the error exceeds eps somewhere on a ball of diameter c:
//
//	C_d (4 m c/eps)^(d/(d+1)) (p g)^(1/(d+1))
//
// The proof takes the error eps/2 at the anchors of a net, and Lipschitz continuity between them.
func (f UniformField) Failure(eps, c, draws float64) float64 {
	d := float64(f.D)
	cd := 4 * (math.Pow(d, 1/(d+1)) + math.Pow(d, -d/(d+1)))
	eps = min(eps, f.M*c)
	return cd * math.Pow(4*f.M*c/eps, d/(d+1)) * math.Pow(float64(f.P)*f.Tail(eps, draws), 1/(d+1))
}

// Tail returns g, the bound at one anchor with the error eps/2.
func (f UniformField) Tail(eps, draws float64) float64 {
	u, v, p := f.U, f.V, float64(f.P)
	if f.Bounded {
		if eps/2 < math.Sqrt(v/draws)+u/(3*draws) {
			return math.Inf(1) // outside the range of the intrinsic inequality
		}
		return 2 * math.Exp(-draws*eps*eps/(8*(v+u*eps/6)))
	}
	kappa := math.Log(16*math.Sqrt2*p) + math.Log(u*u/v)
	r := 1 + 3/numeric.Square(eps/2*math.Log1p(draws*eps/2/v))
	if eps <= v/u*(1+1/p)/kappa {
		return r * math.Exp(-draws*eps*eps/(8*v*(1+1/p)))
	}
	return r * math.Exp(-draws*eps/(8*u*kappa))
}

// OnBall is a UniformField for one epsilon on a ball of one diameter.
type OnBall struct {
	UniformField
	Eps, Diameter float64
}

func (b OnBall) Failure(draws float64) float64 {
	return b.UniformField.Failure(b.Eps, b.Diameter, draws)
}

// Draws returns the smallest number of draws whose Failure is at most delta. Failure decreases with the number of draws.
func (b OnBall) Draws(delta float64) float64 {
	low, high := 0.0, 1.0
	for b.Failure(high) > delta {
		low, high = high, 2*high
	}
	for high-low > 0.5 {
		if mid := (low + high) / 2; b.Failure(mid) > delta {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// OrliczNorm returns || ||omega||^2 ||_psi1 for N(0, I/sigma^2), the t at which the moment generating function of
// ||omega||^2/t is 2.
func OrliczNorm(d int, sigma float64) float64 {
	return 2 / (sigma * sigma * (1 - math.Pow(4, -1/float64(d))))
}

// ChiMoment returns E chi_n^k.
func ChiMoment(n, k int) float64 {
	a, _ := math.Lgamma(float64(n+k) / 2)
	b, _ := math.Lgamma(float64(n) / 2)
	return math.Exp(float64(k)/2*math.Ln2 + a - b)
}

// Constant returns a Spread or a Diagonal that does not depend on the set of inputs.
func Constant(c float64) func(Set) (float64, error) {
	return func(Set) (float64, error) { return c, nil }
}
