package config

import (
	"math/bits"
	"slices"
	"strings"
)

// Kernel is the operator-valued kernel of the models kernelvar, okvar, onorma,
// krls and nystroem.
type Kernel struct {
	Name      string  `yaml:"name"`
	Parameter float64 `yaml:"parameter"` // of the kernel; 0 = its default
	Sampling  string  `yaml:"sampling"`  // of the random features
	Inputs    string  `yaml:"inputs"`    // auto, standardised or ranged
	Linear    bool    `yaml:"linear"`    // add an exact linear part and a level

	Operator Operator `yaml:"operator"`

	Landmarks int     `yaml:"landmarks"` // of nystroem
	Window    int     `yaml:"window"`    // samples of okvar
	Terms     int     `yaml:"terms"`     // of onorma
	Degree    int     `yaml:"degree"`    // of ngrc
	Lambda    float64 `yaml:"lambda"`    // ridge of kernelvar, okvar and onorma; 0 = the model's own
}

// Operator is what makes a kernel operator-valued.
type Operator struct {
	Name   string    `yaml:"name"`
	Gamma  string    `yaml:"gamma"`  // of decomposable and schur
	Matrix []float64 `yaml:"matrix"` // Gamma, or the weights of the graph, row by row
	Rank   int       `yaml:"rank"`   // of low_rank
	Eta    float64   `yaml:"eta"`    // of graph; 0 = centred
	Mix    float64   `yaml:"mix"`    // of helmholtz: the part that is curl-free
}

// Loss is the loss of kernelvar and onorma.
type Loss struct {
	Name      string  `yaml:"name"`
	Parameter float64 `yaml:"parameter"`
}

// Optimiser is how kernelvar learns.
type Optimiser struct {
	Step       string  `yaml:"step"`     // newton, plain or adagrad
	Schedule   string  `yaml:"schedule"` // of the rate
	Rate       float64 `yaml:"rate"`     // its first value; 0 = default
	Power      float64 `yaml:"power"`    // of inverse_scaling
	Batch      int     `yaml:"batch"`    // samples a step
	Blocks     int     `yaml:"blocks"`   // of the frequencies, one a step
	Decay      string  `yaml:"decay"`    // all or block
	Clip       float64 `yaml:"clip"`     // of the gradient of a sample; 0 = default
	Average    bool    `yaml:"average"`
	GroupLasso float64 `yaml:"group_lasso"` // penalty on the norm of a frequency; 0 = none
}

func defaultKernel() Kernel {
	return Kernel{
		Name: "gaussian", Sampling: "iid", Inputs: "auto", Linear: true,
		Operator:  Operator{Name: "decomposable", Gamma: "identity", Eta: .1, Mix: .5},
		Landmarks: 50, Window: 100, Terms: 200, Degree: 2,
	}
}

func defaultOptimiser() Optimiser {
	return Optimiser{Step: "newton", Schedule: "auto", Power: .5, Batch: 8, Blocks: 1, Decay: "all"}
}

// kernelModels are the models that read model.kernel.
var kernelModels = []string{"kernelvar", "okvar", "onorma", "krls", "nystroem"}

// IsKernelModel reports whether a model reads model.kernel.
func IsKernelModel(name string) bool { return slices.Contains(kernelModels, name) }

// IsVectorField reports whether a kernel maps R^d to R^d.
func (o Operator) IsVectorField() bool {
	return slices.Contains([]string{"curl_free", "divergence_free", "helmholtz"}, o.Name)
}

// IsLearnt reports whether Gamma follows the stream.
func (o Operator) IsLearnt() bool {
	return slices.Contains([]string{"correlations", "correlation_graph", "residuals"}, o.Gamma)
}

// HasFrequencies reports whether the features of a kernel are those of a spectral
// measure: a cosine and a sine of each frequency.
func (k Kernel) HasFrequencies() bool {
	return slices.Contains([]string{"gaussian", "laplacian", "sinc", "matern12", "matern32", "matern52"}, k.Name)
}

// IsPositive reports whether a kernel is defined for inputs >= 0 alone.
func (k Kernel) IsPositive() bool {
	return slices.Contains([]string{"skewed_chi2", "semigroup_exponential", "semigroup_reciprocal"}, k.Name)
}

// Rough returns why the forecasts of a kernel have no derivative, or "".
func (k Kernel) Rough() string {
	switch k.Name {
	case "laplacian", "matern12":
		return "the frequencies of " + k.Name + " have no variance, so that the Jacobian diverges with their number"
	case "angular":
		return "the features of angular are constant almost everywhere"
	}
	return ""
}

