package build

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/varmodel"
)

// scaleOf says how a kernel sees its inputs.
func scaleOf(k config.Kernel) varmodel.InputScale {
	if IsRanged(k) {
		return varmodel.Ranged
	}
	return varmodel.Standardised
}

func newOKVAR(c config.Model, dim int, _ bool) (eval.Model, error) {
	k := c.Kernel
	return varmodel.NewOKVAR(varmodel.OKVARConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: scaleOf(k), Bandwidth: c.Bandwidth,
		Map:    func(r orff.Rand) (orff.Map, error) { return NewMap(k, dim, dim*c.Order, 1, r) },
		Window: k.Window, Lambda: k.Lambda,
	})
}

func newONORMA(c config.Model, dim int, _ bool) (eval.Model, error) {
	k := c.Kernel
	k.Linear = false // a linear kernel has no bound, and what is dropped of it is missed far away
	loss, err := newLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	return varmodel.NewONORMA(varmodel.ONORMAConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: scaleOf(k), Bandwidth: c.Bandwidth,
		Map:   func(r orff.Rand) (orff.Map, error) { return NewMap(k, dim, dim*c.Order, 1, r) },
		Terms: k.Terms, Lambda: k.Lambda, Loss: loss,
	})
}

func krlsConfig(c config.Model, dim int) (varmodel.KRLSConfig, error) {
	out, err := newOutput(c.Kernel.Operator, dim)
	return varmodel.KRLSConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: scaleOf(c.Kernel), Bandwidth: c.Bandwidth,
		Output: out, NoLinear: !c.Kernel.Linear, Ridge: c.Ridge, Forgetting: c.Forgetting,
	}, err
}

func newKRLS(c config.Model, dim int, _ bool) (eval.Model, error) {
	cfg, err := krlsConfig(c, dim)
	if err != nil {
		return nil, err
	}
	cfg.Features = func(r orff.Rand) (orff.Scalar, error) {
		return newScalar(c.Kernel, dim*c.Order, c.Frequencies, r)
	}
	return varmodel.NewKRLS(cfg)
}

func newNystroem(c config.Model, dim int, _ bool) (eval.Model, error) {
	cfg, err := krlsConfig(c, dim)
	if err != nil {
		return nil, err
	}
	row, _ := kernelNamed(c.Kernel.Name) // checkNystroem: a kernel of differences
	return varmodel.NewNystroem(varmodel.NystroemConfig{
		KRLSConfig: cfg, Spectrum: row.spectrum(c.Kernel, dim*c.Order), Landmarks: c.Kernel.Landmarks,
	})
}
