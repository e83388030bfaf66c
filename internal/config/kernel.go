package config

// Kernel is the operator-valued kernel of the models kernelvar, okvar, onorma, krls and nystroem.
type Kernel struct {
	Name      string  `yaml:"name"`
	Parameter float64 `yaml:"parameter"` // parameter of the first kernel; 0: its default

	Coefficients []float64 `yaml:"coefficients"` // coefficients of the power series of dot_product and compositional

	Sampling string `yaml:"sampling"` // sampling of the random features
	Inputs   string `yaml:"inputs"`   // scaling: auto, standardised, common or ranged
	Linear   bool   `yaml:"linear"`   // add the linear kernel: an intercept and linear terms in the lags

	Plus  Term   `yaml:"plus"`  // second kernel, added to the first
	Times Factor `yaml:"times"` // kernel that multiplies the sum

	Operator Operator `yaml:"operator"`

	Landmarks int     `yaml:"landmarks"` // number of landmarks of nystroem
	Window    int     `yaml:"window"`    // number of samples in the window of okvar
	Terms     int     `yaml:"terms"`     // number of terms of onorma
	Degree    int     `yaml:"degree"`    // degree of ngrc
	Lambda    float64 `yaml:"lambda"`    // ridge of kernelvar, okvar and onorma; 0: default of the model
}

// Term is a scalar kernel that is added to another one.
type Term struct {
	Name      string  `yaml:"name"` // empty: none
	Parameter float64 `yaml:"parameter"`
	Weight    float64 `yaml:"weight"` // weight w; the other kernel has the weight 1 - w
}

// Factor is a scalar kernel that multiplies the others.
type Factor struct {
	Name      string  `yaml:"name"` // empty: none
	Parameter float64 `yaml:"parameter"`
}

// Operator has the settings of the matrix that couples the outputs of a kernel.
type Operator struct {
	Name   string    `yaml:"name"`
	Gamma  string    `yaml:"gamma"`  // coupling for decomposable, schur and tensor
	Matrix []float64 `yaml:"matrix"` // Gamma, or the weights of the graph, row-major
	Rank   int       `yaml:"rank"`   // rank for low_rank
	Eta    float64   `yaml:"eta"`    // for graph: Gamma = (L + eta I)^-1; 0: pseudo-inverse

	Positions []float64 `yaml:"positions"` // positions of the variables on a line, for gamma: positions
	Length    float64   `yaml:"length"`    // length scale of Positions

	Mix     float64 `yaml:"mix"`     // share of the curl-free kernel in helmholtz
	Form    string  `yaml:"form"`    // form of the vector fields: bounded or unbounded
	Reduced bool    `yaml:"reduced"` // for divergence_free: d-1 weights per frequency
	Groups  int     `yaml:"groups"`  // number of groups for tensor
}

// Loss is the loss of kernelvar and onorma.
type Loss struct {
	Name      string  `yaml:"name"`
	Parameter float64 `yaml:"parameter"`
}

// Optimiser has the settings of the learning steps of kernelvar. orffvar reads only Step and Rate.
type Optimiser struct {
	Step            string  `yaml:"step"`     // newton, plain or adagrad
	Schedule        string  `yaml:"schedule"` // learning-rate schedule
	Rate            float64 `yaml:"rate"`     // initial learning rate; 0: default
	Power           float64 `yaml:"power"`    // exponent of inverse_scaling
	Batch           int     `yaml:"batch"`    // number of samples per step
	Blocks          int     `yaml:"blocks"`   // number of blocks of frequencies; one is visited per step
	Decay           string  `yaml:"decay"`    // all or block
	Clip            float64 `yaml:"clip"`     // limit of the gradient of a sample; 0: default
	Average         bool    `yaml:"average"`
	Warm            int     `yaml:"warm"`             // number of samples before a batch fit; 0: no batch fit
	Solver          string  `yaml:"solver"`           // solver of the batch fit: auto, ridge, cg or lbfgs
	Features        string  `yaml:"features"`         // keep, or redraw: drawn again from their seeds at each use
	Redraw          int     `yaml:"redraw"`           // number of steps after which a block is redrawn; 0: never
	Grow            int     `yaml:"grow"`             // number of steps after which a block is added; 0: never
	MostBlocks      int     `yaml:"most_blocks"`      // number of blocks at which growth ends
	Manifold        float64 `yaml:"manifold"`         // weight of the semi-supervised penalty
	ManifoldBatches int     `yaml:"manifold_batches"` // number of mini-batches that the penalty connects
	GroupLasso      float64 `yaml:"group_lasso"`      // penalty on the norm of the weights of a frequency; 0: none
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
	return Optimiser{Step: "newton", Schedule: "auto", Power: .5, Batch: 8, Blocks: 1, Decay: "all", Solver: "auto", Features: "keep", ManifoldBatches: 1}
}

