package main

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/varmodel"
)

// newKernelModel makes a model that reads model.kernel.
func newKernelModel(c config.Model, dim int) (eval.Model, error) {
	k := c.Kernel
	in := dim * c.Order
	inputs := varmodel.Standardised
	if k.Inputs == "ranged" || k.Inputs == "auto" && k.IsPositive() {
		inputs = varmodel.Ranged
	}
	loss, err := newLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	switch c.Type {
	case "kernelvar":
		return newKernelVAR(c, dim, inputs, loss)
	case "okvar":
		return varmodel.NewOKVAR(varmodel.OKVARConfig{
			Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: inputs, Bandwidth: c.Bandwidth,
			Map:    func(r orff.Rand) (orff.Map, error) { return newMap(k, dim, in, 1, r) },
			Window: k.Window, Lambda: k.Lambda,
		})
	case "onorma":
		k.Linear = false // a linear kernel has no bound, and what is dropped of it is missed far away
		return varmodel.NewONORMA(varmodel.ONORMAConfig{
			Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: inputs, Bandwidth: c.Bandwidth,
			Map:   func(r orff.Rand) (orff.Map, error) { return newMap(k, dim, in, 1, r) },
			Terms: k.Terms, Lambda: k.Lambda, Loss: loss,
		})
	}
	out, err := newOutput(k.Operator, dim)
	if err != nil {
		return nil, err
	}
	krls := varmodel.KRLSConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: inputs, Bandwidth: c.Bandwidth,
		Output: out, NoLinear: !k.Linear, Ridge: c.Ridge, Forgetting: c.Forgetting,
	}
	if c.Type == "nystroem" {
		spectrum, err := newSpectrum(k, in)
		if err != nil {
			return nil, err
		}
		return varmodel.NewNystroem(varmodel.NystroemConfig{KRLSConfig: krls, Spectrum: spectrum, Landmarks: k.Landmarks})
	}
	krls.Features = func(r orff.Rand) (orff.Scalar, error) { return newScalar(k, in, c.Frequencies, r) }
	return varmodel.NewKRLS(krls)
}

func newKernelVAR(c config.Model, dim int, inputs varmodel.InputScale, loss sgd.Loss) (eval.Model, error) {
	k, o := c.Kernel, c.Optimiser
	draws := c.Frequencies / o.Blocks
	cfg := varmodel.KernelVARConfig{
		Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: inputs, Bandwidth: c.Bandwidth,
		Map:    func(r orff.Rand) (orff.Map, error) { return newMap(k, dim, dim*c.Order, draws, r) },
		Blocks: o.Blocks, Batch: o.Batch, Lambda: k.Lambda, Loss: loss, Clip: o.Clip, Average: o.Average,
		// A block is seen again after Batch*Blocks samples.
		Forgetting: min(math.Pow(c.Forgetting, float64(o.Batch*o.Blocks)), 1-1e-6),
	}
	if o.Decay == "block" {
		cfg.Decay = sgd.DecayBlock
	}
	switch o.Step {
	case "plain":
		cfg.Step = varmodel.PlainSteps
	case "adagrad":
		cfg.Step = varmodel.AdaGradSteps
	}
	switch k.Operator.Gamma {
	case "correlations":
		cfg.Gamma.From = varmodel.Correlations
	case "correlation_graph":
		cfg.Gamma.From = varmodel.CorrelationGraph
	case "residuals":
		cfg.Gamma.From = varmodel.ResidualGamma
	}
	if o.GroupLasso > 0 {
		columns := sgd.Columns{Inner: 1, D: draws}
		switch k.Operator.Name {
		case "decomposable":
			out, err := newOutput(k.Operator, dim)
			if err != nil {
				return nil, err
			}
			_, columns.Inner = out.Dims()
		case "divergence_free":
			columns.Inner = dim
		}
		cfg.Proximal = sgd.GroupLasso{Columns: columns, Mu: o.GroupLasso}
	}
	rate := o.Rate
	if rate == 0 {
		rate = 0.1
	}
	switch o.Schedule {
	case "constant":
		cfg.Rate = sgd.Constant(rate)
	case "inverse_time": // the first rate is the given one
		theta := 1 / orDefault(k.Lambda, 1e-3)
		cfg.Rate = sgd.InverseTime{Theta: theta, T0: max(theta/rate-1, 0)}
	case "inverse_scaling":
		cfg.Rate = sgd.InverseScaling{Gamma0: rate, Gamma1: 1, Power: o.Power}
	case "inverse_root":
		cfg.Rate = sgd.InverseRoot(rate)
	default:
		if o.Rate > 0 {
			cfg.Rate = sgd.Constant(rate)
		}
	}
	return varmodel.NewKernelVAR(cfg)
}

