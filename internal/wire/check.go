package wire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream/format"
)

// Load reads and validates a configuration. The tables of this package define the valid names.
func Load(src config.Sources) (*config.Config, error) { return config.Load(src, check) }

// check validates the names of types, and their combinations.
func check(v *config.Checker, c *config.Config) {
	m := &c.Model
	k, op := &m.Kernel, &m.Kernel.Operator
	v.OneOf("model.kernel.name", k.Name, allKernelNames()...)
	checkPart(v, "model.kernel.plus", k.Plus.Name, k.Plus.Parameter)
	checkPart(v, "model.kernel.times", k.Times.Name, k.Times.Parameter)
	v.OneOf("model.kernel.sampling", k.Sampling, namesOf(samplings, samplingName, nil)...)
	v.OneOf("model.kernel.operator.name", op.Name, namesOf(operators, operatorName, nil)...)
	v.OneOf("model.kernel.operator.gamma", op.Gamma, namesOf(gammas, gammaName, nil)...)
	v.OneOf("model.loss.name", m.Loss.Name, namesOf(lossKinds, lossName, nil)...)
	checkSeriesTags(v, c)
	checkDeadLetters(v, c)
	v.OneOf("input.data_format", c.Input.DataFormat, formatNames(func(f dataFormat) bool { return f.messages != nil })...)
	v.Need(c.State.Topic == "" || InputKafka(c) != nil && InputKafka(c).ConsumerGroup != "", "state.topic", "needs input.kafka with a consumer_group, whose commits it completes")
	checkInterval(v, c)
	if row, err := modelNamed(m.Type); err != nil {
		v.Need(false, "model.type", "%v", err)
	} else {
		checkType(v, c, row)
	}
}

// checkSeriesTags refuses an invalid template, and a template without effect.
func checkSeriesTags(v *config.Checker, c *config.Config) {
	if c.Input.SeriesTags == "" {
		return
	}
	_, err := format.ParseSeriesTemplate(c.Input.SeriesTags)
	v.Need(err == nil, "input.series_tags", "%v", err)
	f := formatOf(c)
	v.Need(f.tags == nil || f.tags(c) == nil, "input.series_tags", "has no effect: the input has tags")
}

// checkType refuses settings that the type of the model does not support.
func checkType(v *config.Checker, c *config.Config, row model) {
	m := &c.Model
	checkTier(v, c)
	taking := namesOf(models, modelNames, func(r model) bool { return r.inputs })
	v.Need(row.inputs || len(m.Exogenous) == 0, "model.exogenous", "is used by %s, not by %s", listed(taking), m.Type)
	v.Need(row.inputs || len(m.Calendar) == 0, "model.calendar", "is used by %s, not by %s", listed(taking), m.Type)
	v.Need(row.inputs || m.Events == "", "model.events", "is used by %s, not by %s", listed(taking), m.Type)
	switch {
	case !m.Influence:
	case row.influence == nil:
		v.Need(false, "model.influence", "is known for %s, not for %s", listed(InfluenceModels()), m.Type)
	default:
		why := row.influence(m)
		v.Need(why == "", "model.influence", "%s", why)
	}
	if row.check != nil {
		row.check(v, c)
	}
}

// CheckModel returns an error for model settings that are impossible with dim variables. Commands call it because they
// may choose another model than the validated configuration.
func CheckModel(c config.Model, dim int) error {
	row, err := modelNamed(c.Type)
	if err != nil || row.check == nil {
		return err
	}
	v, cfg := config.NewChecker(), config.Default()
	cfg.Model = c
	if dim > 0 {
		cfg.Input.Set(&SimulatedInput{Dim: dim})
	}
	row.check(v, cfg)
	return v.Err()
}

// checkPart checks a second kernel.
func checkPart(v *config.Checker, path, name string, parameter float64) {
	if name == "" {
		return
	}
	v.OneOf(path+".name", name, allKernelNames()...)
	row, _ := kernelNamed(name)
	v.Need(row.coefficients != required, path+".name", "%s has coefficients; make it model.kernel.name and the other kernel the second one", name)
	if row.check != nil {
		row.check(v, path+".parameter", parameter)
	}
}

