package coupling

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"gonum.org/v1/gonum/mat"
)

// graphLaplacian returns L = diag(S 1) - S for symmetric weights S >= 0, p x p.
func graphLaplacian(p int, s []float64) ([]float64, error) {
	if p < 1 || len(s) != p*p {
		return nil, fmt.Errorf("orff: a graph of %d outputs needs %d weights, got %d", p, p*p, len(s))
	}
	l := make([]float64, p*p)
	for i := range p {
		for j := range p {
			w := s[i*p+j]
			if !(w >= 0) || w != s[j*p+i] {
				return nil, fmt.Errorf("orff: graph weights must be symmetric and >= 0, got %g and %g at (%d, %d)", w, s[j*p+i], i+1, j+1)
			}
			if i != j {
				l[i*p+j] -= w
				l[i*p+i] += w
			}
		}
	}
	return l, nil
}

// GraphGamma returns (L + eta I)^{-1}, p x p row-major, for the Laplacian L of a graph of p outputs with the symmetric
// weights S >= 0, p x p row-major. The norm of the kernel then penalises sum_{k<l} S_kl ||h_k - h_l||^2 and, with eta >
// 0, the mean over the outputs (Brault 2017, section 3.3.3). A usual eta is 0.1.
func GraphGamma(p int, s []float64, eta float64) ([]float64, error) {
	if err := check.Positive("eta of a graph", eta); err != nil {
		return nil, err
	}
	return graphInverse(p, s, func(g float64) float64 { return 1 / (g + eta) })
}

// GraphGammaCentred returns the pseudo-inverse of the Laplacian, p x p row-major. Every function of its space sums to
// zero over each connected component: use it only for targets that are centred across the outputs. A graph without
// edges gives a zero matrix, for which New returns an error.
func GraphGammaCentred(p int, s []float64) ([]float64, error) {
	return graphInverse(p, s, nil)
}

// graphInverse applies f to the eigenvalues of the Laplacian. f nil: the pseudo-inverse.
func graphInverse(p int, s []float64, f func(float64) float64) ([]float64, error) {
	l, err := graphLaplacian(p, s)
	if err != nil {
		return nil, err
	}
	g, u, err := numeric.EigenSym(p, l)
	if err != nil {
		return nil, err
	}
	if f == nil {
		zero := 1e-12 * g[p-1]
		f = func(v float64) float64 {
			if v <= zero {
				return 0
			}
			return 1 / v
		}
	}
	return spectralFunction(g, u, f), nil
}

// spectralFunction returns U diag(f(g)) U^T, exactly symmetric.
func spectralFunction(g []float64, u *mat.Dense, f func(float64) float64) []float64 {
	p := len(g)
	a := make([]float64, p*p)
	for k, v := range g {
		w := f(v)
		for i := range p {
			for j := range i + 1 {
				a[i*p+j] += w * u.At(i, k) * u.At(j, k)
			}
		}
	}
	for i := range p {
		for j := range i {
			a[j*p+i] = a[i*p+j]
		}
	}
	return a
}

// SimilarityGraph returns the weights S_kl = exp(-gamma ||y^k - y^l||) of a graph of p outputs, p x p row-major, where
// y^k is column k of y, n x p row-major. A pair uses the rows with both values, and its distance is scaled up to all
// rows. Outputs without a common row have the weight 0, and the diagonal is 0 (SARCOS, Brault 2017, section 6.4.1.2,
// where this matrix is called a Laplacian).
func SimilarityGraph(p int, y []float64, gamma float64) ([]float64, error) {
	if p < 1 || len(y)%p != 0 {
		return nil, fmt.Errorf("orff: a similarity graph needs whole rows of %d outputs, got %d numbers", p, len(y))
	}
	if err := check.Positive("gamma of a similarity graph", gamma); err != nil {
		return nil, err
	}
	n := len(y) / p
	s := make([]float64, p*p)
	for k := range p {
		for l := range k {
			var sum, shared float64
			for i := range n {
				if v := numeric.Square(y[i*p+k] - y[i*p+l]); !math.IsNaN(v) && !math.IsInf(v, 0) {
					sum += v
					shared++
				}
			}
			if shared > 0 {
				s[k*p+l] = math.Exp(-gamma * math.Sqrt(sum*float64(n)/shared))
				s[l*p+k] = s[k*p+l]
			}
		}
	}
	return s, nil
}