func newLoss(l config.Loss) (sgd.Loss, error) {
	switch l.Name {
	case "huber":
		c := l.Parameter
		if c == 0 {
			c = 1
		}
		return sgd.NewHuber(c)
	case "pinball":
		return sgd.NewPinball(l.Parameter)
	case "insensitive":
		return sgd.NewInsensitive(l.Parameter)
	}
	return sgd.Squared{}, nil
}

// newMap makes the map of an operator-valued kernel of bandwidth 1 from in inputs
// to dim outputs, with D draws.
func newMap(k config.Kernel, dim, in, draws int, r orff.Rand) (orff.Map, error) {
	linear := func(m orff.Map, err error) (orff.Map, error) {
		if err != nil || !k.Linear {
			return m, err
		}
		l, err := orff.NewLinear(in, 1)
		if err != nil {
			return nil, err
		}
		return orff.NewSum([]float64{1, 1}, orff.NewDecomposable(l, orff.Identity(dim)), m)
	}
	second := orff.BlockRand(r.Uint64(), 1)
	switch k.Operator.Name {
	case "curl_free":
		m, err := orff.NewCurlFree(1, in, draws, orff.Bounded, r)
		return linear(m, err)
	case "divergence_free":
		m, err := orff.NewDivergenceFree(1, in, draws, orff.Bounded, false, r)
		return linear(m, err)
	case "helmholtz":
		curl, err := orff.NewCurlFree(1, in, draws, orff.Bounded, r)
		if err != nil {
			return nil, err
		}
		div, err := orff.NewDivergenceFree(1, in, draws, orff.Bounded, false, second)
		if err != nil {
			return nil, err
		}
		m, err := orff.NewHelmholtz(k.Operator.Mix, curl, div)
		return linear(m, err)
	case "transformable":
		m, err := newTransformable(k, dim, in, draws, r)
		return linear(m, err)
	case "schur":
		// P_1 P_2 weights: the number of draws is that of their product.
		root := max(int(math.Sqrt(float64(draws))), 1)
		out, err := newOutput(k.Operator, dim)
		if err != nil {
			return nil, err
		}
		s, err := newScalar(k, in, root, r)
		if err != nil {
			return nil, err
		}
		each, err := newTransformable(k, dim, in, root, second)
		if err != nil {
			return nil, err
		}
		m, err := orff.NewSchur(orff.NewDecomposable(s, out), each)
		return linear(m, err)
	}
	out, err := newOutput(k.Operator, dim)
	if err != nil {
		return nil, err
	}
	s, err := newScalar(k, in, draws, r)
	if err != nil {
		return nil, err
	}
	if k.Linear {
		l, err := orff.NewLinear(in, 1)
		if err != nil {
			return nil, err
		}
		if s, err = orff.NewScalarSum([]float64{1, 1}, l, s); err != nil {
			return nil, err
		}
	}
	return orff.NewDecomposable(s, out), nil
}

// newTransformable compares output i at x with output j at z by the lags of
// variable i and of variable j.
func newTransformable(k config.Kernel, dim, in, draws int, r orff.Rand) (*orff.Transformable, error) {
	order := in / dim
	a := make([]float64, dim*order*in)
	for i := range dim {
		for l := range order {
			a[(i*order+l)*in+l*dim+i] = 1
		}
	}
	psi, err := orff.NewLinearTransform(in, dim, order, a)
	if err != nil {
		return nil, err
	}
	s, err := newScalar(k, order, draws, r)
	if err != nil {
		return nil, err
	}
	return orff.NewTransformable(s, psi)
}

