package config

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Kernel is the operator-valued kernel of the models kernelvar, okvar, onorma,
// krls and nystroem.
type Kernel struct {
	Name      string  `yaml:"name"`
	Parameter float64 `yaml:"parameter"` // of the kernel; 0 = its default

	Coefficients []float64 `yaml:"coefficients"` // of the series of dot_product and compositional

	Sampling string `yaml:"sampling"` // of the random features
	Inputs   string `yaml:"inputs"`   // auto, standardised or ranged
	Linear   bool   `yaml:"linear"`   // add an exact linear part and a level

	Plus  Term   `yaml:"plus"`  // a second kernel that is added
	Times Factor `yaml:"times"` // one that the sum is multiplied with

	Operator Operator `yaml:"operator"`

	Landmarks int     `yaml:"landmarks"` // of nystroem
	Window    int     `yaml:"window"`    // samples of okvar
	Terms     int     `yaml:"terms"`     // of onorma
	Degree    int     `yaml:"degree"`    // of ngrc
	Lambda    float64 `yaml:"lambda"`    // ridge of kernelvar, okvar and onorma; 0 = the model's own
}

// Term is a scalar kernel that is added to another one.
type Term struct {
	Name      string  `yaml:"name"` // empty = none
	Parameter float64 `yaml:"parameter"`
	Weight    float64 `yaml:"weight"` // the other kernel has the rest
}

// Factor is a scalar kernel that others are multiplied with.
type Factor struct {
	Name      string  `yaml:"name"` // empty = none
	Parameter float64 `yaml:"parameter"`
}

// Operator is what makes a kernel operator-valued.
type Operator struct {
	Name   string    `yaml:"name"`
	Gamma  string    `yaml:"gamma"`  // of decomposable and schur
	Matrix []float64 `yaml:"matrix"` // Gamma, or the weights of the graph, row by row
	Rank   int       `yaml:"rank"`   // of low_rank
	Eta    float64   `yaml:"eta"`    // of graph; 0 = centred

	Positions []float64 `yaml:"positions"` // of the variables on a line, of gamma: positions
	Length    float64   `yaml:"length"`    // over which they are alike

	Mix     float64 `yaml:"mix"`     // of helmholtz: the part that is curl-free
	Form    string  `yaml:"form"`    // of the vector fields: bounded or unbounded
	Reduced bool    `yaml:"reduced"` // of divergence_free: d-1 weights a frequency
	Groups  int     `yaml:"groups"`  // of tensor
}

// Loss is the loss of kernelvar and onorma.
type Loss struct {
	Name      string  `yaml:"name"`
	Parameter float64 `yaml:"parameter"`
}

// Optimiser is how kernelvar learns; orffvar reads Step and Rate.
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
	Warm       int     `yaml:"warm"`        // first samples that are fitted in batch; 0 = none
	Solver     string  `yaml:"solver"`      // of that fit: auto, ridge, cg or lbfgs
	Redraw     int     `yaml:"redraw"`      // steps after which a block is drawn again; 0 = never
	Grow       int     `yaml:"grow"`        // steps after which one more block is drawn; 0 = never
	MostBlocks int     `yaml:"most_blocks"` // at which that ends
	Manifold   float64 `yaml:"manifold"`    // weight of the semi-supervised term
	GroupLasso float64 `yaml:"group_lasso"` // penalty on the norm of a frequency; 0 = none
}

func defaultKernel() Kernel {
	return Kernel{
		Name: "gaussian", Sampling: "iid", Inputs: "auto", Linear: true,
		Plus:      Term{Weight: .5},
		Operator:  Operator{Name: "decomposable", Gamma: "identity", Eta: .1, Length: 1, Mix: .5, Form: "bounded"},
		Landmarks: 50, Window: 100, Terms: 200, Degree: 2,
	}
}

