package wire

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd/penalties"
)

// operator is a row of the table of operators, which make a scalar kernel operator-valued.
type operator struct {
	name    string // value of model.kernel.operator.name
	formula string
	when    string // reason to choose it
	example string // keys below model:
	trials  []Trial

	field  bool // the kernel of a vector field, which maps R^d to R^d
	linear bool // handles model.kernel.linear itself

	// columns returns the weights of each frequency, for the group lasso; nil: weights do not belong to single
	// frequencies.
	columns func(op config.Operator, dim, draws int) (penalties.Columns, error)

	// make returns the map with bandwidth 1 from in inputs to dim outputs.
	make func(k config.Kernel, dim, in, draws int, r random.Rand) (orff.Map, error)
}

// operators is the table.
var operators = []operator{
	{
		name: "decomposable", formula: "k Γ", when: "all variables share a kernel; Γ says which of them go together", example: "kernel: {operator: {name: decomposable}}",
		linear: true, columns: decomposableColumns, make: newDecomposable,
	},
	{
		name: "curl_free", formula: "gradients of potentials", when: "each variable descends in a landscape that they share; order 1", example: "kernel: {operator: {name: curl_free}}",
		trials: []Trial{
			{Name: "curl_free", Sets: "model.kernel.operator.name=curl_free", Most: 16},
			{Name: "curl_free, form: unbounded", Sets: "model.kernel.operator.name=curl_free model.kernel.operator.form=unbounded", Most: 16},
			{Name: "curl_free, inputs: standardised", Sets: "model.kernel.operator.name=curl_free model.kernel.inputs=standardised", Most: 16},
		},
		field: true,
		columns: func(_ config.Operator, _, draws int) (penalties.Columns, error) {
			return penalties.Columns{Inner: 1, D: draws}, nil
		},
		make: newField,
	},
	{
		name: "divergence_free", formula: "incompressible flows", when: "variables are positions in a flow; order 1. `reduced: true` has fewer weights", example: "kernel: {operator: {name: divergence_free, reduced: true}}",
		trials: []Trial{
			{Name: "divergence_free", Sets: "model.kernel.operator.name=divergence_free", Most: 3},
			{Name: "divergence_free, reduced", Sets: "model.kernel.operator.name=divergence_free model.kernel.operator.reduced=true", Most: 3},
		},
		field: true,
		columns: func(_ config.Operator, dim, draws int) (penalties.Columns, error) {
			return penalties.Columns{Inner: dim, D: draws}, nil
		},
		make: newField,
	},
	{
		name: "helmholtz", formula: "`mix` of the two", when: "both may hold; order 1", example: "kernel: {operator: {name: helmholtz, mix: 0.2}}",
		trials: []Trial{
			{Name: "helmholtz", Sets: "model.kernel.operator.name=helmholtz", Most: 3},
			{Name: "helmholtz, inputs: standardised", Sets: "model.kernel.operator.name=helmholtz model.kernel.inputs=standardised", Most: 3},
		},
		field: true, make: newField,
	},
	{
		name: "transformable", formula: "k(lags of i, lags of j)", when: "every variable follows its own past in the same way", example: "kernel: {operator: {name: transformable}}",
		trials: []Trial{{Name: "transformable", Sets: "model.kernel.operator.name=transformable", Most: 16}},
		make: func(k config.Kernel, dim, in, draws int, r random.Rand) (orff.Map, error) {
			return newTransformable(k, dim, in, dim, draws, r)
		},
	},
	{
		name: "schur", formula: "k(x,z) Γ ∘ the transformable one", when: "own past, changed by the others: the kernel of OKVAR", example: "kernel: {operator: {name: schur}}",
		trials: []Trial{{Name: "schur", Sets: "model.kernel.operator.name=schur", Most: 3}},
		make:   newSchur,
	},
	{
		name: "tensor", formula: "k(lags of group i, lags of group j) ⊗ Γ", when: "sites with the same quantities obey one law", example: "kernel: {operator: {name: tensor, groups: 4}}",
		trials: []Trial{{Name: "tensor", Sets: "model.kernel.operator.name=tensor", Most: 16, Groups: true}},
		make:   newTensor,
	},
}

func operatorName(o operator) []string { return []string{o.name} }

func operatorNamed(name string) (operator, bool) { return find(operators, operatorName, name) }

// NewMap returns the map of an operator-valued kernel with bandwidth 1, from in inputs to dim outputs, with a number of
// draws.
func NewMap(k config.Kernel, dim, in, draws int, r random.Rand) (orff.Map, error) {
	row, ok := operatorNamed(k.Operator.Name)
	if !ok {
		return nil, fmt.Errorf("model.kernel.operator.name: there is no operator %q", k.Operator.Name)
	}
	m, err := row.make(k, dim, in, draws, r)
	if err != nil || !k.Linear || row.linear {
		return m, err
	}
	l, err := orff.NewLinear(in, 1)
	if err != nil {
		return nil, err
	}
	return algebra.NewSum([]float64{1, 1}, orff.NewDecomposable(l, coupling.Identity(dim)), m)
}
