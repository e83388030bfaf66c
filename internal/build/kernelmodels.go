package build

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
	if err := config.CheckKernel(c, dim); err != nil {
		return nil, err
	}
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
			Map:    func(r orff.Rand) (orff.Map, error) { return NewMap(k, dim, in, 1, r) },
			Window: k.Window, Lambda: k.Lambda,
		})
	case "onorma":
		k.Linear = false // a linear kernel has no bound, and what is dropped of it is missed far away
		return varmodel.NewONORMA(varmodel.ONORMAConfig{
			Dim: dim, Order: c.Order, Horizon: c.Horizon, Seed: c.Seed, Inputs: inputs, Bandwidth: c.Bandwidth,
			Map:   func(r orff.Rand) (orff.Map, error) { return NewMap(k, dim, in, 1, r) },
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
		Map:    func(r orff.Rand) (orff.Map, error) { return NewMap(k, dim, dim*c.Order, draws, r) },
		Blocks: o.Blocks, Batch: o.Batch, Lambda: k.Lambda, Loss: loss, Clip: o.Clip, Average: o.Average,
		Manifold: o.Manifold, Redraw: o.Redraw, Grow: o.Grow, MostBlocks: o.MostBlocks, Warm: o.Warm,
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
	switch o.Solver {
	case "ridge":
		cfg.Solver = varmodel.RidgeSolver
	case "cg":
		cfg.Solver = varmodel.CGSolver
	case "lbfgs":
		cfg.Solver = varmodel.LBFGSSolver
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
			columns.Rows = true
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
		theta := 1 / OrDefault(k.Lambda, 1e-3)
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

// NewMap makes the map of an operator-valued kernel of bandwidth 1 from in inputs
// to dim outputs, with D draws.
func NewMap(k config.Kernel, dim, in, draws int, r orff.Rand) (orff.Map, error) {
	m, err := newOperator(k, dim, in, draws, r)
	if err != nil || !k.Linear || k.Operator.Name == "decomposable" {
		return m, err
	}
	l, err := orff.NewLinear(in, 1)
	if err != nil {
		return nil, err
	}
	return orff.NewSum([]float64{1, 1}, orff.NewDecomposable(l, orff.Identity(dim)), m)
}

func newOperator(k config.Kernel, dim, in, draws int, r orff.Rand) (orff.Map, error) {
	// P_1 P_2 weights: the number of draws is that of their product.
	root := max(int(math.Sqrt(float64(draws))), 1)
	switch k.Operator.Name {
	case "curl_free", "divergence_free", "helmholtz":
		return newField(k, in, draws, r)
	case "transformable":
		return newTransformable(k, dim, in, dim, draws, r)
	case "schur":
		out, err := newOutput(k.Operator, dim)
		if err != nil {
			return nil, err
		}
		second := orff.BlockRand(r.Uint64(), 1)
		s, err := newScalar(k, in, root, r)
		if err != nil {
			return nil, err
		}
		each, err := newTransformable(k, dim, in, dim, root, second)
		if err != nil {
			return nil, err
		}
		return orff.NewSchur(orff.NewDecomposable(s, out), each)
	case "tensor":
		groups := k.Operator.Groups
		if groups < 1 || dim%groups != 0 {
			return nil, fmt.Errorf("model.kernel.operator.groups: must divide the %d variables, got %d", dim, groups)
		}
		each, err := newTransformable(k, dim, in, groups, draws, r)
		if err != nil {
			return nil, err
		}
		out, err := newOutput(k.Operator, dim/groups)
		if err != nil {
			return nil, err
		}
		constant, err := orff.NewKakade(orff.Coefficients{1}, orff.Rademacher, in, 1, r)
		if err != nil {
			return nil, err
		}
		return orff.NewTensor(each, orff.NewDecomposable(constant, out))
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

// newField makes the map of a Gaussian vector field. What is added to it is
// decomposable, what it is multiplied with scalar.
func newField(k config.Kernel, dim, draws int, r orff.Rand) (orff.Map, error) {
	second := orff.BlockRand(r.Uint64(), 1)
	form, sigma := orff.Bounded, OrDefault(k.Parameter, 1)
	if k.Operator.Form == "unbounded" {
		form = orff.Unbounded
	}
	of := draws
	if k.Times.Name != "" { // as of a product of scalars
		draws = max(int(math.Sqrt(float64(draws)/2)), 1)
		of = draws
	}
	curl, err := orff.NewCurlFree(sigma, dim, draws, form, r)
	if err != nil {
		return nil, err
	}
	var m orff.Map = curl
	if k.Operator.Name != "curl_free" {
		div, err := orff.NewDivergenceFree(sigma, dim, draws, form, k.Operator.Reduced, second)
		if err != nil {
			return nil, err
		}
		m = div
		if k.Operator.Name == "helmholtz" {
			if m, err = orff.NewHelmholtz(k.Operator.Mix, curl, div); err != nil {
				return nil, err
			}
		}
	}
	if k.Plus.Name != "" {
		s, err := newPart(k.Plus.Name, k.Plus.Parameter, dim, of, orff.BlockRand(r.Uint64(), 2))
		if err != nil {
			return nil, err
		}
		w := k.Plus.Weight
		if m, err = orff.NewSum([]float64{1 - w, w}, m, orff.NewDecomposable(s, orff.Identity(dim))); err != nil {
			return nil, err
		}
	}
	if k.Times.Name != "" {
		s, err := newPart(k.Times.Name, k.Times.Parameter, dim, of, orff.BlockRand(r.Uint64(), 3))
		if err != nil {
			return nil, err
		}
		return orff.NewProduct(s, m)
	}
	return m, nil
}

// newTransformable compares group i at x with group j at z, of equal numbers of
// neighbouring variables, by the lags of each.
func newTransformable(k config.Kernel, dim, in, groups, draws int, r orff.Rand) (*orff.Transformable, error) {
	order, size := in/dim, dim/groups
	each := order * size
	a := make([]float64, groups*each*in)
	for i := range groups {
		for l := range order {
			for j := range size {
				a[(i*each+l*size+j)*in+l*dim+i*size+j] = 1
			}
		}
	}
	psi, err := orff.NewLinearTransform(in, groups, each, a)
	if err != nil {
		return nil, err
	}
	s, err := newScalar(k, each, draws, r)
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
	case "positions":
		return positionsOutput(o, dim)
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

// positionsOutput is Gamma_ij = exp(-(p_i - p_j)^2/(2 length^2)): the integral
// kernel of functions of a position, on the grid of those of the variables.
func positionsOutput(o config.Operator, dim int) (orff.Output, error) {
	p := o.Positions
	if len(p) == 0 {
		for i := range dim {
			p = append(p, float64(i))
		}
	}
	if len(p) != dim {
		return orff.Output{}, fmt.Errorf("model.kernel.operator.positions: must have %d numbers, got %d", dim, len(p))
	}
	kernel := orff.Gaussian{Sigma: o.Length}
	gamma := make([]float64, dim*dim)
	for i := range dim {
		for j := range dim {
			gamma[i*dim+j] = kernel.K0([]float64{p[i] - p[j]})
		}
	}
	return orff.NewOutput(dim, gamma)
}

// OrDefault is the parameter of a kernel.
func OrDefault(v, standard float64) float64 {
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
		return orff.Gaussian{Sigma: OrDefault(k.Parameter, 1)}, nil
	case "laplacian": // the l1 norm of a difference of length 1 is about sqrt(2 in/pi)
		return orff.Laplacian{Gamma: OrDefault(k.Parameter, 1/math.Sqrt(float64(in)))}, nil
	case "sinc": // the curvature at 0 is that of the Gaussian
		return orff.Sinc{A: OrDefault(k.Parameter, math.Sqrt(3))}, nil
	}
	if half := config.MaternHalf(k.Name); half >= 0 {
		return orff.Matern{Half: half, Ell: OrDefault(k.Parameter, 1)}, nil
	}
	return nil, fmt.Errorf("model.kernel.name: %s is no kernel of differences", k.Name)
}

// newScalar makes the features of a scalar kernel of bandwidth 1, of which others
// may be a part.
func newScalar(k config.Kernel, in, draws int, r orff.Rand) (orff.Scalar, error) {
	each := draws
	if k.Times.Name != "" { // the features of a product are the products of all pairs
		each = max(int(math.Sqrt(float64(draws)/2)), 1)
	}
	rest := r
	if k.Plus.Name != "" || k.Times.Name != "" {
		rest = orff.BlockRand(r.Uint64(), 1)
	}
	s, err := newSingle(k, in, each, r)
	if err == nil && k.Plus.Name != "" {
		var other orff.Scalar
		if other, err = newPart(k.Plus.Name, k.Plus.Parameter, in, each, orff.BlockRand(rest.Uint64(), 1)); err == nil {
			s, err = orff.NewScalarSum([]float64{1 - k.Plus.Weight, k.Plus.Weight}, s, other)
		}
	}
	if err == nil && k.Times.Name != "" {
		var other orff.Scalar
		if other, err = newPart(k.Times.Name, k.Times.Parameter, in, each, orff.BlockRand(rest.Uint64(), 1)); err == nil {
			s, err = orff.NewScalarProduct(s, other)
		}
	}
	return s, err
}

// newPart makes a second kernel.
func newPart(name string, parameter float64, in, draws int, r orff.Rand) (orff.Scalar, error) {
	return newSingle(config.Kernel{Name: name, Parameter: parameter, Sampling: "iid"}, in, draws, r)
}

// newSingle makes the features of a kernel of one part.
func newSingle(k config.Kernel, in, draws int, r orff.Rand) (orff.Scalar, error) {
	switch k.Name {
	case "skewed_chi2":
		c := make([]float64, in)
		for i := range c {
			c[i] = OrDefault(k.Parameter, .1)
		}
		return orff.NewSkewedChiSquared(c, draws, r)
	case "angular":
		return orff.NewAngular(in, 2*draws, r)
	case "polynomial", "exponential", "dot_product":
		series := orff.Coefficients(k.Coefficients)
		switch k.Name {
		case "polynomial":
			series = orff.Polynomial(1, int(OrDefault(k.Parameter, 2)))
		case "exponential":
			var err error
			if series, err = orff.Truncate(orff.Exponential{}, 1, 1e-3); err != nil {
				return nil, err
			}
		}
		if k.Sampling == "kakade" {
			return orff.NewKakade(series, orff.Rademacher, in, 2*draws, r)
		}
		law, err := orff.Restricted(series, 1)
		if err != nil {
			return nil, err
		}
		return orff.NewMaclaurin(series, law, orff.Rademacher, in, 2*draws, r)
	case "compositional":
		inner := orff.Gaussian{Sigma: OrDefault(k.Parameter, 1)}
		if len(k.Coefficients) == 0 {
			return orff.NewCompositional(orff.Exponential{}, orff.Geometric{P: 2}, inner, in, 2*draws, r)
		}
		series := orff.Coefficients(k.Coefficients)
		law, err := orff.Restricted(series, 1)
		if err != nil {
			return nil, err
		}
		return orff.NewCompositional(series, law, inner, in, 2*draws, r)
	case "semigroup_exponential":
		return orff.NewSemigroup(orff.ExponentialSemigroup, OrDefault(k.Parameter, 1), in, 2*draws, r)
	case "semigroup_reciprocal":
		return orff.NewSemigroup(orff.ReciprocalSemigroup, OrDefault(k.Parameter, 1), in, 2*draws, r)
	}
	spectrum, err := newSpectrum(k, in)
	if err != nil {
		return nil, err
	}
	sigma := OrDefault(k.Parameter, 1)
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
