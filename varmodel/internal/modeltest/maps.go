package modeltest

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

// GaussianMap returns a function that draws D frequencies of the decomposable Gaussian kernel with an exact linear part.
func GaussianMap(dim, order, D int, out coupling.Operator) func(random.Rand) (orff.Map, error) {
	return func(r random.Rand) (orff.Map, error) {
		f, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, dim*order, D, r)
		if err != nil {
			return nil, err
		}
		l, err := orff.NewLinear(dim*order, 1)
		if err != nil {
			return nil, err
		}
		s, err := algebra.NewScalarSum([]float64{1, 1}, l, f)
		if err != nil {
			return nil, err
		}
		return orff.NewDecomposable(s, out), nil
	}
}

// CurlMap returns a function that draws D frequencies of the curl-free kernel.
func CurlMap(dim, D int) func(random.Rand) (orff.Map, error) {
	return func(r random.Rand) (orff.Map, error) {
		return vectorfield.NewCurlFree(1, dim, D, vectorfield.Bounded, r)
	}
}

// SchurMap returns a function that draws D frequencies for each factor of the kernel of OKVAR.
func SchurMap(dim, D int) func(random.Rand) (orff.Map, error) {
	return func(r random.Rand) (orff.Map, error) {
		f, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, dim, D, r)
		if err != nil {
			return nil, err
		}
		one, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, D, random.Block(r.Uint64(), 1))
		if err != nil {
			return nil, err
		}
		each, err := algebra.NewTransformable(one, algebra.Coordinates(dim))
		if err != nil {
			return nil, err
		}
		return algebra.NewSchur(orff.NewDecomposable(f, coupling.Identity(dim)), each)
	}
}

// MeanSquaredError runs a model over x and returns the mean squared error of the one-step forecasts from row first on.
func MeanSquaredError(t testing.TB, m eval.Model, x [][]float64, first int) float64 {
	t.Helper()
	d := len(x[0])
	all := Record(t, m.NewSeries(), x, d)
	var s, n float64
	for i := first; i < len(x); i++ {
		for j, v := range all[i-1] {
			s += (v - x[i][j]) * (v - x[i][j])
			n++
		}
	}
	return s / n
}
