package algebra

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/sgd"
)

// schurMap is the map of the entrywise (Hadamard) product K_1 o K_2. Row i of Phi^T is the Kronecker product of rows i of
// Phi_1^T and Phi_2^T. With Theta, P_1 x P_2 row-major,
//
//	h_i(x) = (Phi_1(x) e_i)^T Theta (Phi_2(x) e_i).
//
// OKVAR uses a decomposable times a transformable kernel (Lim et al. 2015). The cost is p P_1 P_2, or P_1 P_2 if the
// first factor is decomposable with Gamma = I.
type schurMap struct {
	pair

	e      []float64 // scratch, Out: a unit vector
	ra, rb []float64 // Phi e_i
	ta, tb []float64 // Theta (Phi_2 e_i), Theta^T (Phi_1 e_i)
	other  []float64 // scratch, Out
}

// NewSchur returns the map of K_1 o K_2 for two maps of the same input and output dimensions, drawn independently.
func NewSchur(a, b orff.Map) (orff.Map, error) {
	da, db := a.Dims(), b.Dims()
	if da.In != db.In || da.Out != db.Out {
		return nil, fmt.Errorf("orff: the factors of an entrywise product must share input and output, they are R^%d -> R^%d and R^%d -> R^%d", da.In, da.Out, db.In, db.Out)
	}
	return &schurMap{
		pair: newPair(a, b), e: make([]float64, da.Out), other: make([]float64, da.Out),
		ra: make([]float64, da.Params), rb: make([]float64, db.Params),
		ta: make([]float64, da.Params), tb: make([]float64, db.Params),
	}, nil
}

func (m *schurMap) Dims() sgd.Dims { return m.dims(m.da.Out) }

// rowsTo sets ra and rb to Phi_1 e_i and Phi_2 e_i.
func (m *schurMap) rowsTo(i int, phi []float64) {
	a, b := m.split(phi)
	clear(m.e)
	m.e[i] = 1
	clear(m.ra)
	clear(m.rb)
	m.a.AddGradient(m.ra, 1, a, m.e)
	m.b.AddGradient(m.rb, 1, b, m.e)
}

func (m *schurMap) PredictTo(y, phi, theta []float64) {
	if len(y) != m.da.Out || len(theta) != m.da.Params*m.db.Params {
		panic(check.BadLength)
	}
	for i := range y {
		m.rowsTo(i, phi)
		lo, hi := span(m.ra)
		vec.MatVec(m.ta[lo:hi], theta[lo*m.db.Params:hi*m.db.Params], m.rb)
		y[i] = vec.Dot(m.ra[lo:hi], m.ta[lo:hi])
	}
}

func (m *schurMap) AddGradient(g []float64, alpha float64, phi, r []float64) {
	if len(r) != m.da.Out || len(g) != m.da.Params*m.db.Params {
		panic(check.BadLength)
	}
	for i, v := range r {
		m.rowsTo(i, phi)
		lo, hi := span(m.ra)
		vec.AddOuter(g[lo*m.db.Params:hi*m.db.Params], alpha*v, m.ra[lo:hi], m.rb)
	}
}

// span returns the range [lo, hi) outside of which v is zero. In a decomposable factor with Gamma = I, an output depends
// only on its own row of the weights.
func span(v []float64) (lo, hi int) {
	hi = len(v)
	for hi > 0 && v[hi-1] == 0 {
		hi--
	}
	for lo < hi && v[lo] == 0 {
		lo++
	}
	return lo, hi
}

// PullbackTo applies the product rule for each output: it differentiates one factor and holds the other fixed.
func (m *schurMap) PullbackTo(g, x, phi, theta, r []float64) {
	clear(g)
	a, b := m.split(phi)
	for i, v := range r {
		if v == 0 {
			continue
		}
		m.rowsTo(i, phi)
		vec.MatVec(m.ta, theta, m.rb)
		vec.MatTVec(m.tb, theta, m.ra)
		clear(m.e)
		m.e[i] = v
		m.a.(optional.SmoothMap).PullbackTo(m.g, x, a, m.ta, m.e)
		vec.Axpy(1, m.g, g)
		m.b.(optional.SmoothMap).PullbackTo(m.g, x, b, m.tb, m.e)
		vec.Axpy(1, m.g, g)
	}
}

func (m *schurMap) KernelTo(k, x, z []float64) {
	m.kernelsTo(x, z)
	copy(k, m.ka)
	vec.Mul(k, m.kb)
}

// KernelPullTo: row i of K a is row i of K_1 times ((row i of K_2) o a). The factors can be exchanged.
func (m *schurMap) KernelPullTo(g, x, z, r, a []float64) {
	p := m.da.Out
	m.kernelsTo(x, z)
	clear(g)
	clear(m.e)
	for i, ri := range r {
		if ri == 0 {
			continue
		}
		m.e[i] = ri
		for _, side := range []struct {
			m orff.Map
			k []float64
		}{{m.a, m.kb}, {m.b, m.ka}} {
			copy(m.other, side.k[i*p:(i+1)*p])
			vec.Mul(m.other, a)
			side.m.(optional.SlopedMap).KernelPullTo(m.g, x, z, m.e, m.other)
			vec.Axpy(1, m.g, g)
		}
		m.e[i] = 0
	}
}
