package algebra_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// A linear part beside a Gaussian kernel: 0.5 <x, z> + 2 exp(-||x - z||^2/2).
func ExampleNewScalarSum() {
	linear, err := orff.NewLinear(1, 0)
	if err != nil {
		panic(err)
	}
	gaussian, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, 50, random.Block(1, 1))
	if err != nil {
		panic(err)
	}
	sum, err := algebra.NewScalarSum([]float64{0.5, 2}, linear, gaussian)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f with %d features\n", orff.Kernel(sum, []float64{3}, []float64{3}), sum.Len())
	// Output: 6.500 with 101 features
}
