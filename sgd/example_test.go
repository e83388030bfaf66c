package sgd_test

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/rates"
)

// A stream of noisy samples of a function of one variable, learnt by Algorithm
// 4: 16 blocks of 32 random frequencies, mini-batches of 8.
func ExampleDoublyStochastic() {
	const lambda = 1e-3
	features, err := orff.NewBlocks(16, 42, true, func(r random.Rand) (orff.Map, error) {
		f, err := orff.NewFourier(spectrum.Gaussian{Sigma: .3}, 1, 32, r)
		return orff.NewDecomposable(f, coupling.Identity(1)), err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	blocks := make([]sgd.Map, features.Blocks())
	for i := range blocks {
		blocks[i] = features.Block(i)
	}
	rate, err := rates.NewInverseTime(lambda, 1, 32)
	if err != nil {
		fmt.Println(err)
		return
	}
	learner, err := sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
		Blocks: blocks,
		Batch:  8,
		Lambda: lambda,
		Rate:   rate,
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	r := random.New(1)
	noise := make([]float64, 2)
	for range 16000 {
		x := 2*r.Uniform() - 1
		r.NormalsTo(noise)
		if learner.Learn([]float64{x}, []float64{math.Sin(3*x) + .1*noise[0]}) {
			fmt.Println("all blocks in use at step", learner.Steps())
		}
	}

	y := make([]float64, 1)
	for _, x := range []float64{-.5, .2, .5} {
		learner.PredictTo(y, []float64{x})
		fmt.Printf("f(%4.1f) = %5.1f, truth %5.1f\n", x, y[0], math.Sin(3*x))
	}
	// Output:
	// all blocks in use at step 17
	// f(-0.5) =  -1.0, truth  -1.0
	// f( 0.2) =   0.6, truth   0.6
	// f( 0.5) =   1.0, truth   1.0
}
