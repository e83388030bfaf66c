package orff_test

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// integralMap is the map of the Hilbert-Schmidt integral kernel (Brault 2017,
// section 9.1): the output of h at x is a function of tau,
//
//	h(x)(tau) = phi_X(x)^T Theta phi_T(tau).
//
// As a Map it has the input (x, tau) and one output. Its kernel is k_X(x, x') k_T(tau, tau'). theta = vec(Theta),
// column by column, and phi = [phi_X(x); phi_T(tau)].
type integralMap struct {
	x, t   orff.Scalar
	rx, rt int
	u, ux  []float64 // scratch: rt, rx
}

// newIntegral returns the map for a map x of the inputs and a map t of tau.
func newIntegral(x, t orff.Scalar) *integralMap {
	return &integralMap{x: x, t: t, rx: x.Len(), rt: t.Len(), u: make([]float64, t.Len()), ux: make([]float64, x.Len())}
}

// outputGrid restricts tau to the rows of a grid, m x d_T row-major. With this operator, a Decomposable of phi_X
// predicts h(x) at all rows: Gamma_ij = phi_T(tau_i).phi_T(tau_j).
func outputGrid(t orff.Scalar, grid []float64) (coupling.Operator, error) {
	d, r := t.In(), t.Len()
	if len(grid) == 0 || len(grid)%d != 0 {
		return coupling.Operator{}, fmt.Errorf("orff: a grid needs whole rows of %d coordinates, got %d numbers", d, len(grid))
	}
	m := len(grid) / d
	b := make([]float64, m*r)
	for i := range m {
		t.FeaturesTo(b[i*r:(i+1)*r], grid[i*d:(i+1)*d])
	}
	return coupling.FromFactor(m, r, b)
}

func (m *integralMap) Dims() sgd.Dims {
	return sgd.Dims{In: m.x.In() + m.t.In(), Out: 1, Features: m.rx + m.rt, Params: m.rx * m.rt}
}

// split returns the two parts of an input.
func (m *integralMap) split(x []float64) (a, tau []float64) { return x[:m.x.In()], x[m.x.In():] }

func (m *integralMap) FeaturesTo(phi, x []float64) {
	if len(phi) != m.rx+m.rt || len(x) != m.x.In()+m.t.In() {
		panic(check.BadLength)
	}
	a, tau := m.split(x)
	m.x.FeaturesTo(phi[:m.rx], a)
	m.t.FeaturesTo(phi[m.rx:], tau)
}

func (m *integralMap) PredictTo(y, phi, theta []float64) {
	if len(y) != 1 || len(phi) != m.rx+m.rt {
		panic(check.BadLength)
	}
	vec.MatVec(m.u, theta, phi[:m.rx])
	y[0] = vec.Dot(m.u, phi[m.rx:])
}

func (m *integralMap) AddGradient(g []float64, alpha float64, phi, r []float64) {
	if len(r) != 1 || len(phi) != m.rx+m.rt {
		panic(check.BadLength)
	}
	vec.AddOuter(g, alpha*r[0], phi[m.rx:], phi[:m.rx])
}

// PullbackTo differentiates in one part of the input, with the other part fixed.
func (m *integralMap) PullbackTo(g, x, phi, theta, r []float64) {
	a, tau := m.split(x)
	ga, gt := m.split(g)
	vec.MatTVec(m.ux, theta, phi[m.rx:])
	m.x.(orff.SmoothScalar).GradientTo(ga, a, phi[:m.rx], m.ux)
	vec.MatVec(m.u, theta, phi[:m.rx])
	m.t.(orff.SmoothScalar).GradientTo(gt, tau, phi[m.rx:], m.u)
	vec.Scale(r[0], g)
}

func (m *integralMap) Smooth() error { return optional.Smooth(m.x, m.t) }

// Check returns the first error of the two maps.
func (m *integralMap) Check(x []float64) error {
	a, tau := m.split(x)
	if err := orff.CheckInput(m.x, a); err != nil {
		return err
	}
	return orff.CheckInput(m.t, tau)
}

// State saves or restores both maps.
func (m *integralMap) State(c *snapshot.Codec) {
	c.Section("integral")
	m.x.State(c)
	m.t.State(c)
}

func (m *integralMap) RedrawFrom(r *random.Rand) bool {
	return optional.Redraw(m.x, r) && optional.Redraw(m.t, r)
}
func (m *integralMap) Weigh(s float64) bool { return optional.Weigh(m.x, s) }

func (m *integralMap) KernelTo(k, x, z []float64) {
	a, s := m.split(x)
	b, t := m.split(z)
	k[0] = orff.Kernel(m.x, a, b) * orff.Kernel(m.t, s, t)
}

func (m *integralMap) VarianceTo(v, x, z []float64) {
	a, s := m.split(x)
	b, t := m.split(z)
	v[0] = numeric.ProductVariance(orff.Kernel(m.x, a, b), optional.Variance(m.x, a, b), orff.Kernel(m.t, s, t), optional.Variance(m.t, s, t))
}

func (m *integralMap) KernelSmooth() error { return optional.KernelSmooth(m.x, m.t) }

func (m *integralMap) KernelPullTo(g, x, z, r, a []float64) {
	u, s := m.split(x)
	v, t := m.split(z)
	gu, gs := m.split(g)
	m.x.(optional.SlopedScalar).KernelSlopeTo(gu, u, v)
	vec.Scale(orff.Kernel(m.t, s, t), gu)
	m.t.(optional.SlopedScalar).KernelSlopeTo(gs, s, t)
	vec.Scale(orff.Kernel(m.x, u, v), gs)
	vec.Scale(r[0]*a[0], g)
}
