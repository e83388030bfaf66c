package vec

import "math"

// SinCos sets sin[i], cos[i] to the sine and cosine of t[i] turns, that is of
// the angle 2 pi t[i]; the three have one length. In turns the reduction to one
// period, t - round(t), is exact however large t is. The absolute error is
// below 1.3e-15; an infinite or NaN t gives NaN. One of sin and cos may be t.
func SinCos(sin, cos, t []float64) {
	if len(sin) != len(t) || len(cos) != len(t) {
		panic("vec: SinCos: lengths differ")
	}
	sinCos(sin, cos, t)
}

// Features sets phi = scale [cos(2 pi W^T x); sin(2 pi W^T x)]: first all
// cosines, then all sines. W is len(x) x len(phi)/2, one column a frequency, in
// turns: an angular frequency divided by 2 pi. With scale = 1/sqrt(D), D =
// len(phi)/2, the inner product of two such vectors is the random Fourier
// approximation of a kernel (Rahimi and Recht 2007).
func Features(phi, w, x []float64, scale float64) {
	d := len(phi) / 2
	if len(phi) != 2*d || len(w) != len(x)*d {
		panic("vec: Features: shapes differ")
	}
	features(phi, w, x, scale)
}

// FeatureRows is Features for each row of X, n x m; phi has n rows too. W is read
// once for many rows, which pays when it is larger than the caches.
func FeatureRows(phi, w, x []float64, scale float64, n int) {
	if n == 0 && len(phi) == 0 && len(x) == 0 {
		return
	}
	if n < 1 || len(phi)%(2*n) != 0 || len(x)%n != 0 || len(w) != len(x)/n*(len(phi)/n/2) {
		panic("vec: FeatureRows: shapes differ")
	}
	featureRows(phi, w, x, scale, n)
}

// Coefficients of sin(pi r)/r and cos(pi r) as polynomials in r^2 on [0, 1/4]:
// interpolation in the nine Chebyshev nodes, rounded. Their errors, 1.2e-16
// and 1.0e-16, are below one rounding.
const (
	sin0 = 0x1.921fb54442d18p+1
	sin1 = -0x1.4abbce625be52p+2
	sin2 = 0x1.466bc6775aa7dp+1
	sin3 = -0x1.32d2cce627c86p-1
	sin4 = 0x1.5078348551854p-4
	sin5 = -0x1.e3074dfaf87afp-8
	sin6 = 0x1.e8f3675ee37ddp-12
	sin7 = -0x1.6f7acdb8f6580p-16
	sin8 = 0x1.9d462020fcc78p-21

	cos0 = 0x1.0000000000000p+0
	cos1 = -0x1.3bd3cc9be45dbp+2
	cos2 = 0x1.03c1f081b5992p+2
	cos3 = -0x1.55d3c7e3bfbf5p+0
	cos4 = 0x1.e1f506813a321p-3
	cos5 = -0x1.a6d1efc8c38bep-6
	cos6 = 0x1.f9d254582ac30p-10
	cos7 = -0x1.b6957b54dd389p-14
	cos8 = 0x1.1678f9078a9b3p-18
)

// sinCosTurns evaluates s = sin(pi r) and c = cos(pi r) of the half angle with
// r = t - round(t) in [-1/2, 1/2], then sin = 2 s c and cos = 1 - 2 s^2: two
// polynomials, no quadrant, no branch.
func sinCosTurns(t float64) (sin, cos float64) {
	// Adding zero lets the compiler round in a register it has just written;
	// otherwise each call would wait for the one before (false dependency).
	r := t - math.RoundToEven(t+0)
	u := float64(r * r)
	s := float64(u*sin8) + sin7
	c := float64(u*cos8) + cos7
	s = float64(u*s) + sin6
	c = float64(u*c) + cos6
	s = float64(u*s) + sin5
	c = float64(u*c) + cos5
	s = float64(u*s) + sin4
	c = float64(u*c) + cos4
	s = float64(u*s) + sin3
	c = float64(u*c) + cos3
	s = float64(u*s) + sin2
	c = float64(u*c) + cos2
	s = float64(u*s) + sin1
	c = float64(u*c) + cos1
	s = float64(u*s) + sin0
	c = float64(u*c) + cos0
	s = float64(r * s)
	s2 := float64(s + s)
	return float64(s2 * c), 1 - float64(s2*s)
}
