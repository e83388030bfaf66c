// Package numeric has vector and matrix operations of feature maps that are not in internal/vec.
package numeric

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/check"
)

// Finite reports whether x has neither a NaN nor an infinity.
func Finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// SquaredNorm returns ||a||^2.
func SquaredNorm(a []float64) float64 { return vec.Dot(a, a) }

// LagTo sets delta = x - z.
func LagTo(delta, x, z []float64) {
	for i := range delta {
		delta[i] = x[i] - z[i]
	}
}

// Square returns v^2.
func Square(v float64) float64 { return v * v }

// ProjectTo writes phi = W x, where W is n x d row-major. If accepts returns an error for x, all elements become NaN. It
// panics if a length is wrong.
func ProjectTo(phi, w, x []float64, n int, accepts func(x []float64) error) {
	if len(phi) != n || n*len(x) != len(w) {
		panic(check.BadLength)
	}
	if accepts(x) != nil {
		FillNaN(phi)
		return
	}
	vec.MatVec(phi, w, x)
}

// FillNaN sets every element of v to NaN.
func FillNaN(v []float64) {
	for i := range v {
		v[i] = math.NaN()
	}
}

// Bilinear returns r.K a.
func Bilinear(k, r, a []float64) (v float64) {
	p := len(a)
	for i, ri := range r {
		v += ri * vec.Dot(k[i*p:(i+1)*p], a)
	}
	return v
}

// ProductVariance returns the variance of the product of two independent variables with means k1, k2 and variances v1,
// v2.
func ProductVariance(k1, v1, k2, v2 float64) float64 {
	return v1*v2 + v1*k2*k2 + v2*k1*k1
}

// TurnsTo writes W^T/(2 pi), d x n, into w. rows is W, n x d.
func TurnsTo(w, rows []float64, d int) {
	n := len(rows) / d
	for j := range n {
		for k := range d {
			w[k*n+j] = rows[j*d+k] / (2 * math.Pi)
		}
	}
}