// newOutput makes Gamma; one that is learnt starts as the identity.
func newOutput(o config.Operator, dim int) (orff.Output, error) {
	if n := len(o.Matrix); (o.Gamma == "matrix" || o.Gamma == "graph" || o.Gamma == "low_rank") && n != dim*dim {
		return orff.Output{}, fmt.Errorf("model.kernel.operator.matrix: must have %d x %d numbers for %d variables, got %d", dim, dim, dim, n)
	}
	switch o.Gamma {
	case "matrix":
		return orff.NewOutput(dim, o.Matrix)
	case "low_rank":
		return orff.LowRank(dim, o.Rank, o.Matrix)
	case "simplex":
		return orff.SimplexOutput(dim)
	case "graph":
		gamma, err := orff.GraphGammaCentred(dim, o.Matrix)
		if o.Eta > 0 {
			gamma, err = orff.GraphGamma(dim, o.Matrix, o.Eta)
		}
		if err != nil {
			return orff.Output{}, err
		}
		return orff.NewOutput(dim, gamma)
	}
	return orff.Identity(dim), nil
}

// orDefault is the parameter of a kernel.
func orDefault(v, standard float64) float64 {
	if v == 0 {
		return standard
	}
	return v
}

// newSpectrum makes a kernel of differences. The scales are such that all have
// decayed to a similar value at distance 1, the median.
func newSpectrum(k config.Kernel, in int) (orff.Spectrum, error) {
	switch k.Name {
	case "gaussian":
		return orff.Gaussian{Sigma: orDefault(k.Parameter, 1)}, nil
	case "laplacian": // the l1 norm of a difference of length 1 is about sqrt(2 in/pi)
		return orff.Laplacian{Gamma: orDefault(k.Parameter, 1/math.Sqrt(float64(in)))}, nil
	case "sinc": // the curvature at 0 is that of the Gaussian
		return orff.Sinc{A: orDefault(k.Parameter, math.Sqrt(3))}, nil
	case "matern12", "matern32", "matern52":
		return orff.Matern{Half: int(k.Name[6]-'1') / 2, Ell: orDefault(k.Parameter, 1)}, nil
	}
	return nil, fmt.Errorf("model.kernel.name: %s is no kernel of differences", k.Name)
}

// newScalar makes the features of a scalar kernel of bandwidth 1.
func newScalar(k config.Kernel, in, draws int, r orff.Rand) (orff.Scalar, error) {
	switch k.Name {
	case "skewed_chi2":
		c := make([]float64, in)
		for i := range c {
			c[i] = orDefault(k.Parameter, .1)
		}
		return orff.NewSkewedChiSquared(c, draws, r)
	case "angular":
		return orff.NewAngular(in, 2*draws, r)
	case "polynomial", "exponential":
		series := orff.Polynomial(1, int(orDefault(k.Parameter, 2)))
		if k.Name == "exponential" {
			var err error
			if series, err = orff.Truncate(orff.Exponential{}, 1, 1e-3); err != nil {
				return nil, err
			}
		}
		law, err := orff.Restricted(series, 1)
		if err != nil {
			return nil, err
		}
		return orff.NewMaclaurin(series, law, orff.Rademacher, in, 2*draws, r)
	case "compositional":
		return orff.NewCompositional(orff.Exponential{}, orff.Geometric{P: 2}, orff.Gaussian{Sigma: orDefault(k.Parameter, 1)}, in, 2*draws, r)
	case "semigroup_exponential":
		return orff.NewSemigroup(orff.ExponentialSemigroup, orDefault(k.Parameter, 1), in, 2*draws, r)
	case "semigroup_reciprocal":
		return orff.NewSemigroup(orff.ReciprocalSemigroup, orDefault(k.Parameter, 1), in, 2*draws, r)
	}
	spectrum, err := newSpectrum(k, in)
	if err != nil {
		return nil, err
	}
	sigma := orDefault(k.Parameter, 1)
	switch k.Sampling {
	case "phase":
		return orff.NewPhase(spectrum, in, 2*draws, r)
	case "orthogonal":
		spectrum = orff.Orthogonal{Sigma: sigma}
	case "sorf":
		return orff.NewSORF(sigma, in, draws, r)
	case "fastfood":
		return orff.NewFastfood(sigma, in, draws, r)
	case "halton":
		spectrum = orff.QuasiMonteCarlo{Spectrum: spectrum, Sequence: orff.Halton}
	case "sobol":
		spectrum = orff.QuasiMonteCarlo{Spectrum: spectrum, Sequence: orff.Sobol}
	}
	return orff.NewFourier(spectrum, in, draws, r)
}