// checkKernel checks the settings that every kernel model shares.
func checkKernel(v *config.Checker, c *config.Config) {
	k := &c.Model.Kernel
	row, ok := kernelNamed(k.Name)
	if !ok {
		return // check has already refused the name
	}
	if row.check != nil {
		row.check(v, "model.kernel.parameter", k.Parameter)
	}
	const path = "model.kernel.coefficients"
	some := len(k.Coefficients) > 0 && slices.Max(k.Coefficients) > 0
	v.Need(row.coefficients != required || some, path, "must be given with name: %s, one of them > 0", k.Name)
	with := namesOf(kernels, kernelNames, func(k kernelRow) bool { return k.coefficients != ignored })
	v.Need(row.coefficients != ignored || len(k.Coefficients) == 0, path, "are for %s, not for %s", listed(with), k.Name)
	v.Need(row.coefficients != optional || len(k.Coefficients) == 0 || some, path, "must not all be 0")
	for _, p := range parts(*k) {
		v.Need(!p.positive || k.Inputs != "standardised", "model.kernel.inputs", "%s is not defined for the negative values of standardised inputs; take ranged", p.names[0])
	}
	if s, ok := samplingNamed(k.Sampling); ok && s.check != nil {
		s.check(v, c, row)
	}
	checkOperator(v, c)
}

func checkOperator(v *config.Checker, c *config.Config) {
	m := &c.Model
	k, op := &m.Kernel, &m.Kernel.Operator
	const path = "model.kernel.operator"
	row, _ := operatorNamed(op.Name)
	if row.field {
		v.Need(m.Order == 1, "model.order", "must be 1 with operator %s, whose kernel maps as many inputs as there are variables, got %d", op.Name, m.Order)
		v.Need(k.Name == "gaussian", path+".name", "%s is known for the gaussian kernel, not for %s", op.Name, k.Name)
		v.Need(k.Sampling == "iid", samplingPath, "must be iid for %s", op.Name)
	}
	v.Need(op.Form == "bounded" || row.field, path+".form", "%s is a form of the features of vector fields, not of %s", op.Form, op.Name)
	v.Need(!op.Reduced || op.Name == "divergence_free" || op.Name == "helmholtz", path+".reduced", "is a form of divergence_free, not of %s", op.Name)
	v.Need((op.Groups == 0) == (op.Name != "tensor"), path+".groups", "must be given with operator tensor, and only then; got %d with %s", op.Groups, op.Name)
	size, known := c.Dim() // Gamma is size x size
	if op.Name == "tensor" && op.Groups > 0 {
		v.Need(!known || size%op.Groups == 0, path+".groups", "must divide the %d variables, got %d", size, op.Groups)
		size /= op.Groups
	}
	gamma, _ := gammaNamed(op.Gamma)
	if gamma.matrix {
		v.Need(len(op.Matrix) > 0, path+".matrix", "must be given with gamma: %s", op.Gamma)
		v.Need(!known || len(op.Matrix) == 0 || len(op.Matrix) == size*size, path+".matrix", "must have %d x %d numbers for %d variables, got %d", size, size, size, len(op.Matrix))
	}
	positions := op.Gamma == "positions"
	v.Need(len(op.Positions) == 0 || positions, path+".positions", "are read with gamma: positions, not with %s", op.Gamma)
	v.Need(!positions || !known || len(op.Positions) == 0 || len(op.Positions) == size, path+".positions", "must have %d numbers, got %d", size, len(op.Positions))
	v.Need(op.Gamma != "low_rank" || op.Rank >= 1, path+".rank", "must be >= 1 with gamma: low_rank, got %d", op.Rank)
}

// checkGiven refuses a learnt Gamma.
func checkGiven(v *config.Checker, m *config.Model) {
	gamma, _ := gammaNamed(m.Kernel.Operator.Gamma)
	v.Need(gamma.learnt == 0, "model.kernel.operator.gamma", "%s is learnt by kernelvar alone, not by %s", gamma.name, m.Type)
}

// checkSquares refuses every loss but the squared loss, for models that minimise only that.
func checkSquares(v *config.Checker, m *config.Model) {
	v.Need(m.Loss.Name == "squared", "model.loss.name", "%s is for kernelvar and onorma; %s minimises squares", m.Loss.Name, m.Type)
}

func checkOKVAR(v *config.Checker, c *config.Config) {
	checkKernel(v, c)
	checkGiven(v, &c.Model)
	checkSquares(v, &c.Model)
}

func checkONORMA(v *config.Checker, c *config.Config) {
	checkKernel(v, c)
	checkGiven(v, &c.Model)
	checkLevel(v, c.Model.Loss)
}

func checkKRLS(v *config.Checker, c *config.Config) {
	op := &c.Model.Kernel.Operator
	checkKernel(v, c)
	v.Need(op.Name == "decomposable", "model.kernel.operator.name", "%s needs a decomposable operator, got %s", c.Model.Type, op.Name)
	checkGiven(v, &c.Model)
	checkSquares(v, &c.Model)
}

