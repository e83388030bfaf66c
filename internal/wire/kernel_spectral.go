package wire

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// Shift-invariant kernels. Their scales make them decay to a similar value at distance 1, the median distance.

func gaussian(k config.Kernel, _ int) spectrum.Spectrum {
	return spectrum.Gaussian{Sigma: parameterOr(k, 1)}
}

// A difference with l2 norm 1 has an l1 norm of about sqrt(2 in/pi).
func laplacian(k config.Kernel, in int) spectrum.Spectrum {
	return spectrum.Laplacian{Gamma: parameterOr(k, 1/math.Sqrt(float64(in)))}
}

// The curvature at 0 equals that of the Gaussian kernel.
func sinc(k config.Kernel, _ int) spectrum.Spectrum {
	return spectrum.Sinc{A: parameterOr(k, math.Sqrt(3))}
}

func matern(k config.Kernel, _ int) spectrum.Spectrum {
	var n int // 32 for smoothness 3/2 = 1 + 1/2
	if _, err := fmt.Sscanf(k.Name, "matern%d", &n); err != nil {
		panic("build: " + k.Name + " is no Matérn kernel") // the table has no other name
	}
	return spectrum.Matern{Half: n / 20, Ell: parameterOr(k, 1)}
}

// maternNames returns matern12, matern32, … for the smoothness n + 1/2 with n from first to last.
func maternNames(first, last int) []string {
	var names []string
	for half := first; half <= last; half++ {
		names = append(names, fmt.Sprintf("matern%d2", 2*half+1))
	}
	return names
}

// spectralFeatures draws features by the method of model.kernel.sampling.
func spectralFeatures(row kernelRow, k config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error) {
	s, _ := samplingNamed(k.Sampling) // none draws nothing
	if s.draw == nil {
		return nil, fmt.Errorf("model.kernel.sampling: %q cannot draw the frequencies of %s", k.Sampling, k.Name)
	}
	return s.draw(k, row.spectrum(k, in), in, draws, r)
}
