package vec

import "math"

// SinCos sets sin_i = sin(2 pi t_i) and cos_i = cos(2 pi t_i). t is in turns: the reduction t - round(t) is exact for any
// size of t. The absolute error is below 1.3e-15. An infinite or NaN t gives NaN. sin or cos may be t.
func SinCos(sin, cos, t []float64) {
	if len(sin) != len(t) || len(cos) != len(t) {
		panic("vec: SinCos: lengths differ")
	}
	sinCos(sin, cos, t)
}

// Features sets phi = scale [cos(2 pi W^T x); sin(2 pi W^T x)]. W is len(x) x D with D = len(phi)/2. Its columns are
// frequencies in turns: angular frequencies divided by 2 pi. With scale = 1/sqrt(D), the inner product of two such
// vectors approximates a kernel (random Fourier features, Rahimi and Recht 2007).
func Features(phi, w, x []float64, scale float64) {
	d := len(phi) / 2
	if len(phi) != 2*d || len(w) != len(x)*d {
		panic("vec: Features: shapes differ")
	}
	features(phi, w, x, scale)
}

// Coefficients of sqrt(2) sin(pi r)/r and sqrt(2) cos(pi r) as polynomials in r^2 on [0, 1/4]. They are minimax for the
// errors of sinCosTurns: each coefficient was rounded before the next was fitted. The fit adds 2.7e-16 and 1.7e-17 to
// these errors.
const (
	sin0 = 0x1.1c5831add62ddp+2
	sin1 = -0x1.d3ba5c1c5ef7dp+2
	sin2 = 0x1.cda106380081ep+1
	sin3 = -0x1.b1e9f340b91eap-1
	sin4 = 0x1.dbd6f89af7a50p-4
	sin5 = -0x1.558c6ef6f5f10p-7
	sin6 = 0x1.597621fbad57bp-11
	sin7 = -0x1.f3d6f85177059p-16

	cos0 = 0x1.6a09e667f3bccp+0
	cos1 = -0x1.bea5b6072b243p+2
	cos2 = 0x1.6f5a49b297649p+2
	cos3 = -0x1.e36ab0c0ffbafp+0
	cos4 = 0x1.54cb8f427d88dp-2
	cos5 = -0x1.2afa997d607f2p-5
	cos6 = 0x1.65aaf265291bap-9
	cos7 = -0x1.360c535045637p-13
	cos8 = 0x1.877f605fde057p-18
)

// sinCosTurns evaluates s = sqrt(2) sin(pi r) and c = sqrt(2) cos(pi r) with r = t - round(t) in [-1/2, 1/2]. Then
// sin = s c and cos = 1 - s^2: two polynomials of the half angle, without quadrants and branches.
func sinCosTurns(t float64) (sin, cos float64) {
	// The sum with zero lets the rounding overwrite a new register. Otherwise each call would wait for the previous one
	// (false dependency).
	r := t - math.RoundToEven(t+0)
	u := float64(r * r)
	c := float64(u*cos8) + cos7
	s := float64(u*sin7) + sin6
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
	return float64(s * c), 1 - float64(s*s)
}
