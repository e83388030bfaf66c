package wire

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/varmodel/kernel"
	"github.com/orffvar/forecaster/varmodel/units"
)

// ScaleOf returns the scale of the inputs of a kernel. A curl-free field depends on the units of the variables; a
// divergence-free field stays divergence-free in all units.
func ScaleOf(k config.Kernel) units.Scale {
	switch row, _ := operatorNamed(k.Operator.Name); {
	case isRanged(k):
		return units.Ranged
	case k.Inputs == "common" || row.field && k.Operator.Name != "divergence_free" && k.Inputs == "auto":
		return units.Common
	}
	return units.Standardised
}

// LawOf returns the law between the outputs of a kernel.
func LawOf(k config.Kernel) units.Law {
	switch row, _ := operatorNamed(k.Operator.Name); {
	case row.field && ScaleOf(k) == units.Standardised:
		return units.ScaledFieldLaw
	case row.field:
		return units.FieldLaw
	case k.Operator.Gamma == "simplex":
		return units.SumLaw
	}
	return units.NoLaw
}

func newOKVAR(c config.Model, dim int, _ sharing) (eval.Model, error) {
	k := c.Kernel
	return kernel.NewOKVAR(kernel.OKVARConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: ScaleOf(k), Law: LawOf(k), Bandwidth: c.Bandwidth,
		Map:    func(r random.Rand) (orff.Map, error) { return NewMap(k, dim, dim*c.Order, 1, r) },
		Window: k.Window, Lambda: k.Lambda,
	})
}

func newONORMA(c config.Model, dim int, _ sharing) (eval.Model, error) {
	k := c.Kernel
	k.Linear = false // a linear kernel is unbounded, so dropped terms matter far away
	loss, err := newLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	return kernel.NewONORMA(kernel.ONORMAConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: ScaleOf(k), Law: LawOf(k), Bandwidth: c.Bandwidth,
		Map:   func(r random.Rand) (orff.Map, error) { return NewMap(k, dim, dim*c.Order, 1, r) },
		Terms: k.Terms, Lambda: k.Lambda, Loss: loss,
	})
}

func krlsConfig(c config.Model, dim int) (kernel.KRLSConfig, error) {
	out, err := newOutput(c.Kernel.Operator, dim)
	return kernel.KRLSConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: ScaleOf(c.Kernel), Law: LawOf(c.Kernel), Bandwidth: c.Bandwidth,
		Output: out, NoLinear: !c.Kernel.Linear, Ridge: c.Ridge.Penalty(c.Forgetting), Forgetting: c.Forgetting,
	}, err
}

func newKRLS(c config.Model, dim int, _ sharing) (eval.Model, error) {
	cfg, err := krlsConfig(c, dim)
	if err != nil {
		return nil, err
	}
	cfg.Features = func(r random.Rand) (orff.Scalar, error) {
		return newScalar(c.Kernel, dim*c.Order, c.Frequencies, r)
	}
	return kernel.NewKRLS(cfg)
}

func newNystroem(c config.Model, dim int, _ sharing) (eval.Model, error) {
	cfg, err := krlsConfig(c, dim)
	if err != nil {
		return nil, err
	}
	row, _ := kernelNamed(c.Kernel.Name) // checkNystroem: the kernel is shift-invariant
	return kernel.NewNystroem(kernel.NystroemConfig{
		KRLSConfig: cfg, Spectrum: row.spectrum(c.Kernel, dim*c.Order), Landmarks: c.Kernel.Landmarks,
	})
}
