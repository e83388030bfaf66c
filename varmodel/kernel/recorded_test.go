package kernel

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/penalties"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/interval"
	"github.com/orffvar/forecaster/varmodel/units"
)

// What each model says of a hostile series, with its influences, is that of a run which is saved and restored before every
// sample, and that of testdata/models.txt.
func TestModelsAsRecorded(t *testing.T) {
	const d, h = modeltest.HostileDim, 2
	huber, err := losses.NewHuber(2)
	if err != nil {
		t.Fatal(err)
	}
	coupled := modeltest.Coupled(d)
	frequencies := func(s spectrum.Spectrum) func(r random.Rand) (orff.Map, error) {
		return func(r random.Rand) (orff.Map, error) {
			f, err := orff.NewFourier(s, d, 10, r)
			return orff.NewDecomposable(f, coupling.Identity(d)), err
		}
	}
	builds := modeltest.Builds{
		"no influences": func() (eval.Model, error) { // the kernel has no derivative
			return NewVAR(VARConfig{Dim: d, Order: 1, Horizon: h, Seed: 3, Map: frequencies(spectrum.Laplacian{Gamma: 1})})
		},
	}
	add := func(name string, build func() (eval.Model, error)) {
		builds[name] = func() (eval.Model, error) {
			m, err := build()
			if err != nil {
				return nil, err
			}
			return interval.NewInfluence(m, d, 0)
		}
	}
	for name, c := range map[string]VARConfig{
		"newton":                 {Blocks: 2, Map: modeltest.GaussianMap(d, 1, 10, coupled)},
		"newton, batches of 3":   {Batch: 3, Forgetting: .98, Bandwidth: .5, Map: modeltest.CurlMap(d, 5)},
		"newton, two lags":       {Order: 2, Rate: rates.Constant(.05), Inputs: units.Ranged, Map: modeltest.GaussianMap(d, 2, 10, coupling.Identity(d))},
		"plain":                  {Step: PlainSteps, Decay: rates.DecayAll, Average: true, Loss: huber},
		"plain, coupled":         {Step: PlainSteps, Clip: .5, Lambda: .1, Map: modeltest.GaussianMap(d, 1, 10, coupled)},
		"plain, curl-free":       {Step: PlainSteps, Map: modeltest.CurlMap(d, 10)},
		"plain, sparse":          {Step: PlainSteps, Proximal: penalties.GroupLasso{Columns: penalties.Columns{Inner: d, D: 10, Rows: true}, Mu: 1e-3}, Map: frequencies(spectrum.Gaussian{Sigma: 1})},
		"adagrad":                {Step: AdaGradSteps, Decay: rates.DecayBlock, Blocks: 3, Epsilon: 1e-2},
		"adagrad, redrawn":       {Step: AdaGradSteps, Blocks: 3, Redraw: 5},
		"adagrad, growing":       {Step: AdaGradSteps, Grow: 3, MostBlocks: 3, Average: true, Gamma: LearntGamma{From: ResidualGamma}},
		"adagrad, Schur":         {Step: AdaGradSteps, Map: modeltest.SchurMap(d, 4)},
		"newton, growing":        {Blocks: 2, Grow: 4, MostBlocks: 4},
		"manifold":               {Step: PlainSteps, Manifold: .1},
		"manifold, batches":      {Step: PlainSteps, Manifold: .1, ManifoldBatches: 3},
		"correlations":           {Step: PlainSteps, Gamma: LearntGamma{From: Correlations, Decay: .99}},
		"correlation graph":      {Step: PlainSteps, Gamma: LearntGamma{From: CorrelationGraph, Shrink: .1}},
		"warm, closed form":      {Step: AdaGradSteps, Warm: 60},
		"warm, gradients":        {Step: AdaGradSteps, Blocks: 2, Warm: 60},
		"warm, chosen gradients": {Step: AdaGradSteps, Warm: 60, Solver: CGSolver},
		"warm, L-BFGS":           {Step: AdaGradSteps, Warm: 60, Loss: huber},
	} {
		add(name, func() (eval.Model, error) {
			c := c
			c.Dim, c.Horizon, c.Seed, c.Order = d, h, 1, max(c.Order, 1)
			if c.Map == nil {
				c.Map = modeltest.GaussianMap(d, 1, 10, coupling.Identity(d))
			}
			return NewVAR(c)
		})
	}
	for name, c := range map[string]KRLSConfig{
		"krls":              {Order: 2, Features: modeltest.GaussianFeatures(2*d, 10)},
		"krls, coupled":     {Features: modeltest.GaussianFeatures(d, 10), Output: coupled, NoLinear: true, Forgetting: .99},
		"krls, ridge of 10": {Features: modeltest.GaussianFeatures(d, 10), Ridge: 10, Bandwidth: 2},
	} {
		add(name, func() (eval.Model, error) {
			c := c
			c.Dim, c.Horizon, c.Seed, c.Order = d, h, 1, max(c.Order, 1)
			return NewKRLS(c)
		})
	}
	add("nystroem, defaults", func() (eval.Model, error) {
		return NewNystroem(NystroemConfig{KRLSConfig: KRLSConfig{Dim: d, Order: 1, Horizon: h}, Spectrum: spectrum.Gaussian{Sigma: 1}})
	})
	add("nystroem", func() (eval.Model, error) {
		return NewNystroem(NystroemConfig{KRLSConfig: KRLSConfig{Dim: d, Order: 1, Horizon: h, Seed: 1}, Spectrum: spectrum.Gaussian{Sigma: 1}, Landmarks: 20})
	})
	for name, c := range map[string]OKVARConfig{
		"okvar, defaults":        {Map: modeltest.GaussianMap(d, 1, 1, coupled)},
		"okvar":                  {Order: 2, Window: 20, Map: modeltest.GaussianMap(d, 2, 1, coupled)},
		"okvar, Schur":           {Window: 12, Every: 5, Lambda: .1, Map: modeltest.SchurMap(d, 1)},
		"okvar, other bandwidth": {Window: 15, Every: 7, Bandwidth: .5, Inputs: units.Ranged, Map: modeltest.GaussianMap(d, 1, 1, coupling.Identity(d))},
	} {
		add(name, func() (eval.Model, error) {
			c := c
			c.Dim, c.Horizon, c.Order = d, h, max(c.Order, 1)
			return NewOKVAR(c)
		})
	}
	for name, c := range map[string]ONORMAConfig{
		"onorma, defaults":        {Map: modeltest.GaussianMap(d, 1, 1, coupled)},
		"onorma":                  {Terms: 30, Map: modeltest.GaussianMap(d, 1, 1, coupled)},
		"onorma, other loss":      {Terms: 20, Lambda: .01, Rate: rates.Constant(.2), Loss: huber, Map: modeltest.GaussianMap(d, 1, 1, coupling.Identity(d))},
		"onorma, gradient fields": {Terms: 10, Map: modeltest.CurlMap(d, 1)},
	} {
		add(name, func() (eval.Model, error) {
			c.Dim, c.Horizon, c.Order = d, h, 1
			return NewONORMA(c)
		})
	}
	modeltest.CheckRecorded(t, "testdata/models.txt", h, 0, 320, builds)
}
