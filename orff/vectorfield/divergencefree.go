package vectorfield

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// DivergenceFree is the map of the divergence-free Gaussian kernel (Brault 2017,
// section 4.2.2.4)
//
//	K0(delta) = (1/sigma^2) exp(-||delta||^2/(2 sigma^2))
//	            (delta delta^T/sigma^2 + (d - 1 - ||delta||^2/sigma^2) I)
//
// from R^d to R^d, d >= 2. With the projector P_j = I - omega_j omega_j^T/||omega_j||^2
//
//	h(x) = (1/sqrt(D)) sum_j B_j (theta^c_j cos(omega_j.x) + theta^s_j sin(omega_j.x))
//
// and B_j = ||omega_j|| P_j (Unbounded) or (sqrt(d)/sigma) P_j (Bounded). B_j is never formed. theta has the D vectors
// theta^c_j, then the D vectors theta^s_j.
//
// The reduced map replaces P_j by an orthonormal basis of the complement of omega_j, d x (d-1): the last columns of a
// Householder reflection. It has the same kernel with d-1 instead of d parameters per frequency and term.
type DivergenceFree struct {
	field
	inner, skip int       // p' and d - p'
	m           []float64 // norm of B_j
	e           []float64 // n x d; B_j t = m_j (t' - factor e_j (e_j.t')), where t' is t after skip zeros
	factor      float64
	sized       []float64 // scratch, 2n
}

// NewDivergenceFree draws D frequencies in R^d, d >= 2.
func NewDivergenceFree(sigma float64, d, D int, form Form, reduced bool, r random.Rand) (*DivergenceFree, error) {
	f, err := newField("divergence-free", sigma, d, D, form)
	if err != nil {
		return nil, err
	}
	if d == 1 {
		return nil, errors.New("orff: a divergence-free kernel needs d >= 2: in one dimension it is zero")
	}
	m := &DivergenceFree{field: f, inner: d, factor: 1, m: make([]float64, D), e: make([]float64, d*D), sized: make([]float64, 2*D)}
	if reduced {
		m.inner, m.skip, m.factor = d-1, 1, 2
	}
	m.kernel, m.vary, m.settle = divergenceKernelTo, divergenceFreeVarianceTo, m.settleB
	m.RedrawFrom(&r)
	return m, nil
}

func (m *DivergenceFree) Dims() sgd.Dims {
	return sgd.Dims{In: m.d, Out: m.d, Features: 2 * m.n, Params: 2 * m.n * m.inner}
}

func (m *DivergenceFree) PredictTo(y, phi, theta []float64) {
	n, p := m.n, m.inner
	if len(y) != m.d || len(phi) != 2*n || len(theta) != 2*n*p {
		panic(check.BadLength)
	}
	m.sizedTo(phi)
	for j := range m.v {
		e := m.Tail(j)
		m.v[j] = m.sized[j]*vec.Dot(e, theta[j*p:(j+1)*p]) + m.sized[n+j]*vec.Dot(e, theta[(n+j)*p:(n+j+1)*p])
	}
	vec.MatTVec(m.delta, m.e, m.v)
	clear(y)
	vec.MatTVec(y[m.skip:], theta, m.sized)
	vec.Axpy(-m.factor, m.delta, y)
}

// sizedTo sets sized to phi times the norms m_j.
func (m *DivergenceFree) sizedTo(phi []float64) {
	for j, size := range m.m {
		m.sized[j] = size * phi[j]
		m.sized[m.n+j] = size * phi[m.n+j]
	}
}

// Tail returns the elements of e_j that are multiplied with parameters.
func (m *DivergenceFree) Tail(j int) []float64 { return m.e[j*m.d+m.skip : (j+1)*m.d] }

