package wire

import (
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

func polynomial(k config.Kernel) (maclaurin.Coefficients, error) {
	return maclaurin.Polynomial(1, int(parameterOr(k, 2))), nil
}

func checkDegree(v *config.Checker, path string, p float64) {
	v.Need(p == float64(int(p)) && p <= 20, path, "is the degree of a polynomial, a whole number up to 20, got %v", p)
}

func exponential(config.Kernel) (maclaurin.Coefficients, error) {
	return maclaurin.Truncate(maclaurin.Exponential{}, 1, 1e-3)
}

func dotProduct(k config.Kernel) (maclaurin.Coefficients, error) { return k.Coefficients, nil }

// dotProductFeatures draws Maclaurin features. With sampling: kakade, each feature has all degrees.
func dotProductFeatures(row kernelRow, k config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error) {
	series, err := row.series(k)
	if err != nil {
		return nil, err
	}
	if k.Sampling == "kakade" {
		return maclaurin.NewKakade(series, maclaurin.Rademacher, in, 2*draws, r)
	}
	law, err := maclaurin.Restricted(series, 1)
	if err != nil {
		return nil, err
	}
	return maclaurin.New(series, law, maclaurin.Rademacher, in, 2*draws, r)
}

// compositional returns features of a power series, such as exp, of a Gaussian kernel.
func compositional(k config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error) {
	inner := spectrum.Gaussian{Sigma: parameterOr(k, 1)}
	if len(k.Coefficients) == 0 {
		return maclaurin.NewCompositional(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, inner, in, 2*draws, r)
	}
	series := maclaurin.Coefficients(k.Coefficients)
	law, err := maclaurin.Restricted(series, 1)
	if err != nil {
		return nil, err
	}
	return maclaurin.NewCompositional(series, law, inner, in, 2*draws, r)
}
