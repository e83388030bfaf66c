package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/kernel"
	"github.com/orffvar/forecaster/varmodel/units"
)

// The contract of all models (model_test.go) holds for these as well.
func init() {
	models["ngrc"] = func(d, h int) (eval.Model, error) {
		return NewNGRC(NGRCConfig{Dim: d, Order: 2, Horizon: h})
	}
	models["ngrc-cubic"] = func(d, h int) (eval.Model, error) {
		return NewNGRC(NGRCConfig{Dim: d, Order: 1, Horizon: h, Degree: 3})
	}
	models["krls"] = func(d, h int) (eval.Model, error) {
		return kernel.NewKRLS(kernel.KRLSConfig{Dim: d, Order: 2, Horizon: h, Seed: 1, Features: modeltest.GaussianFeatures(2*d, 20)})
	}
	models["krls-coupled"] = func(d, h int) (eval.Model, error) {
		return kernel.NewKRLS(kernel.KRLSConfig{Dim: d, Order: 1, Horizon: h, Seed: 1, Features: modeltest.GaussianFeatures(d, 20), Output: modeltest.Coupled(d), NoLinear: true})
	}
	models["krls-ranged"] = func(d, h int) (eval.Model, error) {
		return kernel.NewKRLS(kernel.KRLSConfig{Dim: d, Order: 1, Horizon: h, Seed: 1, Inputs: units.Ranged, Features: func(r random.Rand) (orff.Scalar, error) {
			c := make([]float64, d)
			for i := range c {
				c[i] = 1
			}
			return orff.NewSkewedChiSquared(c, 20, r)
		}})
	}
	models["nystroem"] = func(d, h int) (eval.Model, error) {
		return kernel.NewNystroem(kernel.NystroemConfig{KRLSConfig: kernel.KRLSConfig{Dim: d, Order: 1, Horizon: h, Seed: 1}, Spectrum: spectrum.Gaussian{Sigma: 1}, Landmarks: 30})
	}
	models["okvar"] = func(d, h int) (eval.Model, error) {
		return kernel.NewOKVAR(kernel.OKVARConfig{Dim: d, Order: 2, Horizon: h, Window: 20, Every: 10, Map: modeltest.GaussianMap(d, 2, 1, modeltest.Coupled(d))})
	}
	models["onorma"] = func(d, h int) (eval.Model, error) {
		return kernel.NewONORMA(kernel.ONORMAConfig{Dim: d, Order: 1, Horizon: h, Terms: 30, Map: modeltest.GaussianMap(d, 1, 1, modeltest.Coupled(d))})
	}
	models["okvar-schur"] = func(d, h int) (eval.Model, error) {
		return kernel.NewOKVAR(kernel.OKVARConfig{Dim: d, Order: 1, Horizon: h, Window: 20, Every: 10, Map: modeltest.SchurMap(d, 1)})
	}
	differentiables = append(differentiables, "ngrc", "ngrc-cubic", "krls", "krls-coupled", "krls-ranged", "nystroem", "okvar", "okvar-schur", "onorma")
}
