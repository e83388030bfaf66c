package sgd_test

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd"
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
	rate, err := sgd.NewInverseTime(lambda, 1, 32)
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

	ridge, err := sgd.NewRidge(40, phi, y, []float64{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	grid, err := sgd.LambdaGrid(1, 1, y)
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

// All conditional quantiles of y given x at once. The noise grows with x, and so
// does the distance between the quantiles.
func ExampleQuantile() {
	r := random.New(3)
	inputs, err := orff.NewFourier(spectrum.Gaussian{Sigma: .5}, 1, 20, r)
	if err != nil {
		fmt.Println(err)
		return
	}
	levels, frequency := orff.FourierOf([]float64{.5, 1, 2, 4}, 1), []float64{.5, 1, 2, 4}

	var b sgd.QuantileBatch
	noise := make([]float64, 2)
	for range 2000 {
		x := []float64{r.Uniform()}
		r.NormalsTo(noise)
		b.PhiX = append(b.PhiX, make([]float64, inputs.Len())...)
		inputs.FeaturesTo(b.PhiX[len(b.PhiX)-inputs.Len():], x)
		b.Y = append(b.Y, (.2+x[0])*noise[0])
	}
	for s := range 30 {
		tau := (float64(s) + .5) / 30
		phi, slope := make([]float64, 8), make([]float64, 8)
		levels.FeaturesTo(phi, []float64{tau})
		for j, w := range frequency { // derivative of [cos; sin]
			slope[j], slope[4+j] = -w*phi[4+j], w*phi[j]
		}
		b.Tau = append(b.Tau, tau)
		b.PhiT = append(b.PhiT, phi...)
		b.DPhiT = append(b.DPhiT, slope...)
	}
	q, err := sgd.NewQuantile(sgd.QuantileConfig{
		InputFeatures: inputs.Len(), TauFeatures: 8, Crossing: 1, Lambda: 1e-5, Width: .01,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := q.Fit(b, sgd.LBFGS{Tolerance: 1e-5}); err != nil {
		fmt.Println(err)
		return
	}

	phi, at, f := make([]float64, inputs.Len()), make([]float64, 16), make([]float64, 2)
	levels.FeaturesTo(at[:8], []float64{.1})
	levels.FeaturesTo(at[8:], []float64{.9})
	for _, x := range []float64{.2, .8} {
		inputs.FeaturesTo(phi, []float64{x})
		q.PredictTo(f, phi, at)
		fmt.Printf("x = %.1f: 80 %% of y lie within %.1f, truth %.1f\n", x, f[1]-f[0], 2*1.2816*(.2+x))
	}
	// Output:
	// x = 0.2: 80 % of y lie within 1.1, truth 1.0
	// x = 0.8: 80 % of y lie within 2.7, truth 2.6
}
