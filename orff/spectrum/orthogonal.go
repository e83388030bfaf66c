package spectrum

import (
	"math"

	"github.com/orffvar/forecaster/orff/random"
	"gonum.org/v1/gonum/mat"
)

// Orthogonal is the Gaussian kernel with frequencies that are orthogonal within groups of d (Yu et al. 2016,
// "Orthogonal random features"): W = S Q / Sigma, with Q Haar distributed and S diagonal with chi_d entries. It is
// unbiased, with a lower variance than independent frequencies. The exact variance is unknown (NaN).
type Orthogonal struct{ Sigma float64 }

func (k Orthogonal) gaussian() Gaussian { return Gaussian(k) }

// SampleTo draws the normal matrices of all groups, then one radius per frequency. It allocates.
func (k Orthogonal) SampleTo(w []float64, d int, r *random.Rand) {
	a := make([]float64, d*d)
	for rest := w; len(rest) > 0; {
		r.NormalsTo(a)
		q := haar(a, d)
		for i := 0; i < d && len(rest) > 0; i++ {
			for j := range d {
				rest[j] = q.At(i, j)
			}
			rest = rest[d:]
		}
	}
	for ; len(w) > 0; w = w[d:] {
		radius := math.Sqrt(r.ChiSquared(d)) / k.Sigma
		for j := range d {
			w[j] *= radius
		}
	}
}

// haar turns a normal matrix into a uniformly distributed orthogonal matrix: Q of its QR factorisation, with the signs
// that make the diagonal of R positive.
func haar(a []float64, d int) *mat.Dense {
	var qr mat.QR
	qr.Factorize(mat.NewDense(d, d, a))
	var q, r mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	for j := range d {
		if r.At(j, j) < 0 {
			for i := range d {
				q.Set(i, j, -q.At(i, j))
			}
		}
	}
	return &q
}

func (k Orthogonal) K0(delta []float64) float64 { return k.gaussian().K0(delta) }
func (k Orthogonal) Variance() float64          { return k.gaussian().Variance() }
func (k Orthogonal) Validate(d int) error       { return k.gaussian().Validate(d) }
func (k Orthogonal) Dependent()                 {}

func (k Orthogonal) SlopeTo(g, delta []float64) { k.gaussian().SlopeTo(g, delta) }
