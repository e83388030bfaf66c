package modeltest

import (
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

func GaussianFeatures(in, D int) func(random.Rand) (orff.Scalar, error) {
	return func(r random.Rand) (orff.Scalar, error) {
		return orff.NewFourier(spectrum.Gaussian{Sigma: 1}, in, D, r)
	}
}

// Coupled returns Gamma, dim x dim, with diagonal 1 and other elements .5. Its eigenvalues are 1 + .5 (dim-1) and .5.
func Coupled(dim int) coupling.Operator {
	gamma := make([]float64, dim*dim)
	for i := range gamma {
		gamma[i] = .5
		if i%(dim+1) == 0 {
			gamma[i] = 1
		}
	}
	out, err := coupling.New(dim, gamma)
	if err != nil {
		panic(err)
	}
	return out
}
