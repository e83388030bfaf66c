package algebra

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// productMap is the map of k(x, z) K(x, z), a scalar kernel times an operator-valued kernel: phi_k(x) (x) Phi(x).
// Parameter block c belongs to feature c of k, and has the length of the parameters of K. phi = [phi_k; phi_K].
type productMap struct {
	scalar orff.Scalar
	m      orff.Map
	r      int
	d      sgd.Dims  // dimensions of m
	theta  []float64 // scratch: sum_c phi_c theta_c
	c      []float64 // scratch, r
	g      []float64 // scratch, In
	k      []float64 // scratch, Out x Out
}

// NewProduct returns the map of k K for two maps of the same input, drawn independently.
func NewProduct(s orff.Scalar, m orff.Map) (orff.Map, error) {
	d := m.Dims()
	if s.In() != d.In {
		return nil, fmt.Errorf("orff: the factors of a product must share their input, lengths are %d and %d", s.In(), d.In)
	}
	return &productMap{scalar: s, m: m, r: s.Len(), d: d, theta: make([]float64, d.Params), c: make([]float64, s.Len()), g: make([]float64, d.In), k: make([]float64, d.Out*d.Out)}, nil
}

func (m *productMap) Dims() sgd.Dims {
	return sgd.Dims{In: m.d.In, Out: m.d.Out, Features: m.r + m.d.Features, Params: m.r * m.d.Params}
}

func (m *productMap) FeaturesTo(phi, x []float64) {
	m.scalar.FeaturesTo(phi[:m.r], x)
	m.m.FeaturesTo(phi[m.r:], x)
}

func (m *productMap) PredictTo(y, phi, theta []float64) {
	vec.MatTVec(m.theta, theta, phi[:m.r])
	m.m.PredictTo(y, phi[m.r:], m.theta)
}

func (m *productMap) AddGradient(g []float64, alpha float64, phi, r []float64) {
	clear(m.theta)
	m.m.AddGradient(m.theta, alpha, phi[m.r:], r)
	vec.AddOuter(g, 1, phi[:m.r], m.theta)
}

// PullbackTo applies the product rule.
func (m *productMap) PullbackTo(g, x, phi, theta, r []float64) {
	clear(m.theta)
	m.m.AddGradient(m.theta, 1, phi[m.r:], r)
	vec.MatVec(m.c, theta, m.theta)
	m.scalar.(orff.SmoothScalar).GradientTo(m.g, x, phi[:m.r], m.c)
	vec.MatTVec(m.theta, theta, phi[:m.r])
	m.m.(optional.SmoothMap).PullbackTo(g, x, phi[m.r:], m.theta, r)
	vec.Axpy(1, m.g, g)
}

func (m *productMap) Smooth() error { return optional.Smooth(m.scalar, m.m) }

// Check returns the first error of a factor.
func (m *productMap) Check(x []float64) error { return optional.CheckBoth(m.scalar, m.m, x) }

// State saves or restores both factors.
func (m *productMap) State(c *snapshot.Codec) {
	c.Section("product")
	m.scalar.State(c)
	optional.State(m.m, c)
}

func (m *productMap) RedrawFrom(r *random.Rand) bool {
	return optional.Redraw(m.scalar, r) && optional.Redraw(m.m, r)
}
func (m *productMap) Weigh(s float64) bool { return optional.Weigh(m.scalar, s) }

func (m *productMap) KernelTo(k, x, z []float64) {
	orff.KernelTo(k, m.m, x, z)
	vec.Scale(orff.Kernel(m.scalar, x, z), k)
}

// VarianceTo: E (k~ K~)(k~ K~)^T = E k~^2 E K~ K~^T for independent factors.
func (m *productMap) VarianceTo(v, x, z []float64) {
	p := m.d.Out
	k, kk := make([]float64, p*p), make([]float64, p*p)
	orff.KernelTo(k, m.m, x, z)
	vec.MatMulT(kk, k, k, p, p, p)
	optional.VarianceTo(v, m.m, x, z)
	s, sv := orff.Kernel(m.scalar, x, z), optional.Variance(m.scalar, x, z)
	for i := range v {
		v[i] = (sv+s*s)*v[i] + sv*kk[i]
	}
}

func (m *productMap) KernelSmooth() error { return optional.KernelSmooth(m.scalar, m.m) }

// KernelPullTo applies the product rule.
func (m *productMap) KernelPullTo(g, x, z, r, a []float64) {
	m.m.(optional.SlopedMap).KernelPullTo(g, x, z, r, a)
	vec.Scale(orff.Kernel(m.scalar, x, z), g)
	orff.KernelTo(m.k, m.m, x, z)
	m.scalar.(optional.SlopedScalar).KernelSlopeTo(m.g, x, z)
	vec.Axpy(numeric.Bilinear(m.k, r, a), m.g, g)
}