func (m *DivergenceFree) AddGradient(g []float64, alpha float64, phi, r []float64) {
	n, p := m.n, m.inner
	if len(g) != 2*n*p || len(phi) != 2*n || len(r) != m.d {
		panic(check.BadLength)
	}
	m.sizedTo(phi)
	vec.AddOuter(g, alpha, m.sized, r[m.skip:])
	vec.MatVec(m.v, m.e, r)
	for j, along := range m.v {
		e := m.Tail(j)
		along *= -alpha * m.factor
		vec.Axpy(along*m.sized[j], e, g[j*p:(j+1)*p])
		vec.Axpy(along*m.sized[n+j], e, g[(n+j)*p:(n+j+1)*p])
	}
}

// PullbackTo: J = (1/sqrt(D)) sum_j B_j (theta^s_j cos - theta^c_j sin) omega_j^T. The trace of J is zero, because
// omega_j^T B_j = 0.
func (m *DivergenceFree) PullbackTo(g, x, phi, theta, r []float64) {
	n, p := m.n, m.inner
	m.sizedTo(phi)
	vec.MatVec(m.v, m.e, r)
	for j, along := range m.v {
		e := m.Tail(j)
		along *= m.factor
		tc, ts := theta[j*p:(j+1)*p], theta[(n+j)*p:(n+j+1)*p]
		qc := vec.Dot(r[m.skip:], tc) - along*vec.Dot(e, tc)
		qs := vec.Dot(r[m.skip:], ts) - along*vec.Dot(e, ts)
		m.v[j] = 2 * math.Pi * (m.sized[j]*qs - m.sized[n+j]*qc)
	}
	vec.MatVec(g, m.w, m.v)
}

func (m *DivergenceFree) settleB() {
	for j, n := range m.norm {
		e := m.e[j*m.d : (j+1)*m.d]
		copy(e, m.row(j))
		switch {
		case n < tiny:
			m.m[j] = 0
			clear(e)
			continue
		case m.form == Bounded:
			m.m[j] = m.bound()
		default:
			m.m[j] = n
		}
		for k := range e {
			e[k] /= n
		}
		if m.skip == 1 {
			// The reflection maps the first axis to e or -e, with the sign that avoids cancellation.
			e[0] += math.Copysign(1, e[0])
			n := math.Sqrt(numeric.SquaredNorm(e))
			for k := range e {
				e[k] /= n
			}
		}
	}
}

// divergenceFreeVarianceTo writes the variance of one draw of the
// divergence-free map at a lag, d x d.
func divergenceFreeVarianceTo(v, delta []float64, sigma float64, form Form) {
	d := len(delta)
	kernel := func(k, lag []float64) { divergenceKernelTo(k, lag, sigma) }
	second := func(m, lag []float64) { // A^2 = ||omega||^4 I - ||omega||^2 omega omega^T
		fourthTo(m, lag, sigma)
		var trace float64
		for i := range d {
			trace += m[i*d+i]
		}
		for i := range m {
			m[i] = -m[i]
		}
		for i := range d {
			m[i*d+i] += trace
		}
	}
	if form == Bounded {
		second = boundedSecond(kernel, d, sigma)
	}
	fieldVarianceTo(v, delta, second, kernel)
}

func (m *DivergenceFree) KernelPullTo(g, x, z, r, a []float64) {
	numeric.LagTo(m.delta, x, z)
	m.fieldPullTo(g, r, a, 1, float64(m.d-1), 1)
}

func (m *DivergenceFree) Estimate() (bound.Estimate, error) {
	s2, d := m.sigma*m.sigma, float64(m.d)
	return fieldEstimate(&m.field, (d-1)/s2, (d+2)*(d-1)/(s2*s2)), nil
}

// NewHelmholtz returns the map of beta times the curl-free kernel plus 1-beta times the divergence-free kernel, beta in
// [0, 1].
func NewHelmholtz(beta float64, curl *CurlFree, div *DivergenceFree) (orff.Map, error) {
	if !(beta >= 0 && beta <= 1) {
		return nil, fmt.Errorf("orff: a convex combination needs beta in [0, 1], got %g", beta)
	}
	return algebra.NewSum([]float64{beta, 1 - beta}, curl, div)
}
