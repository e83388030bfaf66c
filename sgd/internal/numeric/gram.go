package numeric

import "gonum.org/v1/gonum/mat"

// Gram returns the eigenvalues g and the eigenvectors V, one per column, of B^T B
// for B of p rows and inner columns.
func Gram(b []float64, p, inner int) (g, v []float64) {
	var sym mat.SymDense
	sym.SymOuterK(1, mat.NewDense(p, inner, b).T())
	var eig mat.EigenSym
	if !eig.Factorize(&sym, true) {
		panic("sgd: no eigenvalues: the output operator is not finite")
	}
	var q mat.Dense
	eig.VectorsTo(&q)
	g = eig.Values(nil)
	for k := range g {
		g[k] = max(0, g[k]) // but for rounding
	}
	return g, q.RawMatrix().Data
}
