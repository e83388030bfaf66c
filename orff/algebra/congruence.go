package algebra

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// congruenceMap is the map of V K(x, z) V^T: h(x) = V h_1(x), V of q x p.
type congruenceMap struct {
	m    orff.Map
	v    []float64
	dims sgd.Dims
	u, w []float64 // scratch, p

	inner, left []float64 // scratch of the exact kernel: p x p, q x p
}

// NewCongruence returns the map of V K(x, z) V^T: it applies V, q x p row-major, to the output of m. A
// decomposable m stays decomposable, with Gamma = V B B^T V^T.
func NewCongruence(m orff.Map, q int, v []float64) (orff.Map, error) {
	d := m.Dims()
	if q < 1 || len(v) != q*d.Out || !numeric.Finite(v) {
		return nil, fmt.Errorf("orff: a congruence of %d outputs with q = %d needs %d finite numbers, got %d", d.Out, q, q*d.Out, len(v))
	}
	p := d.Out
	if dec, ok := m.(*orff.Decomposable); ok {
		_, inner := dec.Output().Dims()
		b := make([]float64, q*inner)
		vec.AddMatMul(b, 1, v, dec.Output().Factor(), q, inner, p)
		out, err := coupling.FromFactor(q, inner, b)
		if err != nil {
			return nil, err
		}
		return orff.NewDecomposable(dec.Scalar(), out), nil
	}
	d.Out = q
	return &congruenceMap{m: m, v: append([]float64(nil), v...), dims: d, u: make([]float64, p), w: make([]float64, p), inner: make([]float64, p*p), left: make([]float64, q*p)}, nil
}

func (m *congruenceMap) Dims() sgd.Dims { return m.dims }

func (m *congruenceMap) FeaturesTo(phi, x []float64) { m.m.FeaturesTo(phi, x) }

func (m *congruenceMap) PredictTo(y, phi, theta []float64) {
	m.m.PredictTo(m.u, phi, theta)
	vec.MatVec(y, m.v, m.u)
}

func (m *congruenceMap) AddGradient(g []float64, alpha float64, phi, r []float64) {
	vec.MatTVec(m.u, m.v, r)
	m.m.AddGradient(g, alpha, phi, m.u)
}

func (m *congruenceMap) PullbackTo(g, x, phi, theta, r []float64) {
	vec.MatTVec(m.u, m.v, r)
	m.m.(optional.SmoothMap).PullbackTo(g, x, phi, theta, m.u)
}

func (m *congruenceMap) Smooth() error           { return optional.Smooth(m.m) }
func (m *congruenceMap) Check(x []float64) error { return orff.CheckInput(m.m, x) }
func (m *congruenceMap) State(c *snapshot.Codec) { optional.State(m.m, c) }

func (m *congruenceMap) RedrawFrom(r *random.Rand) bool { return optional.Redraw(m.m, r) }
func (m *congruenceMap) Weigh(s float64) bool           { return optional.Weigh(m.m, s) }

func (m *congruenceMap) KernelTo(k, x, z []float64) {
	p, q := len(m.u), m.dims.Out
	orff.KernelTo(m.inner, m.m, x, z)
	clear(m.left)
	vec.AddMatMul(m.left, 1, m.v, m.inner, q, p, p)
	vec.MatMulT(k, m.left, m.v, q, q, p)
}

func (m *congruenceMap) KernelSmooth() error { return optional.KernelSmooth(m.m) }

func (m *congruenceMap) KernelPullTo(g, x, z, r, a []float64) {
	vec.MatTVec(m.u, m.v, r)
	vec.MatTVec(m.w, m.v, a)
	m.m.(optional.SlopedMap).KernelPullTo(g, x, z, m.u, m.w)
}
