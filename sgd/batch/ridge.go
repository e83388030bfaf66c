package batch

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/internal/numeric"
)

// Ridge is the closed form of a decomposable model h(x) = B Theta phi(x)
// (Brault 2017, Algorithm 3, with the dimensions of its Stein equation
// corrected): in convention H
//
//	1/N B^T B Theta F^T F + lambda Theta = 1/N B^T Y^T F.
//
// One eigendecomposition serves all lambda and all outputs. With fewer samples
// than features F F^T is decomposed in place of F^T F/N.
type Ridge struct {
	inner, features int
	gain, basis     []float64 // B^T B = V diag(gain) V^T

	// Row k of V^T Theta is sum_c z_kc/(gain_k q_c + lambda) t_c, with rows t_c.
	q    []float64 // m eigenvalues >= 0
	z, t []float64 // p' x m, m x r
}

// NewRidge decomposes the problem of n samples: f has the scalar features, n x r, y the targets, n x p, and b is B, p x p'.
// It returns an error for values that are not finite. Objective accepts missing targets.
func NewRidge(n int, f, y, b []float64) (*Ridge, error) {
	if n < 1 || len(f) == 0 || len(y) == 0 || len(f)%n != 0 || len(y)%n != 0 {
		return nil, fmt.Errorf("sgd: ridge needs whole rows of features and targets, got %d and %d numbers for %d samples", len(f), len(y), n)
	}
	r, p := len(f)/n, len(y)/n
	if len(b) == 0 || len(b)%p != 0 {
		return nil, fmt.Errorf("sgd: ridge needs an output operator of %d rows, got %d numbers", p, len(b))
	}
	if !numeric.Finite(f) || !numeric.Finite(y) || !numeric.Finite(b) {
		return nil, errors.New("sgd: ridge needs finite features, targets and output operator")
	}
	inner := len(b) / p
	l := &Ridge{inner: inner, features: r}
	l.gain, l.basis = numeric.Gram(b, p, inner)

	features := mat.NewDense(n, r, f)
	var rotated mat.Dense // Y B V, N x p'
	rotated.Mul(mat.NewDense(n, p, y), mat.NewDense(p, inner, b))
	rotated.Mul(&rotated, mat.NewDense(inner, inner, l.basis))

	var sym mat.SymDense
	if n < r {
		sym.SymOuterK(1/float64(n), features) // F F^T / N
	} else {
		sym.SymOuterK(1/float64(n), features.T())
	}
	var eig mat.EigenSym
	if !eig.Factorize(&sym, true) || !numeric.Finite(eig.Values(nil)) { // large features overflow
		return nil, errors.New("sgd: ridge: the eigendecomposition of the features failed")
	}
	l.q = eig.Values(nil)
	for c, v := range l.q {
		l.q[c] = max(0, v) // negative only by rounding
	}
	var vectors, z, t mat.Dense
	eig.VectorsTo(&vectors)
	if n < r {
		z.Mul(rotated.T(), &vectors)
		t.Mul(vectors.T(), features)
	} else {
		z.Product(rotated.T(), features, &vectors)
		t.CloneFrom(vectors.T())
	}
	z.Scale(1/float64(n), &z)
	l.z, l.t = z.RawMatrix().Data, t.RawMatrix().Data
	return l, nil
}

// SolveTo writes Theta for the ridge lambda > 0 into theta, p' x r row-major: the layout of orff.Decomposable.
func (l *Ridge) SolveTo(theta []float64, lambda float64) error {
	p, m, r := l.inner, len(l.q), l.features
	if len(theta) != p*r {
		panic(numeric.BadLength)
	}
	if !(lambda > 0) || math.IsInf(lambda, 0) {
		return fmt.Errorf("sgd: ridge lambda must be > 0 and finite, got %g", lambda)
	}
	coefficients, rows := make([]float64, m), make([]float64, p*r) // V^T Theta
	for k, gain := range l.gain {
		for c, q := range l.q {
			coefficients[c] = l.z[k*m+c] / (gain*q + lambda)
		}
		vec.MatTVec(rows[k*r:(k+1)*r], l.t, coefficients)
	}
	clear(theta)
	vec.AddMatMul(theta, 1, l.basis, rows, p, r, p)
	return nil
}

// LambdaGrid returns nine values of lambda to try, a factor 10 apart, the
// largest first. With lambda ||h||^2 <= mean ||y_i||^2 = s2 (Brault 2017, Remark
// 6.1, with the square) and ||h(x)||^2 <= kappa ||h||^2, predictions as large as
// the largest target C can only be reached with lambda <= kappa s2/C^2; that is
// the first. kappa is ||K(x, x)||, y is N x p; missing targets count as 0. The
// error is returned when no target differs from 0.
func LambdaGrid(kappa float64, p int, y []float64) ([]float64, error) {
	if p < 1 || len(y)%p != 0 {
		panic(numeric.BadLength)
	}
	var sum, top float64
	for i := 0; i < len(y); i += p {
		var square float64
		for _, v := range y[i : i+p] {
			if !math.IsNaN(v) {
				square += v * v
			}
		}
		sum += square
		top = max(top, square)
	}
	first := kappa * sum / float64(len(y)/p) / top
	if !(first > 0) || math.IsInf(first, 0) {
		return nil, fmt.Errorf("sgd: no grid of lambda for kappa = %g and a largest squared target of %g", kappa, top)
	}
	grid := make([]float64, 9)
	for j := range grid {
		grid[j] = first * math.Pow(10, -float64(j))
	}
	return grid, nil
}
