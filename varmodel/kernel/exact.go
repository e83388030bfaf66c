package kernel

import (
	"errors"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"gonum.org/v1/gonum/floats"
)

// exactKernel implements sgd.Kernel: the kernel that a map approximates.
type exactKernel struct {
	m       orff.Map
	in, out int
	k       []float64 // scratch, out x out

	// For a decomposable kernel only: k, Gamma and its eigenvectors, one per row.
	scalar        orff.Scalar
	gamma, u      []float64
	gains, scaled []float64

	slope   *orff.KernelSlope // of m, or of k alone when it is decomposable
	rough   error             // reason if slope is nil
	g, unit []float64         // scratch: in, out
}

func newExactKernel(m orff.Map) (*exactKernel, error) {
	d := m.Dims()
	k := &exactKernel{m: m, in: d.In, out: d.Out, k: make([]float64, d.Out*d.Out), scaled: make([]float64, d.Out), g: make([]float64, d.In), unit: make([]float64, d.Out)}
	sloped := m
	if dec, ok := m.(*orff.Decomposable); ok {
		k.scalar, k.gamma = dec.Scalar(), dec.Output().Gamma()
		sloped = orff.NewDecomposable(k.scalar, coupling.Identity(1))
		var err error
		if k.gains, k.u, err = eigenOf(dec.Output()); err != nil {
			return nil, err
		}
		if dec.Output().IsIdentity() {
			k.gamma = nil
		}
	}
	k.slope, k.rough = orff.NewKernelSlope(sloped)
	if math.IsNaN(k.size()) {
		return nil, errors.New("varmodel: the kernel of this map has no closed form")
	}
	return k, nil
}

// size returns kernelSize of the map.
func (k *exactKernel) size() float64 { return kernelSize(k.m) }

// kernelSize returns the largest row sum of |K(x, x)|, an upper bound of its norm, at the x with all coordinates 1/2. This
// x is inside every domain and, with a median distance of 1, far from most inputs.
func kernelSize(m orff.Map) float64 {
	d := m.Dims()
	x, k := make([]float64, d.In), make([]float64, d.Out*d.Out)
	for i := range x {
		x[i] = 0.5
	}
	orff.KernelTo(k, m, x, x)
	return maxRowSum(k, d.Out)
}

// maxRowSum returns max_i sum_j |a_ij| of a matrix with n columns, an upper bound of its norm.
func maxRowSum(a []float64, n int) (top float64) {
	for i := 0; i < len(a); i += n {
		top = max(top, floats.Norm(a[i:i+n], 1))
	}
	return top
}

// AddProduct adds alpha K(x, z) a to y.
func (k *exactKernel) AddProduct(y []float64, alpha float64, x, z, a []float64) {
	if k.scalar == nil {
		orff.KernelTo(k.k, k.m, x, z)
		vec.MatVec(k.scaled, k.k, a)
		vec.Axpy(alpha, k.scaled, y)
		return
	}
	alpha *= orff.Kernel(k.scalar, x, z)
	if math.IsNaN(alpha) { // outside of the domain of the kernel
		return
	}
	if k.gamma == nil {
		vec.Axpy(alpha, a, y)
		return
	}
	vec.MatVec(k.scaled, k.gamma, a)
	vec.Axpy(alpha, k.scaled, y)
}

// addJacobian adds the derivative of alpha K(x, z) a with respect to x to jac, out x in.
func (k *exactKernel) addJacobian(jac []float64, alpha float64, x, z, a []float64) {
	if k.scalar != nil {
		k.slope.PullbackTo(k.g, x, z, one, one)
		if k.gamma != nil {
			vec.MatVec(k.scaled, k.gamma, a)
			a = k.scaled
		}
		vec.AddOuter(jac, alpha, a, k.g)
		return
	}
	for i := range k.unit {
		k.unit[i] = alpha
		k.slope.PullbackTo(k.g, x, z, k.unit, a)
		vec.Axpy(1, k.g, jac[i*k.in:(i+1)*k.in])
		k.unit[i] = 0
	}
}

var one = []float64{1}

// eigenOf returns the positive eigenvalues of Gamma, equal ones next to each other, and their eigenvectors, one per row.
func eigenOf(out coupling.Operator) (gains, u []float64, err error) {
	p, _ := out.Dims()
	if !out.IsIdentity() { // a factor B need not have orthogonal columns
		if out, err = coupling.New(p, out.Gamma()); err != nil {
			return nil, nil, err
		}
	}
	_, inner := out.Dims()
	b := out.Factor() // columns sqrt(g_k) u_k
	u = make([]float64, inner*p)
	for k := range inner {
		var g float64
		for i := range p {
			g += b[i*inner+k] * b[i*inner+k]
		}
		for i := range p {
			u[k*p+i] = b[i*inner+k] / math.Sqrt(g)
		}
		if k > 0 && math.Abs(g-gains[k-1]) <= 1e-9*g {
			g = gains[k-1] // equal but for rounding
		}
		gains = append(gains, g)
	}
	return gains, u, nil
}
