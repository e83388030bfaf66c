package ridge

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
)

// LearnOutput minimises, over the weights H and over Gamma of trace p = Dims().Out,
//
//	1/(2n) sum_i ||H phi(x_i) - y_i||^2 + lambda/2 tr(H^T Gamma^-1 H)
//
// which is jointly convex. Each round solves for H, then sets Gamma = p S / tr S with
// S = (H H^T + epsilon I)^(1/2) (Argyriou, Evgeniou and Pontil 2008). LearnOutput returns the map with the
// last Gamma, and its theta. m is not changed.
func LearnOutput(m *orff.Decomposable, x, y []float64, lambda float64, rounds int) (*orff.Decomposable, []float64, error) {
	for range rounds {
		theta, err := Solve(m, x, y, lambda)
		if err != nil {
			return nil, nil, err
		}
		gamma, err := outputOf(m, theta)
		if err != nil {
			return nil, nil, err
		}
		m = orff.NewDecomposable(m.Scalar(), gamma)
	}
	theta, err := Solve(m, x, y, lambda)
	return m, theta, err
}

// outputOf returns the next Gamma for the weights H = B Theta, where m has Gamma = B B^T.
func outputOf(m *orff.Decomposable, theta []float64) (gamma coupling.Operator, err error) {
	p, inner := m.Output().Dims()
	var h, hh mat.Dense
	h.Mul(mat.NewDense(p, inner, m.Output().Factor()), mat.NewDense(inner, m.Scalar().Len(), theta))
	hh.Mul(&h, h.T())
	sym := mat.NewSymDense(p, nil)
	for i := range p {
		for j := range i + 1 {
			sym.SetSym(i, j, hh.At(i, j))
		}
	}
	epsilon := 1e-6 * mat.Trace(sym) / float64(p)
	var eigen mat.EigenSym
	if !eigen.Factorize(sym, true) {
		return gamma, errors.New("ridge: the weights are not finite")
	}
	var u, s mat.Dense
	eigen.VectorsTo(&u)
	values := eigen.Values(nil)
	for k, v := range values {
		values[k] = math.Sqrt(max(v, 0) + epsilon)
	}
	s.Product(&u, mat.NewDiagDense(p, values), u.T())
	s.Scale(float64(p)/floats.Sum(values), &s)
	return coupling.New(p, s.RawMatrix().Data)
}
