package orff

import (
	"math"

	"github.com/orffvar/forecaster/orff/internal/numeric"
)

// A tail bounds the probability that an error exceeds epsilon with D draws, factor
// exp(-rate D), and so the number of draws for a probability. All logarithms are natural.
type tail struct{ factor, rate float64 }

// failure is the bound at a number of draws.
func (t tail) failure(draws float64) float64 { return t.factor * math.Exp(-t.rate*draws) }

// draws is the number, before rounding up, at which the bound is delta.
func (t tail) draws(delta float64) float64 { return math.Log(t.factor/delta) / t.rate }

// hoeffding: Hoeffding's inequality for a mean of terms that lie in an interval of half
// width c, two-sided, over the given number of kernel values.
func hoeffding(eps, c, values float64) tail { return tail{2 * values, eps * eps / (2 * c * c)} }

// rahimiRecht: Rahimi and Recht (2007); Brault 2017, theorem 5.1. s^2 is E||omega||^2,
// diam the diameter of the compact set.
func rahimiRecht(eps float64, d int, s, diam float64) tail {
	return tail{256 * numeric.Square(s*diam/eps), eps * eps / (4 * float64(d+2))}
}

// bernsteinAtLags: Tropp's inequality at the lags of n points, for p x p draws of norm u
// and variance v.
func bernsteinAtLags(eps float64, n, p int, u, v float64) tail {
	lags := float64(n)*float64(n-1)/2 + 1 // K~(x, x) is random too
	return tail{2 * float64(p) * lags, eps * eps / (2 * (v + u*eps/3))}
}

// bernsteinOfGram: Tropp's inequality for the Gram matrix of n points in the spectral
// norm, relative to its norm. A draw has a Gram matrix R of norm at most m n with E[R^2] <=
// m n G; ratio is n/||G||.
func bernsteinOfGram(eps float64, n int, ratio, m float64) tail {
	return tail{2 * float64(n), eps * eps / (2 * m * ratio * (1 + 2*eps/3))}
}

// drawsSpectral makes sqrt(2 m I l/D) + 2 m I l/(3D) = eps, the expected relative
// error of the Gram matrix of n points in the spectral norm by the matrix
// Bernstein inequality, with l = ln(2n), I = n/||G|| and m n the norm bound of one draw.
func drawsSpectral(eps float64, n int, ratio, m float64) float64 {
	l := math.Log(2 * float64(n))
	return m * ratio * l * numeric.Square((math.Sqrt2+math.Sqrt(2+8*eps/3))/(2*eps))
}

// maclaurinOnASet: Kar and Karnick (2012), theorem 15 with the net over
// pairs.
func maclaurinOnASet(eps float64, d int, radius, c1, l1 float64) tail {
	return tail{64 * radius * l1 / eps, eps * eps / (8 * c1 * c1 * float64(2*d+1))}
}

// drawsStatistical: Rudi, Camoriano and Rosasco: sqrt(N) ln N features suffice
// for the rate N^(-1/2) of ridge regression with lambda = N^(-1/2).
func drawsStatistical(n int) float64 {
	return math.Sqrt(float64(n)) * math.Log(float64(n))
}

// uniformField is what the uniform bound of an operator-valued kernel on R^d
// depends on (Brault 2017, corollaries 5.2 and 5.3, corrected): m >= E ||omega||
// ||A||, u and v the norm (or Orlicz norm) and variance of a draw, p outputs.
type uniformField struct {
	d, p    int
	m, u, v float64
	bounded bool
}

// failure bounds the probability that the error exceeds eps somewhere on a ball
// of diameter c: C_d (4 m c/eps)^(d/(d+1)) (p g)^(1/(d+1)), a net with the error
// eps/2 at its anchors and Lipschitz continuity between them.
func (f uniformField) failure(eps, c, draws float64) float64 {
	d := float64(f.d)
	cd := 4 * (math.Pow(d, 1/(d+1)) + math.Pow(d, -d/(d+1)))
	eps = min(eps, f.m*c)
	return cd * math.Pow(4*f.m*c/eps, d/(d+1)) * math.Pow(float64(f.p)*f.tail(eps, draws), 1/(d+1))
}

// tail is g, the bound at one anchor with eps/2.
func (f uniformField) tail(eps, draws float64) float64 {
	u, v, p := f.u, f.v, float64(f.p)
	if f.bounded {
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

// onBall is a uniformField for one epsilon on a ball of one diameter.
type onBall struct {
	uniformField
	eps, diameter float64
}

func (b onBall) failure(draws float64) float64 {
	return b.uniformField.failure(b.eps, b.diameter, draws)
}

// draws is the smallest number for which failure is at most delta; failure falls
// as the draws grow.
func (b onBall) draws(delta float64) float64 {
	low, high := 0.0, 1.0
	for b.failure(high) > delta {
		low, high = high, 2*high
	}
	for high-low > 0.5 {
		if mid := (low + high) / 2; b.failure(mid) > delta {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// orliczNorm is || ||omega||^2 ||_psi1 for N(0, I/sigma^2): the moment generating
// function (1 - 2t/sigma^2)^(-d/2) is 2 there.
func orliczNorm(d int, sigma float64) float64 {
	return 2 / (sigma * sigma * (1 - math.Pow(4, -1/float64(d))))
}

// chiMoment is E chi_n^k.
func chiMoment(n, k int) float64 {
	a, _ := math.Lgamma(float64(n+k) / 2)
	b, _ := math.Lgamma(float64(n) / 2)
	return math.Exp(float64(k)/2*math.Ln2 + a - b)
}
