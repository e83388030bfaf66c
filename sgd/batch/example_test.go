package batch_test

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/batch"
)

// One decomposition serves all values of lambda: choose it on held-out samples.
func ExampleRidge() {
	features, err := orff.NewFourier(spectrum.Gaussian{Sigma: .5}, 1, 50, random.New(7))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := orff.NewDecomposable(features, coupling.Identity(1))
	sample := func(n int, seed uint64) (phi, y []float64) {
		r := random.New(seed)
		noise := make([]float64, 2)
		for range n {
			x := 2*r.Uniform() - 1
			row := make([]float64, 100)
			m.FeaturesTo(row, []float64{x})
			phi = append(phi, row...)
			r.NormalsTo(noise)
			y = append(y, math.Sin(3*x)+.3*noise[0])
		}
		return phi, y
	}
	phi, y := sample(40, 1)
	test, target := sample(1000, 2)

	ridge, err := batch.NewRidge(40, phi, y, []float64{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	grid, err := batch.LambdaGrid(1, 1, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	theta, f := make([]float64, 100), make([]float64, 1)
	for _, lambda := range grid[:7] {
		if err := ridge.SolveTo(theta, lambda); err != nil {
			fmt.Println(err)
			return
		}
		var mse float64
		for i, v := range target {
			m.PredictTo(f, test[100*i:100*(i+1)], theta)
			mse += (f[0] - v) * (f[0] - v) / float64(len(target))
		}
		fmt.Printf("lambda %.0e: error %.3f\n", lambda, mse)
	}
	// Output:
	// lambda 2e-01: error 0.208
	// lambda 2e-02: error 0.102
	// lambda 2e-03: error 0.103
	// lambda 2e-04: error 0.118
	// lambda 2e-05: error 0.140
	// lambda 2e-06: error 0.163
	// lambda 2e-07: error 0.176
}
