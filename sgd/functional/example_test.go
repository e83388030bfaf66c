package functional_test

import (
	"fmt"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/functional"
)

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

	var b functional.QuantileBatch
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
	q, err := functional.NewQuantile(functional.QuantileConfig{
		InputFeatures: inputs.Len(), TauFeatures: 8, Crossing: 1, Lambda: 1e-5, Width: .01,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := q.Fit(b, batch.LBFGS{Tolerance: 1e-5}); err != nil {
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
