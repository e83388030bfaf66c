package ridge_test

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/ridge"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// A sine is learnt from 40 points, with 50 random features of a Gaussian kernel.
func ExampleSolve() {
	scalar, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, 50, random.New(1))
	if err != nil {
		panic(err)
	}
	m := orff.NewDecomposable(scalar, coupling.Identity(1))
	x, y := make([]float64, 40), make([]float64, 40)
	for i := range x {
		x[i] = float64(i) / 8
		y[i] = math.Sin(x[i])
	}
	theta, err := ridge.Solve(m, x, y, 1e-6)
	if err != nil {
		panic(err)
	}
	h := make([]float64, 1)
	ridge.PredictTo(h, m, theta, []float64{math.Pi / 2})
	fmt.Printf("%.2f\n", h[0])
	// Output: 1.00
}
