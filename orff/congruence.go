package orff

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// Congruence is the map of V K(x, z) V^T: h(x) = V h_1(x), V of q x p.
type Congruence struct {
	m    Map
	v    []float64
	dims Dims
	u, w []float64 // scratch, p

	inner, left []float64 // scratch of the exact kernel: p x p, q x p
}

// NewCongruence applies V, q x p row-major, to the output of m.
func NewCongruence(m Map, q int, v []float64) (*Congruence, error) {
	d := m.Dims()
	if q < 1 || len(v) != q*d.Out || !finite(v) {
		return nil, fmt.Errorf("orff: a congruence of %d outputs with q = %d needs %d finite numbers, got %d", d.Out, q, q*d.Out, len(v))
	}
	p := d.Out
	d.Out = q
	return &Congruence{m: m, v: append([]float64(nil), v...), dims: d, u: make([]float64, p), w: make([]float64, p), inner: make([]float64, p*p), left: make([]float64, q*p)}, nil
}

func (m *Congruence) Dims() Dims { return m.dims }

func (m *Congruence) FeaturesTo(phi, x []float64) { m.m.FeaturesTo(phi, x) }

func (m *Congruence) PredictTo(y, phi, theta []float64) {
	m.m.PredictTo(m.u, phi, theta)
	vec.MatVec(y, m.v, m.u)
}

func (m *Congruence) AddGradient(g []float64, alpha float64, phi, r []float64) {
	vec.MatTVec(m.u, m.v, r)
	m.m.AddGradient(g, alpha, phi, m.u)
}

func (m *Congruence) PullbackTo(g, x, phi, theta, r []float64) {
	vec.MatTVec(m.u, m.v, r)
	m.m.(SmoothMap).PullbackTo(g, x, phi, theta, m.u)
}

func (m *Congruence) Smooth() error           { return smooth(m.m) }
func (m *Congruence) Check(x []float64) error { return CheckInput(m.m, x) }
func (m *Congruence) State(c *snapshot.Codec) { state(m.m, c) }

func (m *Congruence) redraw(r *Rand) bool  { return redraw(m.m, r) }
func (m *Congruence) weigh(s float64) bool { return weigh(m.m, s) }

func (m *Congruence) kernelTo(k, x, z []float64) {
	p, q := len(m.u), m.dims.Out
	KernelTo(m.inner, m.m, x, z)
	clear(m.left)
	vec.AddMatMul(m.left, 1, m.v, m.inner, q, p, p)
	vec.MatMulT(k, m.left, m.v, q, q, p)
}
