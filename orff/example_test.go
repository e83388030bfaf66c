package orff_test

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

// A map, its prediction and one step down the gradient of half the squared error.
func Example() {
	features, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 2, 50, random.Block(42, 1))
	if err != nil {
		panic(err)
	}
	var m orff.Map = orff.NewDecomposable(features, coupling.Identity(2))
	d := m.Dims()
	phi, theta := make([]float64, d.Features), make([]float64, d.Params)
	h, r := make([]float64, d.Out), make([]float64, d.Out)

	x, y := []float64{0.5, -1}, []float64{1, 2}
	m.FeaturesTo(phi, x)
	m.PredictTo(h, phi, theta)
	for i := range r {
		r[i] = h[i] - y[i]
	}
	m.AddGradient(theta, -0.5, phi, r) // ||phi|| = 1: half of the error is gone
	m.PredictTo(h, phi, theta)
	fmt.Printf("%.3f\n", h)
	// Output: [0.500 1.000]
}

// The same frequencies in blocks, as doubly stochastic descent visits them.
func ExampleNewBlocks() {
	blocks, err := orff.NewBlocks(4, 42, true, func(r random.Rand) (orff.Map, error) {
		features, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 2, 25, r)
		if err != nil {
			return nil, err
		}
		return orff.NewDecomposable(features, coupling.Identity(2)), nil
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(blocks.Blocks(), "blocks of", blocks.Block(0).Dims().Params, "weights")
	// Output: 4 blocks of 100 weights
}

// A curl-free prediction is a gradient: its Jacobian is symmetric.
func ExampleNewJacobian() {
	m, err := vectorfield.NewCurlFree(1, 2, 30, vectorfield.Bounded, random.Block(1, 1))
	if err != nil {
		panic(err)
	}
	a, err := orff.NewJacobian(m)
	if err != nil {
		panic(err)
	}
	theta := make([]float64, m.Dims().Params)
	for i := range theta {
		theta[i] = math.Sin(float64(i))
	}
	x, phi, j := []float64{0.3, 0.1}, make([]float64, m.Dims().Features), make([]float64, 4)
	m.FeaturesTo(phi, x)
	a.To(j, x, phi, theta)
	fmt.Println(math.Abs(j[1]-j[2]) < 1e-12)
	// Output: true
}

// A kernel says where it is defined.
func ExampleCheckInput() {
	m, err := orff.NewSkewedChiSquared([]float64{1, 1}, 10, random.New(1))
	if err != nil {
		panic(err)
	}
	fmt.Println(orff.CheckInput(m, []float64{0.5, -3}))
	// Output: orff: coordinate 2 must be > -1, got -3
}
