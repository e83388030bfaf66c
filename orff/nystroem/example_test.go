package nystroem_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// The features are exact on the landmarks.
func ExampleNew() {
	k := spectrum.Gaussian{Sigma: 1}
	f, err := nystroem.New(k, 1, []float64{0, 1, 3})
	if err != nil {
		panic(err)
	}
	a, b := make([]float64, f.Len()), make([]float64, f.Len())
	f.FeaturesTo(a, []float64{0})
	f.FeaturesTo(b, []float64{1})
	var dot float64
	for i := range a {
		dot += a[i] * b[i]
	}
	fmt.Printf("%.6f %.6f\n", dot, k.K0([]float64{1}))
	// Output: 0.606531 0.606531
}
