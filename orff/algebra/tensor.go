package algebra

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/sgd"
)

// tensorMap is the map of the Kronecker product K_1 (x) K_2 on R^(p_1 p_2): Phi_1 (x) Phi_2. Output (k_1, k_2) has the
// index k_1 p_2 + k_2. theta is P_1 x P_2, row-major.
type tensorMap struct {
	pair

	u          []float64 // scratch, P_1 x p_2
	pa, ya, za []float64 // scratch: P_1, p_1, p_1
}

// NewTensor returns the map of K_1 (x) K_2 for two maps of the same input, drawn independently.
func NewTensor(a, b orff.Map) (orff.Map, error) {
	da, db := a.Dims(), b.Dims()
	if da.In != db.In {
		return nil, fmt.Errorf("orff: the factors of a tensor product must share their input, lengths are %d and %d", da.In, db.In)
	}
	return &tensorMap{
		pair: newPair(a, b), u: make([]float64, da.Params*db.Out),
		pa: make([]float64, da.Params), ya: make([]float64, da.Out), za: make([]float64, da.Out),
	}, nil
}

func (m *tensorMap) Dims() sgd.Dims { return m.dims(m.da.Out * m.db.Out) }

// rowsTo sets row i of u to Phi_2^T times row i of theta.
func (m *tensorMap) rowsTo(phi, theta []float64) {
	n, p := m.db.Params, m.db.Out
	for i := range m.da.Params {
		m.b.PredictTo(m.u[i*p:(i+1)*p], phi, theta[i*n:(i+1)*n])
	}
}

// column copies column k of the matrix a, with rows of length p, into dst.
func column(dst, a []float64, p, k int) {
	for i := range dst {
		dst[i] = a[i*p+k]
	}
}

func setColumn(a, src []float64, p, k int) {
	for i, v := range src {
		a[i*p+k] = v
	}
}

func (m *tensorMap) PredictTo(y, phi, theta []float64) {
	if len(y) != m.da.Out*m.db.Out || len(theta) != m.da.Params*m.db.Params {
		panic(check.BadLength)
	}
	a, b := m.split(phi)
	m.rowsTo(b, theta)
	p := m.db.Out
	for k := range p {
		column(m.pa, m.u, p, k)
		m.a.PredictTo(m.ya, a, m.pa)
		setColumn(y, m.ya, p, k)
	}
}

// outwardTo sets u = alpha Phi_1 R, where r is the matrix R, p_1 x p_2 row-major.
func (m *tensorMap) outwardTo(alpha float64, phi, r []float64) {
	p := m.db.Out
	for k := range p {
		column(m.ya, r, p, k)
		clear(m.pa)
		m.a.AddGradient(m.pa, alpha, phi, m.ya)
		setColumn(m.u, m.pa, p, k)
	}
}

func (m *tensorMap) AddGradient(g []float64, alpha float64, phi, r []float64) {
	if len(r) != m.da.Out*m.db.Out || len(g) != m.da.Params*m.db.Params {
		panic(check.BadLength)
	}
	a, b := m.split(phi)
	m.outwardTo(alpha, a, r)
	n, p := m.db.Params, m.db.Out
	for i := range m.da.Params {
		m.b.AddGradient(g[i*n:(i+1)*n], 1, b, m.u[i*p:(i+1)*p])
	}
}

// PullbackTo applies the product rule: it differentiates one factor and holds the other fixed.
func (m *tensorMap) PullbackTo(g, x, phi, theta, r []float64) {
	clear(g)
	a, b := m.split(phi)
	n, p := m.db.Params, m.db.Out
	m.rowsTo(b, theta)
	for k := range p {
		column(m.pa, m.u, p, k)
		column(m.ya, r, p, k)
		m.a.(optional.SmoothMap).PullbackTo(m.g, x, a, m.pa, m.ya)
		vec.Axpy(1, m.g, g)
	}
	m.outwardTo(1, a, r)
	for i := range m.da.Params {
		m.b.(optional.SmoothMap).PullbackTo(m.g, x, b, theta[i*n:(i+1)*n], m.u[i*p:(i+1)*p])
		vec.Axpy(1, m.g, g)
	}
}

func (m *tensorMap) KernelTo(k, x, z []float64) {
	m.kernelsTo(x, z)
	kroneckerTo(k, m.ka, m.kb, m.da.Out, m.db.Out)
}

// VarianceTo: E (K1 (x) K2)(K1 (x) K2)^T = E K1 K1^T (x) E K2 K2^T for independent factors.
func (m *tensorMap) VarianceTo(v, x, z []float64) {
	second := func(of orff.Map, p int) (mean, all []float64) {
		k := make([]float64, p*p)
		mean, all = make([]float64, p*p), make([]float64, p*p)
		orff.KernelTo(k, of, x, z)
		vec.MatMulT(mean, k, k, p, p, p)
		optional.VarianceTo(all, of, x, z)
		vec.Axpy(1, mean, all)
		return mean, all
	}
	ma, sa := second(m.a, m.da.Out)
	mb, sb := second(m.b, m.db.Out)
	mean := make([]float64, len(v))
	kroneckerTo(v, sa, sb, m.da.Out, m.db.Out)
	kroneckerTo(mean, ma, mb, m.da.Out, m.db.Out)
	vec.Axpy(-1, mean, v)
}

// kroneckerTo writes a (x) b for square a and b of orders p and q.
func kroneckerTo(k, a, b []float64, p, q int) {
	n := p * q
	for i := range n {
		for j := range n {
			k[i*n+j] = a[i/q*p+j/q] * b[i%q*q+j%q]
		}
	}
}

// KernelPullTo: with R and A the matrices p_1 x p_2 of r and a, r.K a = sum_kl (K_2)_kl (R e_k).K_1 (A e_l). The product
// rule adds the same sum with K_1 and K_2 exchanged.
func (m *tensorMap) KernelPullTo(g, x, z, r, a []float64) {
	p, q := m.da.Out, m.db.Out
	m.kernelsTo(x, z)
	clear(g)
	for k := range q {
		for l := range q {
			w := m.kb[k*q+l]
			column(m.ya, r, q, k)
			column(m.za, a, q, l)
			m.a.(optional.SlopedMap).KernelPullTo(m.g, x, z, m.ya, m.za)
			vec.Axpy(w, m.g, g)
		}
	}
	for k := range p {
		for l := range p {
			m.b.(optional.SlopedMap).KernelPullTo(m.g, x, z, r[k*q:(k+1)*q], a[l*q:(l+1)*q])
			vec.Axpy(m.ka[k*p+l], m.g, g)
		}
	}
}
