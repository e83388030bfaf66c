package wire

import (
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/semigroup"
)

func skewedChiSquared(k config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error) {
	c := make([]float64, in)
	for i := range c {
		c[i] = parameterOr(k, .1)
	}
	return orff.NewSkewedChiSquared(c, draws, r)
}

func angular(_ config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error) {
	return orff.NewAngular(in, 2*draws, r)
}

func semigroupExponential(k config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error) {
	return semigroup.New(semigroup.Exponential, parameterOr(k, 1), in, 2*draws, r)
}

func semigroupReciprocal(k config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error) {
	return semigroup.New(semigroup.Reciprocal, parameterOr(k, 1), in, 2*draws, r)
}
