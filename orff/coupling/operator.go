// Package coupling has the operators Gamma of decomposable kernels k(x, z) Gamma (package orff). Gamma couples the outputs.
// It is the identity, a given matrix, the inverse Laplacian of a graph (GraphGamma), a running Correlation, a matrix of low
// rank, or a simplex code of classes.
package coupling

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/numeric"
)

// Operator is the operator Gamma = B B^T of a decomposable kernel k(x, z) Gamma. Its entries couple the outputs. B is
// p x p', where p' is the rank of Gamma.
type Operator struct {
	p, inner int
	b        []float64 // p x p' row-major; nil: the identity
}

// Identity is Gamma = I: p outputs learnt independently.
func Identity(p int) Operator {
	if p < 1 {
		panic("orff: Identity needs p >= 1")
	}
	return Operator{p: p, inner: p}
}

// New factors a symmetric positive semidefinite Gamma, p x p row-major, by its eigendecomposition: B = U diag(sqrt(g))
// over the eigenvalues above 1e-12 times the largest. It returns an error if Gamma is zero or not finite, if its
// asymmetry exceeds 1e-12 times its largest entry, or if an eigenvalue is below -1e-10 times the largest.
func New(p int, gamma []float64) (Operator, error) {
	g, u, err := numeric.EigenSym(p, gamma)
	if err != nil {
		return Operator{}, err
	}
	top := g[p-1] // eigenvalues ascend
	if g[0] < -1e-10*math.Abs(top) || top <= 0 {
		return Operator{}, fmt.Errorf("orff: Gamma must be positive semidefinite and not zero, its eigenvalues lie in [%g, %g]", g[0], top)
	}
	first := 0
	for g[first] <= 1e-12*top {
		first++
	}
	o := Operator{p: p, inner: p - first, b: make([]float64, p*(p-first))}
	for i := range p {
		for k := range o.inner {
			o.b[i*o.inner+k] = u.At(i, first+k) * math.Sqrt(g[first+k])
		}
	}
	return o, nil
}

// LowRank keeps the q largest eigenvalues of a symmetric positive semidefinite Gamma, p x p row-major: 2Dq instead of 2Dp
// parameters. It returns the errors of New. If Gamma has fewer than q positive eigenvalues, p' is smaller than q.
func LowRank(p, q int, gamma []float64) (Operator, error) {
	if q < 1 || q > p {
		return Operator{}, fmt.Errorf("orff: the rank must lie in 1 … %d, got %d", p, q)
	}
	o, err := New(p, gamma)
	if err != nil || o.inner <= q {
		return o, err
	}
	b := make([]float64, p*q) // eigenvalues ascend: the last q columns
	for i := range p {
		copy(b[i*q:(i+1)*q], o.b[(i+1)*o.inner-q:(i+1)*o.inner])
	}
	return Operator{p: p, inner: q, b: b}, nil
}

// FromFactor returns Gamma = B B^T for a given B, p x inner row-major.
func FromFactor(p, inner int, b []float64) (Operator, error) {
	if p < 1 || inner < 1 || len(b) != p*inner {
		return Operator{}, fmt.Errorf("orff: B must be p x p' with p, p' >= 1, got %d x %d with %d numbers", p, inner, len(b))
	}
	if !numeric.Finite(b) {
		return Operator{}, fmt.Errorf("orff: B has a value that is not finite")
	}
	return Operator{p: p, inner: inner, b: append([]float64(nil), b...)}, nil
}

// Dims returns p and p'.
func (o Operator) Dims() (p, inner int) { return o.p, o.inner }

// IsIdentity reports whether the operator was made by Identity.
func (o Operator) IsIdentity() bool { return o.b == nil }

// Factor returns a copy of B, p x p' row-major.
func (o Operator) Factor() []float64 {
	if o.b != nil {
		return append([]float64(nil), o.b...)
	}
	b := make([]float64, o.p*o.p)
	for i := range o.p {
		b[i*o.p+i] = 1
	}
	return b
}

// Gamma returns B B^T, p x p row-major.
func (o Operator) Gamma() []float64 {
	b := o.Factor()
	g := make([]float64, o.p*o.p)
	for i := range o.p {
		for j := range o.p {
			g[i*o.p+j] = vec.Dot(b[i*o.inner:(i+1)*o.inner], b[j*o.inner:(j+1)*o.inner])
		}
	}
	return g
}
