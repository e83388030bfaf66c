package sgd

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orffvar/forecaster/internal/vec"
)

// Metric is a feature map whose outputs are compared by the inner product <a,
// b> = a^T Sigma^-1 b instead of a^T b. The adjoint of Phi(x) is then Sigma
// Phi(x)^T (Brault 2017, Remark 6.2, which prints the inverse), hence
//
//	h(x) = Sigma Phi(x)^T theta.
//
// As a Map it works on whitened outputs, with Sigma = L L^T: it predicts L^-1
// h(x) = L^T Phi(x)^T theta, and the Euclidean loss of L^-1 y is the loss of y in
// the metric. So every learner of this package serves: give it targets from
// WhitenTo and turn its predictions into h by UnwhitenTo. A target with a missing
// coordinate cannot be whitened.
//
// It is not safe for concurrent use.
type Metric struct {
	m Map
	p int
	l []float64 // p x p lower triangle, row-major
	u []float64 // p
}

// NewMetric wraps m, of p outputs, for a symmetric positive definite Sigma, p x
// p row-major.
func NewMetric(m Map, p int, sigma []float64) (*Metric, error) {
	if p < 1 || len(sigma) != p*p {
		return nil, fmt.Errorf("sgd: metric needs p >= 1 and p*p numbers, got p = %d and %d numbers", p, len(sigma))
	}
	for i := range p {
		for j := range i {
			if math.Abs(sigma[i*p+j]-sigma[j*p+i]) > 1e-12*math.Sqrt(math.Abs(sigma[i*p+i]*sigma[j*p+j])) {
				return nil, fmt.Errorf("sgd: metric is not symmetric at (%d, %d)", i, j)
			}
		}
	}
	var chol mat.Cholesky
	if !finite(sigma) || !chol.Factorize(mat.NewSymDense(p, append([]float64(nil), sigma...))) {
		return nil, errors.New("sgd: metric is not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	k := &Metric{m: m, p: p, l: make([]float64, p*p), u: make([]float64, p)}
	for i := range p {
		for j := range i + 1 {
			k.l[i*p+j] = l.At(i, j)
		}
	}
	return k, nil
}

// FeaturesTo computes the features of the wrapped map.
func (k *Metric) FeaturesTo(phi, x []float64) { k.m.FeaturesTo(phi, x) }

// PredictTo sets y = L^T Phi(x)^T theta.
func (k *Metric) PredictTo(y, phi, theta []float64) {
	k.m.PredictTo(k.u, phi, theta)
	vec.MatTVec(y, k.l, k.u)
}

// AddGradient adds alpha Phi(x) L r to g.
func (k *Metric) AddGradient(g []float64, alpha float64, phi, r []float64) {
	k.UnwhitenTo(k.u, r)
	k.m.AddGradient(g, alpha, phi, k.u)
}

// WhitenTo sets w = L^-1 y. w may be y.
func (k *Metric) WhitenTo(w, y []float64) {
	if len(w) != k.p || len(y) != k.p {
		panic(badLength)
	}
	for i := range k.p {
		row := k.l[i*k.p : (i+1)*k.p]
		w[i] = (y[i] - vec.Dot(row[:i], w[:i])) / row[i]
	}
}

// UnwhitenTo sets y = L w. y must not be w.
func (k *Metric) UnwhitenTo(y, w []float64) { vec.MatVec(y, k.l, w) }
