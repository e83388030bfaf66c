package vectorfield

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// CurlFree is the map of the curl-free Gaussian kernel (Brault 2017, section
// 4.2.2.3)
//
//	K0(delta) = (1/sigma^2) exp(-||delta||^2/(2 sigma^2)) (I - delta delta^T/sigma^2)
//
// from R^d to R^d, whose predictions are gradients:
//
//	h(x) = (1/sqrt(D)) sum_j B_j (theta^c_j cos(omega_j.x) + theta^s_j sin(omega_j.x))
//
// with B_j = omega_j (Unbounded) or (sqrt(d)/sigma) omega_j/||omega_j|| (Bounded);
// theta = [theta^c; theta^s] has 2D numbers.
type CurlFree struct {
	field
	b []float64 // B_j = b_j omega_j/(2 pi)
	q []float64 // scratch, n
}

// NewCurlFree draws D frequencies in R^d.
func NewCurlFree(sigma float64, d, D int, form Form, r random.Rand) (*CurlFree, error) {
	f, err := newField("curl-free", sigma, d, D, form)
	if err != nil {
		return nil, err
	}
	m := &CurlFree{field: f, b: make([]float64, D), q: make([]float64, D)}
	m.kernel, m.vary, m.settle = curlKernelTo, curlFreeVarianceTo, m.settleB
	m.RedrawFrom(&r)
	return m, nil
}

func (m *CurlFree) Dims() sgd.Dims {
	return sgd.Dims{In: m.d, Out: m.d, Features: 2 * m.n, Params: 2 * m.n}
}

func (m *CurlFree) PredictTo(y, phi, theta []float64) {
	n := m.n
	if len(y) != m.d || len(phi) != 2*n || len(theta) != 2*n {
		panic(check.BadLength)
	}
	for j, b := range m.b {
		m.v[j] = b * (phi[j]*theta[j] + phi[n+j]*theta[n+j])
	}
	vec.MatVec(y, m.w, m.v)
}

func (m *CurlFree) AddGradient(g []float64, alpha float64, phi, r []float64) {
	n := m.n
	if len(g) != 2*n || len(phi) != 2*n || len(r) != m.d {
		panic(check.BadLength)
	}
	vec.MatTVec(m.q, m.w, r)
	for j, b := range m.b {
		q := alpha * b * m.q[j]
		g[j] += q * phi[j]
		g[n+j] += q * phi[n+j]
	}
}

// PullbackTo: J = (1/sqrt(D)) sum_j s_j B_j omega_j^T, symmetric.
func (m *CurlFree) PullbackTo(g, x, phi, theta, r []float64) {
	n := m.n
	vec.MatTVec(m.q, m.w, r)
	for j, b := range m.b {
		m.v[j] = 2 * math.Pi * b * m.q[j] * (phi[j]*theta[n+j] - phi[n+j]*theta[j])
	}
	vec.MatVec(g, m.w, m.v)
}

func (m *CurlFree) settleB() {
	for j, n := range m.norm {
		switch {
		case n < tiny:
			m.b[j] = 0
		case m.form == Bounded:
			m.b[j] = 2 * math.Pi * m.bound() / n
		default:
			m.b[j] = 2 * math.Pi
		}
	}
}

// curlFreeVarianceTo writes the variance of one draw of the curl-free map at a lag, d x d. The variance of the mean of D
// draws is this variance / D.
func curlFreeVarianceTo(v, delta []float64, sigma float64, form Form) {
	kernel := func(k, lag []float64) { curlKernelTo(k, lag, sigma) }
	second := func(m, lag []float64) { fourthTo(m, lag, sigma) }
	if form == Bounded { // A^2 = (d/sigma^2) A
		second = boundedSecond(kernel, len(delta), sigma)
	}
	fieldVarianceTo(v, delta, second, kernel)
}

// boundedSecond writes E cos A^2 = (d/sigma^2) K0 for a bounded map.
func boundedSecond(kernel func(k, lag []float64), d int, sigma float64) func(m, lag []float64) {
	return func(m, lag []float64) {
		kernel(m, lag)
		vec.Scale(float64(d)/(sigma*sigma), m)
	}
}

func (m *CurlFree) KernelPullTo(g, x, z, r, a []float64) {
	numeric.LagTo(m.delta, x, z)
	m.fieldPullTo(g, r, a, -1, 1, 0)
}

// Estimate: E||A^2|| of the unbounded maps is (d+2)/sigma^4 and (d+2)(d-1)/sigma^4.
func (m *CurlFree) Estimate() (bound.Estimate, error) {
	s2 := m.sigma * m.sigma
	return fieldEstimate(&m.field, 1/s2, float64(m.d+2)/(s2*s2)), nil
}
