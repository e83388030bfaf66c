package wire

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/random"
)

// newTransformable returns the map of K_ij(x, z) = k(lags of group i in x, lags of group j in z). A group is a number of
// neighbouring variables.
func newTransformable(k config.Kernel, dim, in, groups, draws int, r random.Rand) (orff.Map, error) {
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
	psi, err := algebra.NewLinearTransform(in, groups, each, a)
	if err != nil {
		return nil, err
	}
	s, err := newScalar(k, each, draws, r)
	if err != nil {
		return nil, err
	}
	return algebra.NewTransformable(s, psi)
}

// newSchur returns the map of the entrywise product of a decomposable and a transformable kernel. It has one weight per
// pair of draws, so each factor has sqrt(draws).
func newSchur(k config.Kernel, dim, in, draws int, r random.Rand) (orff.Map, error) {
	root := max(int(math.Sqrt(float64(draws))), 1)
	out, err := newOutput(k.Operator, dim)
	if err != nil {
		return nil, err
	}
	second := random.Block(r.Uint64(), 1)
	s, err := newScalar(k, in, root, r)
	if err != nil {
		return nil, err
	}
	each, err := newTransformable(k, dim, in, dim, root, second)
	if err != nil {
		return nil, err
	}
	return algebra.NewSchur(orff.NewDecomposable(s, out), each)
}

// newTensor returns the map of the tensor product of a transformable kernel between groups and Gamma within a group.
func newTensor(k config.Kernel, dim, in, draws int, r random.Rand) (orff.Map, error) {
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
	constant, err := maclaurin.NewKakade(maclaurin.Coefficients{1}, maclaurin.Rademacher, in, 1, r)
	if err != nil {
		return nil, err
	}
	return algebra.NewTensor(each, orff.NewDecomposable(constant, out))
}