func checkNystroem(v *config.Checker, c *config.Config) {
	checkKRLS(v, c)
	var names []string
	for _, p := range parts(c.Model.Kernel) {
		names = append(names, p.names[0])
	}
	v.Need(hasFrequencies(c.Model.Kernel), "model.kernel.name", "nystroem needs a single kernel of differences (gaussian, laplacian, sinc, matern), got %s", listed(names))
}

func checkKernelVAR(v *config.Checker, c *config.Config) {
	m := &c.Model
	k, op, o := &m.Kernel, &m.Kernel.Operator, &m.Optimiser
	checkKernel(v, c)
	gamma, _ := gammaNamed(op.Gamma)
	row, _ := operatorNamed(op.Name)
	loss, _ := find(lossKinds, lossName, m.Loss.Name)
	learnt := gamma.learnt != 0
	v.Need(!learnt || o.Step != "newton", "model.optimiser.step", "must be plain or adagrad with operator.gamma: %s, because the curvature of newton does not follow a Gamma that moves", op.Gamma)
	v.Need(!learnt || op.Name == "decomposable", "model.kernel.operator.gamma", "can be learnt (%s) for decomposable operators only", op.Gamma)
	v.Need(o.Manifold == 0 || o.Step != "newton", "model.optimiser.manifold", "needs step: plain or adagrad, because the curvature of newton does not know this term")
	v.Need(o.ManifoldBatches == 1 || o.Manifold > 0, "model.optimiser.manifold_batches", "needs manifold > 0, whose term it is of")
	v.Need(o.Redraw == 0 || o.Blocks > 1, "model.optimiser.redraw", "needs 2 blocks or more, because redrawing the only block would forget everything")
	v.Need(o.Grow == 0 || o.Redraw == 0, "model.optimiser.grow", "excludes redraw, which would draw the new blocks again")
	v.Need(o.Grow == 0 || o.Features != "redraw", "model.optimiser.grow", "excludes features: redraw, whose blocks are not in memory")
	v.Need(o.Grow == 0 || o.Warm == 0, "model.optimiser.grow", "excludes warm, which fits the blocks that exist at the start")
	v.Need(o.Grow == 0 || o.MostBlocks > o.Blocks, "model.optimiser.most_blocks", "must be above blocks = %d with grow, got %d", o.Blocks, o.MostBlocks)
	v.Need(o.Grow > 0 || o.MostBlocks == 0, "model.optimiser.most_blocks", "is read with grow alone")
	if o.Warm > 0 {
		v.Need(o.Solver != "ridge" || op.Name == "decomposable" && o.Blocks == 1, "model.optimiser.solver", "ridge is the closed form of a decomposable operator and one block; take cg")
		v.Need(m.Loss.Name == "squared" || o.Solver == "auto" || o.Solver == "lbfgs", "model.optimiser.solver", "must be lbfgs with the loss %s: %s minimises squares", m.Loss.Name, o.Solver)
	}
	if o.GroupLasso > 0 {
		v.Need(o.Step == "plain", "model.optimiser.group_lasso", "needs step: plain, because a proximal step is not one in the direction of %s", o.Step)
		v.Need(!k.Linear, "model.optimiser.group_lasso", "needs kernel.linear: false, because its groups are frequencies")
		v.Need(hasFrequencies(*k) && k.Sampling != "phase" && row.columns != nil && !op.Reduced,
			"model.optimiser.group_lasso", "needs features that come as a cosine and a sine of each frequency")
	}
	v.Need(o.Step != "newton" || loss.newton, "model.loss.name", "must be squared or huber with optimiser.step: newton, which has the curvature of the squared loss; got %s", m.Loss.Name)
	checkLevel(v, m.Loss)
}

func checkLevel(v *config.Checker, l config.Loss) {
	v.Need(l.Name != "pinball" || l.Parameter > 0 && l.Parameter < 1, "model.loss.parameter", "is the level of pinball, in (0, 1), got %v", l.Parameter)
}

// smooth returns the reason why the forecasts of a kernel have no derivative; "": they have one.
func smooth(m *config.Model) string {
	for _, p := range parts(m.Kernel) {
		if p.rough != "" {
			return "needs a derivative: " + p.rough
		}
	}
	return ""
}

// TryModel constructs the kernel model of cfg, if the number of variables is known. The constructor returns an error for
// combinations that are impossible, for example because a step needs too much memory.
func TryModel(cfg *config.Config) error {
	dim, ok := cfg.Dim()
	if !ok || !IsKernelModel(cfg.Model.Type) {
		return nil
	}
	_, err := NewModel(cfg.Model, dim, false)
	if err == nil || strings.HasPrefix(err.Error(), "model.") {
		return err
	}
	return fmt.Errorf("model: %w", err)
}
