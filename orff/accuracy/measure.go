package accuracy

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"gonum.org/v1/gonum/mat"
)

// Measurement compares a map with its exact kernel on given points.
type Measurement struct {
	Points   int     // number of points
	Max      float64 // largest spectral norm of K~ - K over all pairs, the diagonal included
	Expected float64 // root mean square over the pairs of the Frobenius error, from the exact variance; NaN without a closed form
	RMS      float64 // root mean square over the pairs of the measured Frobenius error
	Ratio    float64 // Max/epsilon: at most 1 with probability 1-delta for a map planned entrywise

	RelativeFrobenius float64 // ||G~ - G||_F / ||G||_F of the block Gram matrices
	RelativeOperator  float64 // ||G~ - G|| / ||G|| in the operator norm
}

const (
	measuredPoints  = 500
	measuredOrder   = 2000 // largest order of the block Gram matrix
	powerIterations = 50
)

// Measure compares m with its exact kernel at the first rows of x, row-major with rows of length m.Dims().In. It uses
// at most 500 rows, and a block Gram matrix of order at most 2000. It returns an error if the kernel of m has no closed
// form. eps > 0 only scales Ratio.
func Measure(m orff.Map, x []float64, eps float64) (Measurement, error) {
	d := m.Dims()
	if len(x) == 0 || len(x)%d.In != 0 {
		return Measurement{}, fmt.Errorf("orff: Measure needs whole rows of %d coordinates, got %d numbers", d.In, len(x))
	}
	if err := check.Positive("epsilon", eps); err != nil {
		return Measurement{}, err
	}
	p := d.Out
	n := min(len(x)/d.In, measuredPoints, max(1, measuredOrder/p))
	at := func(i int) []float64 { return x[i*d.In : (i+1)*d.In] }
	for i := range n {
		if !numeric.Finite(at(i)) {
			return Measurement{}, fmt.Errorf("orff: row %d of the points is not finite", i+1)
		}
		if err := orff.CheckInput(m, at(i)); err != nil {
			return Measurement{}, fmt.Errorf("row %d: %w", i+1, err)
		}
	}

	phi := make([]float64, n*d.Features)
	for i := range n {
		m.FeaturesTo(phi[i*d.Features:(i+1)*d.Features], at(i))
	}
	out := Measurement{Points: n}
	g := mat.NewSymDense(n*p, nil) // G
	e := mat.NewSymDense(n*p, nil) // G~, then G~ - G
	exact, variance, block := make([]float64, p*p), make([]float64, p*p), make([]float64, p*p)
	theta, unit, y := make([]float64, d.Params), make([]float64, p), make([]float64, p)
	var sumSquares, sumVariance float64
	pairs := 0
	for j := range n {
		for k := range p {
			unit[k] = 1
			clear(theta)
			m.AddGradient(theta, 1, phi[j*d.Features:(j+1)*d.Features], unit)
			unit[k] = 0
			for i := range j + 1 {
				m.PredictTo(y, phi[i*d.Features:(i+1)*d.Features], theta)
				for l, v := range y {
					e.SetSym(i*p+l, j*p+k, v)
				}
			}
		}
	}
	for j := range n {
		for i := range j + 1 {
			orff.KernelTo(exact, m, at(i), at(j))
			if !numeric.Finite(exact) {
				return Measurement{}, fmt.Errorf("orff: the kernel of %T has no closed form", m)
			}
			optional.VarianceTo(variance, m, at(i), at(j))
			for l := range p {
				for k := range p {
					g.SetSym(i*p+l, j*p+k, exact[l*p+k])
					block[l*p+k] = e.At(i*p+l, j*p+k) - exact[l*p+k]
				}
				sumVariance += variance[l*p+l]
			}
			f := numeric.SquaredNorm(block)
			sumSquares += f
			pairs++
			if f > out.Max*out.Max { // the spectral norm is at most the Frobenius norm
				out.Max = max(out.Max, spectralNorm(block, p))
			}
		}
	}
	g.ScaleSym(-1, g)
	e.AddSym(e, g)
	out.RMS = math.Sqrt(sumSquares / float64(pairs))
	out.Expected = math.Sqrt(sumVariance / float64(pairs))
	out.Ratio = out.Max / eps
	out.RelativeFrobenius = mat.Norm(e, 2) / mat.Norm(g, 2)
	out.RelativeOperator = symmetricNorm(e) / symmetricNorm(g)
	return out, nil
}

func spectralNorm(a []float64, n int) float64 {
	if n == 1 {
		return math.Abs(a[0])
	}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(n, n, a), mat.SVDNone) {
		return math.NaN()
	}
	return svd.Values(nil)[0]
}

// symmetricNorm runs power iterations from a fixed start: a lower bound of the
// operator norm, close to it after 50 steps.
func symmetricNorm(a *mat.SymDense) float64 {
	n := a.SymmetricDim()
	x, y := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	r := random.New(1)
	r.NormalsTo(x.RawVector().Data)
	norm := 0.0
	for range powerIterations {
		length := math.Sqrt(vec.Dot(x.RawVector().Data, x.RawVector().Data))
		if length == 0 {
			return 0
		}
		x.ScaleVec(1/length, x)
		y.MulVec(a, x)
		norm = math.Sqrt(vec.Dot(y.RawVector().Data, y.RawVector().Data))
		x, y = y, x
	}
	return norm
}
