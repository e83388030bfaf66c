package thesis

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// factor is the upper triangular Cholesky factor R of a symmetric positive definite matrix A = R^T R of order n. It is
// updated when A changes by +-x x^T.
type factor struct {
	n int
	r []float64 // n x n, row-major; only the upper triangle is used
	x []float64 // scratch
}

func newFactor(n int) *factor {
	return &factor{n: n, r: make([]float64, n*n), x: make([]float64, n)}
}

// set factors A + shift I. a has the upper triangle of A, n x n. It returns false if a pivot is below 1e-13 times its
// diagonal element: then the factor must not be used.
func (f *factor) set(a []float64, shift float64) bool {
	n := f.n
	for i := range n {
		row := f.r[i*n : i*n+n]
		copy(row[i:], a[i*n+i:i*n+n])
		row[i] += shift
		diagonal := row[i]
		for k := range i {
			above := f.r[k*n : k*n+n]
			vec.Axpy(-above[i], above[i:], row[i:])
		}
		if !(row[i] > 1e-13*diagonal) {
			return false
		}
		inv := 1 / math.Sqrt(row[i])
		vec.Scale(inv, row[i:])
	}
	return true
}

// update sets A += x x^T.
func (f *factor) update(x []float64) { f.change(x, 1) }

// downdate sets A -= x x^T. It returns false if the result is not numerically positive definite: then the factor must
// not be used.
func (f *factor) downdate(x []float64) bool { return f.change(x, -1) }

// change applies rotations that make R and x triangular: circular ones for sign = 1, hyperbolic ones for sign = -1.
func (f *factor) change(x []float64, sign float64) bool {
	n := f.n
	w := f.x
	copy(w, x)
	for k := range n {
		row := f.r[k*n : k*n+n]
		old := row[k]
		square := old*old + sign*w[k]*w[k]
		if !(square > 1e-13*old*old) {
			return false
		}
		r := math.Sqrt(square)
		c, s := r/old, w[k]/old
		row[k] = r
		inv := 1 / c
		rest := row[k+1:]
		tail := w[k+1 : n][:len(rest)]
		for j, v := range tail {
			rj := (rest[j] + sign*s*v) * inv
			rest[j] = rj
			tail[j] = c*v - s*rj
		}
	}
	return true
}

// solve replaces b by A^-1 b.
func (f *factor) solve(b []float64) {
	n := f.n
	for k := range n { // solve R^T u = b
		row := f.r[k*n : k*n+n]
		b[k] /= row[k]
		vec.Axpy(-b[k], row[k+1:], b[k+1:n])
	}
	for k := n - 1; k >= 0; k-- { // solve R x = u
		row := f.r[k*n : k*n+n]
		b[k] = (b[k] - vec.Dot(row[k+1:], b[k+1:n])) / row[k]
	}
}
