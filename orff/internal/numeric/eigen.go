package numeric

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// EigenSym returns the eigenvalues, ascending, and the eigenvectors of a symmetric p x p matrix. It returns an error if
// the matrix is not symmetric or not finite.
func EigenSym(p int, a []float64) ([]float64, *mat.Dense, error) {
	if p < 1 || len(a) != p*p {
		return nil, nil, fmt.Errorf("orff: a matrix of order %d needs %d numbers, got %d", p, p*p, len(a))
	}
	if !Finite(a) {
		return nil, nil, fmt.Errorf("orff: the matrix has a value that is not finite")
	}
	var top float64
	for _, v := range a {
		top = max(top, math.Abs(v))
	}
	s := mat.NewSymDense(p, nil)
	for i := range p {
		for j := range i + 1 {
			if math.Abs(a[i*p+j]-a[j*p+i]) > 1e-12*top {
				return nil, nil, fmt.Errorf("orff: the matrix is not symmetric at (%d, %d): %g and %g", i+1, j+1, a[i*p+j], a[j*p+i])
			}
			s.SetSym(i, j, (a[i*p+j]+a[j*p+i])/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return nil, nil, fmt.Errorf("orff: the eigendecomposition did not converge")
	}
	var u mat.Dense
	e.VectorsTo(&u)
	return e.Values(nil), &u, nil
}
