package algebra

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// pair is the common part of maps with two independent factors of one input: phi = [phi_1; phi_2], and theta is P_1 x
// P_2, row-major.
type pair struct {
	a, b   orff.Map
	da, db sgd.Dims
	g      []float64 // scratch, In
	ka, kb []float64 // scratch, the exact kernels
}

func newPair(a, b orff.Map) pair {
	da, db := a.Dims(), b.Dims()
	return pair{
		a: a, b: b, da: da, db: db, g: make([]float64, da.In),
		ka: make([]float64, da.Out*da.Out), kb: make([]float64, db.Out*db.Out),
	}
}

// dims returns the dimensions of the product for the given number of outputs.
func (m *pair) dims(out int) sgd.Dims {
	return sgd.Dims{In: m.da.In, Out: out, Features: m.da.Features + m.db.Features, Params: m.da.Params * m.db.Params}
}

func (m *pair) split(phi []float64) (a, b []float64) {
	return phi[:m.da.Features], phi[m.da.Features:]
}

func (m *pair) FeaturesTo(phi, x []float64) {
	a, b := m.split(phi)
	m.a.FeaturesTo(a, x)
	m.b.FeaturesTo(b, x)
}

// kernelsTo writes the exact kernels of both factors into ka and kb.
func (m *pair) kernelsTo(x, z []float64) {
	orff.KernelTo(m.ka, m.a, x, z)
	orff.KernelTo(m.kb, m.b, x, z)
}

func (m *pair) Smooth() error           { return optional.Smooth(m.a, m.b) }
func (m *pair) KernelSmooth() error     { return optional.KernelSmooth(m.a, m.b) }
func (m *pair) Check(x []float64) error { return optional.CheckBoth(m.a, m.b, x) }

// State saves or restores both factors.
func (m *pair) State(c *snapshot.Codec) {
	c.Section("product of two maps")
	optional.State(m.a, c)
	optional.State(m.b, c)
}

func (m *pair) RedrawFrom(r *random.Rand) bool {
	return optional.Redraw(m.a, r) && optional.Redraw(m.b, r)
}
func (m *pair) Weigh(s float64) bool { return optional.Weigh(m.a, s) }