// Dim returns the number of variables, if the configuration determines it.
func (c *Config) Dim() (n int, ok bool) {
	n = len(c.Pipeline.Variables)
	for _, s := range c.Input.Given() {
		if d, ok := s.(interface{ Variables() int }); ok && n == 0 {
			n = d.Variables()
		}
	}
	return n, n > 0
}

// Lags returns the number of inputs of a kernel, order times the number of variables, if the configuration determines it.
func (c *Config) Lags() (n int, ok bool) {
	n, ok = c.Dim()
	return n * c.Model.Order, ok
}

// validateKernel checks the ranges of the numbers. internal/wire, which has the kernels and models, checks combinations.
func (b *binder) validateKernel(m *Model) {
	k, op, o, l := &m.Kernel, &m.Kernel.Operator, &m.Optimiser, &m.Loss
	c := b.Checker
	AtLeast(c, "model.kernel.parameter", k.Parameter, 0)
	AtLeast(c, "model.kernel.plus.parameter", k.Plus.Parameter, 0)
	AtLeast(c, "model.kernel.times.parameter", k.Times.Parameter, 0)
	for _, a := range k.Coefficients {
		b.Need(a >= 0, "model.kernel.coefficients", "must be >= 0, or the kernel is not positive definite, got %v", a)
	}
	b.Need(len(k.Coefficients) <= 21, "model.kernel.coefficients", "must be at most 21, up to degree 20, got %d", len(k.Coefficients))
	b.OneOf("model.kernel.inputs", k.Inputs, "auto", "standardised", "common", "ranged")
	b.Need(k.Plus.Name == "" || k.Plus.Weight > 0 && k.Plus.Weight < 1, "model.kernel.plus.weight", "must lie in (0, 1), got %v", k.Plus.Weight)
	b.Need(k.Landmarks >= 1 && k.Landmarks <= 2000, "model.kernel.landmarks", "must lie in [1, 2000], got %d", k.Landmarks)
	b.Need(k.Window >= 2 && k.Window <= 5000, "model.kernel.window", "must lie in [2, 5000], got %d", k.Window)
	b.Need(k.Terms >= 1 && k.Terms <= 100_000, "model.kernel.terms", "must lie in [1, 100000], got %d", k.Terms)
	b.Need(k.Degree == 2 || k.Degree == 3, "model.kernel.degree", "must be 2 or 3, got %d", k.Degree)
	AtLeast(c, "model.kernel.lambda", k.Lambda, 0)

	b.OneOf("model.kernel.operator.form", op.Form, "bounded", "unbounded")
	AtLeast(c, "model.kernel.operator.rank", op.Rank, 0)
	AtLeast(c, "model.kernel.operator.eta", op.Eta, 0)
	b.Need(op.Length > 0, "model.kernel.operator.length", "must be > 0, got %v", op.Length)
	b.Need(op.Mix >= 0 && op.Mix <= 1, "model.kernel.operator.mix", "must lie in [0, 1], got %v", op.Mix)
	AtLeast(c, "model.kernel.operator.groups", op.Groups, 0)

	b.Need(l.Parameter >= 0, "model.loss.parameter", "must be >= 0, got %v", l.Parameter)

	b.OneOf("model.optimiser.step", o.Step, "newton", "plain", "adagrad")
	b.OneOf("model.optimiser.schedule", o.Schedule, "auto", "constant", "inverse_time", "inverse_scaling", "inverse_root")
	AtLeast(c, "model.optimiser.rate", o.Rate, 0)
	AtLeast(c, "model.optimiser.power", o.Power, 0)
	b.Need(o.Batch >= 1 && o.Batch <= 10_000, "model.optimiser.batch", "must lie in [1, 10000], got %d", o.Batch)
	b.Need(o.Blocks >= 1 && m.Frequencies%o.Blocks == 0, "model.optimiser.blocks", "must divide model.frequencies = %d, got %d", m.Frequencies, o.Blocks)
	b.OneOf("model.optimiser.decay", o.Decay, "all", "block")
	AtLeast(c, "model.optimiser.clip", o.Clip, 0)
	b.Need(o.Warm >= 0 && o.Warm <= 100_000, "model.optimiser.warm", "must lie in [0, 100000], got %d", o.Warm)
	b.OneOf("model.optimiser.solver", o.Solver, "auto", "ridge", "cg", "lbfgs")
	b.OneOf("model.optimiser.features", o.Features, "keep", "redraw")
	AtLeast(c, "model.optimiser.redraw", o.Redraw, 0)
	AtLeast(c, "model.optimiser.grow", o.Grow, 0)
	b.Need(o.MostBlocks >= 0 && o.MostBlocks <= 100_000, "model.optimiser.most_blocks", "must lie in [0, 100000], got %d", o.MostBlocks)
	AtLeast(c, "model.optimiser.manifold", o.Manifold, 0)
	b.Need(o.ManifoldBatches >= 1 && o.ManifoldBatches <= 100, "model.optimiser.manifold_batches", "must lie in [1, 100], got %d", o.ManifoldBatches)
	AtLeast(c, "model.optimiser.group_lasso", o.GroupLasso, 0)
}
