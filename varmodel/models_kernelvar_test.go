package varmodel

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/penalties"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/kernel"
)

// divergenceMap draws D frequencies of the divergence-free kernel.
func divergenceMap(dim, D int) func(random.Rand) (orff.Map, error) {
	return func(r random.Rand) (orff.Map, error) {
		return vectorfield.NewDivergenceFree(1, dim, D, vectorfield.Bounded, false, r)
	}
}

// The contract of all models (model_test.go) holds for these as well.
func kernelVARModel(cfg kernel.VARConfig) func(d, h int) (eval.Model, error) {
	return func(d, h int) (eval.Model, error) {
		c := cfg
		c.Dim, c.Horizon, c.Seed = d, h, 1
		check.SetDefault(&c.Order, 1)
		if c.Map == nil {
			c.Map = modeltest.GaussianMap(d, c.Order, 20, coupling.Identity(d))
		}
		return kernel.NewVAR(c)
	}
}

func init() {
	huber, err := losses.NewHuber(2)
	if err != nil {
		panic(err)
	}
	models["kernelvar"] = kernelVARModel(kernel.VARConfig{Order: 2, Blocks: 2})
	models["kernelvar-plain"] = kernelVARModel(kernel.VARConfig{Step: kernel.PlainSteps, Decay: rates.DecayAll, Average: true, Loss: huber})
	models["kernelvar-adagrad"] = kernelVARModel(kernel.VARConfig{Step: kernel.AdaGradSteps, Decay: rates.DecayBlock, Blocks: 3})
	models["kernelvar-correlations"] = kernelVARModel(kernel.VARConfig{Step: kernel.PlainSteps, Gamma: kernel.LearntGamma{From: kernel.Correlations}})
	models["kernelvar-graph"] = kernelVARModel(kernel.VARConfig{Step: kernel.PlainSteps, Gamma: kernel.LearntGamma{From: kernel.CorrelationGraph}})
	models["kernelvar-residuals"] = kernelVARModel(kernel.VARConfig{Step: kernel.AdaGradSteps, Gamma: kernel.LearntGamma{From: kernel.ResidualGamma}})
	models["kernelvar-curl"] = func(d, h int) (eval.Model, error) {
		return kernel.NewVAR(kernel.VARConfig{Dim: d, Order: 1, Horizon: h, Map: modeltest.CurlMap(d, 20), Blocks: 2, Seed: 1})
	}
	models["kernelvar-divergence"] = func(d, h int) (eval.Model, error) {
		return kernel.NewVAR(kernel.VARConfig{Dim: d, Order: 1, Horizon: h, Map: divergenceMap(d, 10), Seed: 1, Step: kernel.PlainSteps})
	}
	models["kernelvar-manifold"] = kernelVARModel(kernel.VARConfig{Step: kernel.PlainSteps, Manifold: .1})
	models["kernelvar-manifold-batches"] = kernelVARModel(kernel.VARConfig{Step: kernel.PlainSteps, Manifold: .1, ManifoldBatches: 3})
	models["kernelvar-warm"] = kernelVARModel(kernel.VARConfig{Step: kernel.AdaGradSteps, Blocks: 2, Warm: 30})
	models["kernelvar-redraw"] = kernelVARModel(kernel.VARConfig{Step: kernel.AdaGradSteps, Blocks: 3, Redraw: 5})
	models["kernelvar-grow"] = kernelVARModel(kernel.VARConfig{Blocks: 2, Grow: 3, MostBlocks: 4})
	models["kernelvar-grow-steered"] = kernelVARModel(kernel.VARConfig{Step: kernel.AdaGradSteps, Grow: 3, MostBlocks: 3, Average: true, Gamma: kernel.LearntGamma{From: kernel.ResidualGamma}})
	models["kernelvar-schur"] = func(d, h int) (eval.Model, error) {
		return kernel.NewVAR(kernel.VARConfig{Dim: d, Order: 1, Horizon: h, Map: modeltest.SchurMap(d, 4), Seed: 1, Step: kernel.AdaGradSteps})
	}
	models["kernelvar-sparse"] = func(d, h int) (eval.Model, error) {
		return kernel.NewVAR(kernel.VARConfig{
			Dim: d, Order: 1, Horizon: h, Seed: 1, Step: kernel.PlainSteps,
			Map: func(r random.Rand) (orff.Map, error) {
				f, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 20, r)
				return orff.NewDecomposable(f, coupling.Identity(d)), err
			},
			Proximal: penalties.GroupLasso{Columns: penalties.Columns{Inner: d, D: 20, Rows: true}, Mu: 1e-3},
		})
	}
}

// randomSeries is .7 x + sin(2 x_next) with noise .3: the least possible error is
// .09, and no linear model comes near it. Newton steps that remember 1600 samples
// of 103 features add 2 x 103/1600 of it, and what 50 frequencies cannot express.
// Of the slower steps is asserted what a linear model cannot do.
func TestKernelVARLearnsANonlinearSeries(t *testing.T) {
	const d = 2
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(23, 24)), 6000, d, 0)
	linear := modeltest.MeanSquaredError(t, newModel(t, "var", d, 1), x, 3000)
	for _, c := range []struct {
		name string
		most float64
		cfg  kernel.VARConfig
	}{
		{"newton", .125, kernel.VARConfig{}},
		{"plain", .8 * linear, kernel.VARConfig{Step: kernel.PlainSteps, Lambda: 1e-5, Rate: rates.Constant(.5)}},
		{"adagrad", .8 * linear, kernel.VARConfig{Step: kernel.AdaGradSteps, Lambda: 1e-5}},
		{"correlations", .8 * linear, kernel.VARConfig{Step: kernel.PlainSteps, Lambda: 1e-5, Rate: rates.Constant(.5), Gamma: kernel.LearntGamma{From: kernel.Correlations}}},
		{"graph", .8 * linear, kernel.VARConfig{Step: kernel.PlainSteps, Lambda: 1e-5, Rate: rates.Constant(.5), Gamma: kernel.LearntGamma{From: kernel.CorrelationGraph}}},
		{"residuals", .8 * linear, kernel.VARConfig{Step: kernel.PlainSteps, Lambda: 1e-5, Rate: rates.Constant(.5), Gamma: kernel.LearntGamma{From: kernel.ResidualGamma}}},
	} {
		c.cfg.Bandwidth, c.cfg.Map = .5, modeltest.GaussianMap(d, 1, 50, coupling.Identity(d))
		m, err := kernelVARModel(c.cfg)(d, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := modeltest.MeanSquaredError(t, m, x, 3000); !(got <= c.most) {
			t.Errorf("%s: error %.4f, want at most %.4f (VAR %.4f)", c.name, got, c.most, linear)
		}
	}
}
