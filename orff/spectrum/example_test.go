package spectrum_test

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// A kernel is the mean of cos(omega.delta) over its frequencies.
func ExampleSpectrum() {
	var k spectrum.Spectrum = spectrum.Gaussian{Sigma: 2}
	const n = 100000
	w, r := make([]float64, n), random.Block(1, 1)
	k.SampleTo(w, 1, &r)
	var mean float64
	for _, omega := range w {
		mean += math.Cos(omega*2) / n
	}
	fmt.Printf("%.1f %.1f\n", k.K0([]float64{2}), mean)
	// Output: 0.6 0.6
}