// lags returns the inputs of a kernel, order times the variables, when the
// configuration says how many there are.
func (c *Config) lags() (n int, ok bool) {
	switch {
	case c.Input.Simulated != nil:
		n = c.Input.Simulated.Dim
	case len(c.Input.CSV.ValueColumns) > 0:
		n = len(c.Input.CSV.ValueColumns)
	}
	return n * c.Model.Order, n > 0
}

// validateKernel refuses what cannot be, with the reason.
func (b *binder) validateKernel(c *Config) {
	m := &c.Model
	k, op, o, l := &m.Kernel, &m.Kernel.Operator, &m.Optimiser, &m.Loss

	b.oneOf("model.kernel.name", k.Name, "gaussian", "laplacian", "sinc", "matern12", "matern32", "matern52", "skewed_chi2",
		"angular", "polynomial", "exponential", "compositional", "semigroup_exponential", "semigroup_reciprocal")
	b.oneOf("model.kernel.sampling", k.Sampling, "iid", "phase", "orthogonal", "sorf", "fastfood", "halton", "sobol")
	b.oneOf("model.kernel.inputs", k.Inputs, "auto", "standardised", "ranged")
	b.oneOf("model.kernel.operator.name", op.Name, "decomposable", "curl_free", "divergence_free", "helmholtz", "transformable", "schur")
	b.oneOf("model.kernel.operator.gamma", op.Gamma, "identity", "matrix", "graph", "low_rank", "simplex", "correlations", "correlation_graph", "residuals")
	b.oneOf("model.loss.name", l.Name, "squared", "huber", "pinball", "insensitive")
	b.oneOf("model.optimiser.step", o.Step, "newton", "plain", "adagrad")
	b.oneOf("model.optimiser.schedule", o.Schedule, "auto", "constant", "inverse_time", "inverse_scaling", "inverse_root")
	b.oneOf("model.optimiser.decay", o.Decay, "all", "block")
	atLeast(b, "model.kernel.parameter", k.Parameter, 0)
	b.need(k.Name != "polynomial" || k.Parameter == float64(int(k.Parameter)) && k.Parameter <= 20, "model.kernel.parameter", "is the degree of a polynomial, a whole number up to 20, got %v", k.Parameter)
	atLeast(b, "model.kernel.operator.rank", op.Rank, 0)
	atLeast(b, "model.kernel.operator.eta", op.Eta, 0)
	b.need(op.Mix >= 0 && op.Mix <= 1, "model.kernel.operator.mix", "must lie in [0, 1], got %v", op.Mix)
	b.need(k.Landmarks >= 1 && k.Landmarks <= 2000, "model.kernel.landmarks", "must lie in [1, 2000], got %d", k.Landmarks)
	b.need(k.Window >= 2 && k.Window <= 5000, "model.kernel.window", "must lie in [2, 5000], got %d", k.Window)
	b.need(k.Terms >= 1 && k.Terms <= 100_000, "model.kernel.terms", "must lie in [1, 100000], got %d", k.Terms)
	b.need(k.Degree == 2 || k.Degree == 3, "model.kernel.degree", "must be 2 or 3, got %d", k.Degree)
	atLeast(b, "model.kernel.lambda", k.Lambda, 0)
	b.need(l.Parameter >= 0, "model.loss.parameter", "must be >= 0, got %v", l.Parameter)
	b.need(l.Name != "pinball" || l.Parameter > 0 && l.Parameter < 1, "model.loss.parameter", "is the level of pinball, in (0, 1), got %v", l.Parameter)
	atLeast(b, "model.optimiser.rate", o.Rate, 0)
	atLeast(b, "model.optimiser.power", o.Power, 0)
	b.need(o.Batch >= 1 && o.Batch <= 10_000, "model.optimiser.batch", "must lie in [1, 10000], got %d", o.Batch)
	b.need(o.Blocks >= 1 && m.Frequencies%o.Blocks == 0, "model.optimiser.blocks", "must divide model.frequencies = %d, got %d", m.Frequencies, o.Blocks)
	atLeast(b, "model.optimiser.clip", o.Clip, 0)
	atLeast(b, "model.optimiser.group_lasso", o.GroupLasso, 0)

	b.oneOf("model.intervals", m.Intervals, "model", "quantile")
	b.need(m.Intervals != "quantile" || m.Horizon <= 500, "model.horizon", "must be <= 500 with intervals: quantile, which keep all forecasts that wait for their targets, got %d", m.Horizon)

	// Of the combinations only those of a model that reads them are refused.
	if m.Influence {
		switch {
		case IsKernelModel(m.Type):
			b.need(k.Rough() == "", "model.influence", "needs a derivative: %s", k.Rough())
		case m.Type == "orffvar" || m.Type == "ngrc" || strings.HasPrefix(m.Type, "var"):
		default:
			b.need(false, "model.influence", "is known for varN, orffvar, ngrc and the models of a kernel, not for %s", m.Type)
		}
	}
	if !IsKernelModel(m.Type) {
		return
	}
	b.validateSampling(c)
	b.validateOperator(c)
	if m.Type != "kernelvar" {
		return
	}
	learnt := op.IsLearnt()
	b.need(!learnt || o.Step != "newton", "model.optimiser.step", "must be plain or adagrad with operator.gamma: %s, because the curvature of newton does not follow a Gamma that moves", op.Gamma)
	b.need(!learnt || op.Name == "decomposable", "model.kernel.operator.gamma", "can be learnt (%s) for decomposable operators only", op.Gamma)
	if o.GroupLasso > 0 {
		b.need(o.Step == "plain", "model.optimiser.group_lasso", "needs step: plain, because a proximal step is not one in the direction of %s", o.Step)
		b.need(!k.Linear, "model.optimiser.group_lasso", "needs kernel.linear: false, because its groups are frequencies")
		b.need(k.HasFrequencies() && k.Sampling != "phase" && op.Name != "transformable" && op.Name != "schur" && op.Name != "helmholtz",
			"model.optimiser.group_lasso", "needs features that come as a cosine and a sine of each frequency")
	}
	b.need(o.Step != "newton" || l.Name == "squared" || l.Name == "huber", "model.loss.name", "must be squared or huber with optimiser.step: newton, which has the curvature of the squared loss; got %s", l.Name)
}

