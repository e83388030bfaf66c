package varmodel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/sgd"
)

// Weights of type float32 forecast what those of type float64 do: a step of
// normalised gradient is small beside the noise, and its rounding errors decay
// as the steps themselves do.
func TestSinglePrecisionAgrees(t *testing.T) {
	const dim, rows = 3, 3000
	rng := rand.New(rand.NewPCG(31, 31))
	for _, cfg := range []ORFFVARConfig{
		{Dim: dim, Order: 2, Horizon: 2, Seed: 1, Frequencies: 100},
		{Dim: dim, Order: 2, Horizon: 2, Seed: 1, Frequencies: 900}, // keeps blocks of steps
	} {
		cfg.Optimiser = NLMS
		double, err := NewORFFVAR(cfg)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Single = true
		single, err := NewORFFVAR(cfg)
		if err != nil {
			t.Fatal(err)
		}
		a, b := double.NewSeries(), single.NewSeries()
		y, fa, fb := make([]float64, dim), make([]float64, 2*dim), make([]float64, 2*dim)
		var sa, sb, worst float64
		for step := range rows {
			if a.ForecastTo(fa) && b.ForecastTo(fb) {
				for j := range fa {
					worst = max(worst, math.Abs(fa[j]-fb[j]))
				}
			}
			x := y[0]
			for j := range y {
				y[j] = math.Sin(2*x+float64(j)) + .1*rng.NormFloat64()
				sa += (y[j] - fa[j]) * (y[j] - fa[j])
				sb += (y[j] - fb[j]) * (y[j] - fb[j])
			}
			if a.Observe(y) != nil || b.Observe(y) != nil {
				t.Fatal(step)
			}
		}
		// 1e-4 of the size of the values; the noise is a tenth.
		if !(worst < 1e-4) {
			t.Errorf("%d frequencies: a forecast differs by %g", cfg.Frequencies, worst)
		}
		if math.Abs(sa/sb-1) > 1e-4 {
			t.Errorf("%d frequencies: sum of squared errors %g, in single precision %g", cfg.Frequencies, sa, sb)
		}
		t.Logf("%d frequencies: largest difference %.2g, sums of squared errors %.6g and %.6g", cfg.Frequencies, worst, sa, sb)
	}
}

// The features are those of a lagDesign, and so is what is learnt from them.
func TestInputDesignIsALagDesign(t *testing.T) {
	const dim, order, rows = 2, 2, 400
	rng := rand.New(rand.NewPCG(32, 32))
	cfg := ORFFVARConfig{Dim: dim, Order: order, Horizon: 1, Seed: 1, Frequencies: 30, Optimiser: NLMS, Step: .1}
	m, err := NewORFFVAR(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ref := &regression{dim: dim, horizon: 1, depth: order, design: newLagDesign(dim, order, true, newFourier(dim*order, 30, 1, 1, 1))}
	ref.learner, err = sgd.NewNLMS(sgd.NLMSConfig{Features: ref.features(), Outputs: dim, Step: .1})
	if err != nil {
		t.Fatal(err)
	}
	a, b := m.NewSeries(), ref.NewSeries()
	y, fa, fb := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for step := range rows {
		if a.ForecastTo(fa) != b.ForecastTo(fb) {
			t.Fatal(step)
		}
		for j := range fa {
			// Some hundred steps, each with some hundred roundings.
			if step > 0 && math.Abs(fa[j]-fb[j]) > 1e-11 {
				t.Fatalf("step %d: forecast %v, with features of its own %v", step, fa[j], fb[j])
			}
		}
		for j := range y {
			y[j] = .5*y[j] + rng.NormFloat64()
		}
		if a.Observe(y) != nil || b.Observe(y) != nil {
			t.Fatal(step)
		}
	}
}