func defaultOptimiser() Optimiser {
	return Optimiser{Step: "newton", Schedule: "auto", Power: .5, Batch: 8, Blocks: 1, Decay: "all", Solver: "auto"}
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

// names returns the scalar kernels of which k is made.
func (k Kernel) names() []string {
	names := []string{k.Name}
	for _, name := range []string{k.Plus.Name, k.Times.Name} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// HasFrequencies reports whether the features of a kernel are those of a spectral
// measure: a cosine and a sine of each frequency.
func (k Kernel) HasFrequencies() bool {
	return slices.Contains(spectral, k.Name) && len(k.names()) == 1
}

// spectral are the kernels of differences, all are the scalar kernels.
var (
	spectral = slices.Concat([]string{"gaussian", "laplacian", "sinc"}, materns)
	scalars  = slices.Concat(spectral, []string{
		"skewed_chi2", "angular", "polynomial", "exponential", "dot_product", "compositional", "semigroup_exponential", "semigroup_reciprocal",
	})
)

// materns are matern12, matern32 … matern412, of smoothness 1/2, 3/2 … 41/2.
var materns = func() []string {
	var names []string
	for twice := 1; twice <= 41; twice += 2 {
		names = append(names, fmt.Sprintf("matern%d2", twice))
	}
	return names
}()

// MaternHalf returns the whole part of the smoothness of a Matern kernel, or -1 for
// the name of another one.
func MaternHalf(name string) int { return slices.Index(materns, name) }

// IsPositive reports whether a kernel is defined for inputs >= 0 alone.
func (k Kernel) IsPositive() bool {
	return slices.ContainsFunc(k.names(), func(name string) bool {
		return name == "skewed_chi2" || strings.HasPrefix(name, "semigroup_")
	})
}

// Rough returns why the forecasts of a kernel have no derivative, or "".
func (k Kernel) Rough() string {
	for _, name := range k.names() {
		switch name {
		case "laplacian", "matern12":
			return "the frequencies of " + name + " have no variance, so that the Jacobian diverges with their number"
		case "angular":
			return "the features of angular are constant almost everywhere"
		}
	}
	return ""
}

// Dim returns the number of variables when the configuration says how many there
// are.
func (c *Config) Dim() (n int, ok bool) {
	switch {
	case len(c.Pipeline.Variables) > 0:
		n = len(c.Pipeline.Variables)
	case c.Input.Simulated != nil:
		n = c.Input.Simulated.Dim
	case len(c.Input.CSV.ValueColumns) > 0:
		n = len(c.Input.CSV.ValueColumns)
	}
	return n, n > 0
}

// lags returns the inputs of a kernel, order times the variables, when they are
// known.
func (c *Config) lags() (n int, ok bool) {
	n, ok = c.Dim()
	return n * c.Model.Order, ok
}

// CheckKernel refuses what cannot be of a model of a kernel for series of dim
// variables: a command may choose another model than the configuration that was
// validated.
func CheckKernel(m Model, dim int) error {
	b := newBinder()
	b.cfg.Model = m
	b.cfg.Input.Simulated = &Simulated{Dim: dim}
	b.validateKernel(b.cfg)
	if len(b.errs) > 0 {
		return b.errs
	}
	return nil
}

// validateKernel refuses what cannot be, with the reason.
func (b *binder) validateKernel(c *Config) {
	m := &c.Model
	k, op, o, l := &m.Kernel, &m.Kernel.Operator, &m.Optimiser, &m.Loss

	b.oneOf("model.kernel.name", k.Name, scalars...)
	b.oneOf("model.kernel.sampling", k.Sampling, "iid", "phase", "orthogonal", "sorf", "fastfood", "halton", "sobol", "kakade")
	b.oneOf("model.kernel.inputs", k.Inputs, "auto", "standardised", "ranged")
	b.oneOf("model.kernel.operator.name", op.Name, "decomposable", "curl_free", "divergence_free", "helmholtz", "transformable", "schur", "tensor")
	b.oneOf("model.kernel.operator.form", op.Form, "bounded", "unbounded")
	b.oneOf("model.kernel.operator.gamma", op.Gamma, "identity", "matrix", "graph", "low_rank", "simplex", "positions", "correlations", "correlation_graph", "residuals")
	b.oneOf("model.loss.name", l.Name, "squared", "huber", "pinball", "insensitive")
	b.oneOf("model.optimiser.step", o.Step, "newton", "plain", "adagrad")
	b.oneOf("model.optimiser.schedule", o.Schedule, "auto", "constant", "inverse_time", "inverse_scaling", "inverse_root")
	b.oneOf("model.optimiser.decay", o.Decay, "all", "block")
	atLeast(b, "model.kernel.parameter", k.Parameter, 0)
	b.degree("model.kernel.parameter", k.Name, k.Parameter)
	for _, c := range k.Coefficients {
		b.need(c >= 0, "model.kernel.coefficients", "must be >= 0, or the kernel is not positive definite, got %v", c)
	}
	b.need(len(k.Coefficients) <= 21, "model.kernel.coefficients", "must be at most 21, up to degree 20, got %d", len(k.Coefficients))
	b.part("model.kernel.plus", k.Plus.Name, k.Plus.Parameter)
	b.part("model.kernel.times", k.Times.Name, k.Times.Parameter)
	b.need(k.Plus.Name == "" || k.Plus.Weight > 0 && k.Plus.Weight < 1, "model.kernel.plus.weight", "must lie in (0, 1), got %v", k.Plus.Weight)
	b.need(op.Length > 0, "model.kernel.operator.length", "must be > 0, got %v", op.Length)
	atLeast(b, "model.kernel.operator.groups", op.Groups, 0)
	b.need(o.Warm >= 0 && o.Warm <= 100_000, "model.optimiser.warm", "must lie in [0, 100000], got %d", o.Warm)
	b.oneOf("model.optimiser.solver", o.Solver, "auto", "ridge", "cg", "lbfgs")
	atLeast(b, "model.optimiser.redraw", o.Redraw, 0)
	atLeast(b, "model.optimiser.grow", o.Grow, 0)
	b.need(o.MostBlocks >= 0 && o.MostBlocks <= 100_000, "model.optimiser.most_blocks", "must lie in [0, 100000], got %d", o.MostBlocks)
	atLeast(b, "model.optimiser.manifold", o.Manifold, 0)
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

	b.need(l.Name == "squared" || !IsKernelModel(m.Type) || m.Type == "kernelvar" || m.Type == "onorma", "model.loss.name", "%s is for kernelvar and onorma; %s minimises squares", l.Name, m.Type)

	// Of the combinations only those of a model that reads them are refused.
	if m.Influence {
		switch {
		case IsKernelModel(m.Type):
			b.need(k.Rough() == "", "model.influence", "needs a derivative: %s", k.Rough())
		case m.Type == "orffvar":
			b.need(o.Step == "newton", "model.influence", "needs model.optimiser.step: newton with orffvar, got %s", o.Step)
		case m.Type == "auto" || m.Type == "ngrc" || strings.HasPrefix(m.Type, "var"):
		default:
			b.need(false, "model.influence", "is known for auto, orffvar, varN, ngrc and the models of a kernel, not for %s", m.Type)
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
	b.need(o.Manifold == 0 || o.Step != "newton", "model.optimiser.manifold", "needs step: plain or adagrad, because the curvature of newton does not know this term")
	b.need(o.Redraw == 0 || o.Blocks > 1, "model.optimiser.redraw", "needs 2 blocks or more, because the single one would leave nothing of what was learnt")
	b.need(o.Grow == 0 || o.Redraw == 0, "model.optimiser.grow", "excludes redraw, whose blocks would be those that are new")
	b.need(o.Grow == 0 || o.Warm == 0, "model.optimiser.grow", "excludes warm, which fits the blocks that there are at the start")
	b.need(o.Grow == 0 || o.MostBlocks > o.Blocks, "model.optimiser.most_blocks", "must be above blocks = %d with grow, got %d", o.Blocks, o.MostBlocks)
	b.need(o.Grow > 0 || o.MostBlocks == 0, "model.optimiser.most_blocks", "is read with grow alone")
	if o.Warm > 0 {
		b.need(o.Solver != "ridge" || op.Name == "decomposable" && o.Blocks == 1, "model.optimiser.solver", "ridge is the closed form of a decomposable operator and one block; take cg")
		b.need(l.Name == "squared" || o.Solver == "auto" || o.Solver == "lbfgs", "model.optimiser.solver", "must be lbfgs with the loss %s: %s minimises squares", l.Name, o.Solver)
	}
	if o.GroupLasso > 0 {
		b.need(o.Step == "plain", "model.optimiser.group_lasso", "needs step: plain, because a proximal step is not one in the direction of %s", o.Step)
		b.need(!k.Linear, "model.optimiser.group_lasso", "needs kernel.linear: false, because its groups are frequencies")
		b.need(k.HasFrequencies() && k.Sampling != "phase" && op.Name != "transformable" && op.Name != "schur" && op.Name != "tensor" && op.Name != "helmholtz" && !op.Reduced,
			"model.optimiser.group_lasso", "needs features that come as a cosine and a sine of each frequency")
	}
	b.need(o.Step != "newton" || l.Name == "squared" || l.Name == "huber", "model.loss.name", "must be squared or huber with optimiser.step: newton, which has the curvature of the squared loss; got %s", l.Name)
}

// degree checks the parameter of a polynomial kernel.
func (b *binder) degree(path, name string, p float64) {
	b.need(name != "polynomial" || p == float64(int(p)) && p <= 20, path, "is the degree of a polynomial, a whole number up to 20, got %v", p)
}

// part checks a second kernel.
func (b *binder) part(path, name string, parameter float64) {
	if name == "" {
		return
	}
	b.oneOf(path+".name", name, scalars...)
	b.need(name != "dot_product", path+".name", "dot_product has coefficients; make it model.kernel.name and the other kernel the second one")
	atLeast(b, path+".parameter", parameter, 0)
	b.degree(path+".parameter", name, parameter)
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
	case "kakade":
		b.need(slices.Contains([]string{"polynomial", "exponential", "dot_product"}, k.Name), path, "kakade draws features of dot products (polynomial, exponential, dot_product), not of %s", k.Name)
	case "phase":
		b.need(slices.Contains(spectral, k.Name), path, "phase is a form of the features of frequencies, which %s does not have", k.Name)
	}
	b.need(!field || k.Sampling == "iid", path, "must be iid for %s", k.Operator.Name)
	if n, ok := c.lags(); ok && k.Sampling == "sorf" {
		padded := 1 << bits.Len(uint(max(n-1, 0)))
		b.need(padded >= 32, path, "sorf is biased below 32 inputs, padded to a power of two; %d lags of the variables are %d", n, padded)
	}
	b.need(m.Type != "nystroem" || k.HasFrequencies(), "model.kernel.name", "nystroem needs a single kernel of differences (gaussian, laplacian, sinc, matern), got %s", strings.Join(k.names(), " and "))
	b.need(k.Name != "dot_product" || len(k.Coefficients) > 0 && slices.Max(k.Coefficients) > 0, "model.kernel.coefficients", "must be given with name: dot_product, one of them > 0")
	b.need(len(k.Coefficients) == 0 || k.Name == "dot_product" || k.Name == "compositional", "model.kernel.coefficients", "are of dot_product and compositional, not of %s", k.Name)
	b.need(k.Name != "compositional" || len(k.Coefficients) == 0 || slices.Max(k.Coefficients) > 0, "model.kernel.coefficients", "must not all be 0")
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
	b.need(op.Form == "bounded" || op.IsVectorField(), path+".form", "%s is a form of the features of vector fields, not of %s", op.Form, op.Name)
	b.need(!op.Reduced || op.Name == "divergence_free" || op.Name == "helmholtz", path+".reduced", "is a form of divergence_free, not of %s", op.Name)
	b.need((op.Groups == 0) == (op.Name != "tensor"), path+".groups", "must be given with operator tensor, and only then; got %d with %s", op.Groups, op.Name)
	size, known := c.Dim() // variables that Gamma is of
	if op.Name == "tensor" && op.Groups > 0 {
		b.need(!known || size%op.Groups == 0, path+".groups", "must divide the %d variables, got %d", size, op.Groups)
		size /= op.Groups
	}
	b.need(len(op.Positions) == 0 || op.Gamma == "positions", path+".positions", "are read with gamma: positions, not with %s", op.Gamma)
	b.need(m.Type != "krls" && m.Type != "nystroem" || op.Name == "decomposable", path+".name", "%s needs a decomposable operator, got %s", m.Type, op.Name)
	switch op.Gamma {
	case "matrix", "graph", "low_rank":
		b.need(len(op.Matrix) > 0, path+".matrix", "must be given with gamma: %s", op.Gamma)
		b.need(!known || len(op.Matrix) == 0 || len(op.Matrix) == size*size, path+".matrix", "must have %d x %d numbers for %d variables, got %d", size, size, size, len(op.Matrix))
	case "positions":
		b.need(!known || len(op.Positions) == 0 || len(op.Positions) == size, path+".positions", "must have %d numbers, got %d", size, len(op.Positions))
	case "correlations", "correlation_graph", "residuals":
		b.need(m.Type == "kernelvar", path+".gamma", "%s is learnt by kernelvar alone, not by %s", op.Gamma, m.Type)
	}
	b.need(op.Gamma != "low_rank" || op.Rank >= 1, path+".rank", "must be >= 1 with gamma: low_rank, got %d", op.Rank)
}