func (b *binder) validateSampling(c *Config) {
	m := &c.Model
	k := &m.Kernel
	const path = "model.kernel.sampling"
	field := k.Operator.IsVectorField()
	switch k.Sampling {
	case "orthogonal", "sorf", "fastfood":
		b.need(k.Name == "gaussian", path, "%s is a way to draw the frequencies of gaussian, not of %s", k.Sampling, k.Name)
	case "halton", "sobol":
		b.need(slices.Contains([]string{"gaussian", "laplacian", "sinc"}, k.Name), path, "%s needs a kernel with independent frequencies (gaussian, laplacian, sinc), got %s", k.Sampling, k.Name)
		if n, ok := c.lags(); ok && k.Sampling == "sobol" {
			b.need(n <= 37, path, "sobol has direction numbers for 37 inputs, there are %d", n)
		}
	case "phase":
		b.need(k.HasFrequencies(), path, "phase is a form of the features of frequencies, which %s does not have", k.Name)
	}
	b.need(!field || k.Sampling == "iid", path, "must be iid for %s", k.Operator.Name)
	if n, ok := c.lags(); ok && k.Sampling == "sorf" {
		padded := 1 << bits.Len(uint(max(n-1, 0)))
		b.need(padded >= 32, path, "sorf is biased below 32 inputs, padded to a power of two; %d lags of the variables are %d", n, padded)
	}
	b.need(m.Type != "nystroem" || k.HasFrequencies(), "model.kernel.name", "nystroem needs a kernel of differences (gaussian, laplacian, sinc, matern), got %s", k.Name)
	b.need(!k.IsPositive() || k.Inputs != "standardised", "model.kernel.inputs", "%s is not defined for the negative values of standardised inputs; take ranged", k.Name)
}

func (b *binder) validateOperator(c *Config) {
	m := &c.Model
	k, op := &m.Kernel, &m.Kernel.Operator
	const path = "model.kernel.operator"
	if op.IsVectorField() {
		b.need(m.Order == 1, "model.order", "must be 1 with operator %s, whose kernel maps as many inputs as there are variables, got %d", op.Name, m.Order)
		b.need(k.Name == "gaussian", path+".name", "%s is known of the gaussian kernel, not of %s", op.Name, k.Name)
	}
	b.need(m.Type != "krls" && m.Type != "nystroem" || op.Name == "decomposable", path+".name", "%s needs a decomposable operator, got %s", m.Type, op.Name)
	switch op.Gamma {
	case "matrix", "graph", "low_rank":
		b.need(len(op.Matrix) > 0, path+".matrix", "must be given with gamma: %s", op.Gamma)
		if n, ok := c.lags(); ok && len(op.Matrix) > 0 {
			d := n / max(m.Order, 1)
			b.need(len(op.Matrix) == d*d, path+".matrix", "must have %d x %d numbers for %d variables, got %d", d, d, d, len(op.Matrix))
		}
	case "correlations", "correlation_graph", "residuals":
		b.need(m.Type == "kernelvar", path+".gamma", "%s is learnt by kernelvar alone, not by %s", op.Gamma, m.Type)
	}
	b.need(op.Gamma != "low_rank" || op.Rank >= 1, path+".rank", "must be >= 1 with gamma: low_rank, got %d", op.Rank)
}
