package wire

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/varmodel/kernel"
)

// gamma is a row of the table of matrices between the outputs.
type gamma struct {
	name    string // value of model.kernel.operator.gamma
	when    string // reason to choose it
	example string // keys below model:
	trials  []Trial
	matrix  bool               // needs model.kernel.operator.matrix
	learnt  kernel.GammaSource // source of a Gamma that is learnt online and starts as the identity

	make func(op config.Operator, dim int) (coupling.Operator, error)
}

// gammas is the table.
var gammas = []gamma{
	{name: "identity", when: "nothing is known", example: "kernel: {operator: {gamma: identity}}", make: identity},
	{
		name: "matrix", when: "it is known which variables move alike", example: "kernel: {operator: {gamma: matrix, matrix: [1, 0.5, 0, 0.5, 1, 0, 0, 0, 1]}}",
		matrix: true, make: func(op config.Operator, dim int) (coupling.Operator, error) { return coupling.New(dim, op.Matrix) },
	},
	{
		name: "graph", when: "the neighbours are known: the weights of a graph, of which Γ is the inverse Laplacian; `eta: 0` for variables without a common level",
		example: "kernel: {operator: {gamma: graph, matrix: [0, 1, 0, 1, 0, 1, 0, 1, 0], eta: 0.1}}",
		matrix:  true, make: graphOutput,
	},
	{
		name: "low_rank", when: "many variables move in few directions, the `rank` largest of `matrix`",
		example: "kernel: {operator: {gamma: low_rank, rank: 1, matrix: [1, 0.9, 0.9, 0.9, 1, 0.9, 0.9, 0.9, 1]}}",
		matrix:  true, make: func(op config.Operator, dim int) (coupling.Operator, error) {
			return coupling.LowRank(dim, op.Rank, op.Matrix)
		},
	},
	{
		name: "simplex", when: "variables are shares of a whole", example: "kernel: {operator: {gamma: simplex}}",
		make: func(_ config.Operator, dim int) (coupling.Operator, error) { return coupling.NewSimplex(dim) },
	},
	{
		name: "positions", when: "variables are values of one function: sensors on a line, maturities of a curve (the integral kernel on a grid)",
		example: "kernel: {operator: {gamma: positions, positions: [0, 1, 5], length: 2}}",
		trials:  []Trial{{Name: "gamma: positions", Sets: "model.kernel.operator.gamma=positions"}}, make: positionsOutput,
	},
	{
		name: "correlations", when: "Γ should follow the running correlations of the increments; with `step: plain` or `adagrad`",
		example: "kernel: {operator: {gamma: correlations}}, optimiser: {step: plain}",
		trials:  []Trial{{Name: "plain, gamma: correlations", Sets: "model.optimiser.step=plain model.kernel.operator.gamma=correlations"}},
		learnt:  kernel.Correlations, make: identity,
	},
	{
		name: "correlation_graph", when: "the same, by the graph of these correlations", example: "kernel: {operator: {gamma: correlation_graph}}, optimiser: {step: plain}",
		learnt: kernel.CorrelationGraph, make: identity,
	},
	{
		name: "residuals", when: "Γ should follow the correlations of the errors", example: "kernel: {operator: {gamma: residuals}}, optimiser: {step: adagrad}",
		trials: []Trial{{Name: "plain, gamma: residuals", Sets: "model.optimiser.step=plain model.kernel.operator.gamma=residuals"}},
		learnt: kernel.ResidualGamma, make: identity,
	},
}

func gammaName(g gamma) []string { return []string{g.name} }

func gammaNamed(name string) (gamma, bool) { return find(gammas, gammaName, name) }

// newOutput returns Gamma, dim x dim.
func newOutput(op config.Operator, dim int) (coupling.Operator, error) {
	row, ok := gammaNamed(op.Gamma)
	if !ok {
		return coupling.Operator{}, fmt.Errorf("model.kernel.operator.gamma: there is no Gamma %q", op.Gamma)
	}
	if n := len(op.Matrix); row.matrix && n != dim*dim {
		return coupling.Operator{}, fmt.Errorf("model.kernel.operator.matrix: must have %d x %d numbers for %d variables, got %d", dim, dim, dim, n)
	}
	return row.make(op, dim)
}

// LearntGamma reports whether the Gamma of an operator is learnt online.
func LearntGamma(op config.Operator) bool {
	row, _ := gammaNamed(op.Gamma)
	return row.learnt != 0
}

func identity(_ config.Operator, dim int) (coupling.Operator, error) {
	return coupling.Identity(dim), nil
}

func graphOutput(op config.Operator, dim int) (coupling.Operator, error) {
	gamma, err := coupling.GraphGammaCentred(dim, op.Matrix)
	if op.Eta > 0 {
		gamma, err = coupling.GraphGamma(dim, op.Matrix, op.Eta)
	}
	if err != nil {
		return coupling.Operator{}, err
	}
	return coupling.New(dim, gamma)
}

// positionsOutput is Gamma_ij = exp(-(p_i - p_j)^2/(2 length^2)): the integral
// kernel of functions of a position, on the grid of the variables' positions.
func positionsOutput(o config.Operator, dim int) (coupling.Operator, error) {
	p := o.Positions
	if len(p) == 0 {
		for i := range dim {
			p = append(p, float64(i))
		}
	}
	if len(p) != dim {
		return coupling.Operator{}, fmt.Errorf("model.kernel.operator.positions: must have %d numbers, got %d", dim, len(p))
	}
	scalar := spectrum.Gaussian{Sigma: o.Length}
	gamma := make([]float64, dim*dim)
	for i := range dim {
		for j := range dim {
			gamma[i*dim+j] = scalar.K0([]float64{p[i] - p[j]})
		}
	}
	return coupling.New(dim, gamma)
}
