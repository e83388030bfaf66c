package wire

import (
	"math"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd/penalties"
)

// newDecomposable returns the map of k(x, z) Gamma; with model.kernel.linear, of (k(x, z) + x.z) Gamma.
func newDecomposable(k config.Kernel, dim, in, draws int, r random.Rand) (orff.Map, error) {
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
		if s, err = algebra.NewScalarSum([]float64{1, 1}, l, s); err != nil {
			return nil, err
		}
	}
	return orff.NewDecomposable(s, out), nil
}

func decomposableColumns(op config.Operator, dim, draws int) (penalties.Columns, error) {
	out, err := newOutput(op, dim)
	if err != nil {
		return penalties.Columns{}, err
	}
	_, inner := out.Dims()
	return penalties.Columns{Inner: inner, D: draws, Rows: true}, nil
}

// newScalar returns the features of a scalar kernel with bandwidth 1, including the kernels in plus and times.
func newScalar(k config.Kernel, in, draws int, r random.Rand) (orff.Scalar, error) {
	each := draws
	if k.Times.Name != "" { // a product has one feature per pair of features
		each = max(int(math.Sqrt(float64(draws)/2)), 1)
	}
	rest := r
	if k.Plus.Name != "" || k.Times.Name != "" {
		rest = random.Block(r.Uint64(), 1)
	}
	s, err := newSingle(k, in, each, r)
	if err == nil && k.Plus.Name != "" {
		var other orff.Scalar
		if other, err = newPart(k.Plus.Name, k.Plus.Parameter, in, each, random.Block(rest.Uint64(), 1)); err == nil {
			s, err = algebra.NewScalarSum([]float64{1 - k.Plus.Weight, k.Plus.Weight}, s, other)
		}
	}
	if err == nil && k.Times.Name != "" {
		var other orff.Scalar
		if other, err = newPart(k.Times.Name, k.Times.Parameter, in, each, random.Block(rest.Uint64(), 1)); err == nil {
			s, err = algebra.NewScalarProduct(s, other)
		}
	}
	return s, err
}

// newPart returns the features of a second kernel.
func newPart(name string, parameter float64, in, draws int, r random.Rand) (orff.Scalar, error) {
	return newSingle(config.Kernel{Name: name, Parameter: parameter, Sampling: "iid"}, in, draws, r)
}
