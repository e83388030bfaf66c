package orff

import "github.com/orffvar/forecaster/internal/snapshot"

// Decomposable is the map of the kernel K(x, z) = k(x, z) Gamma (Brault 2017,
// section 4.2.2.1): with Gamma = B B^T,
//
//	h(x) = B Theta phi(x), Theta of p' x r,
//
// and theta = vec(Theta) column by column: theta[p'*c + i] = Theta[i][c]. The
// phi of the Map is the phi of the scalar kernel.
type Decomposable struct {
	scalar Scalar
	out    Output
	u      []float64 // scratch, p'
}

// NewDecomposable joins a scalar feature map and an output operator.
func NewDecomposable(s Scalar, out Output) *Decomposable {
	return &Decomposable{scalar: s, out: out, u: make([]float64, out.inner)}
}

// Scalar returns the feature map of k, Output returns Gamma.
func (m *Decomposable) Scalar() Scalar { return m.scalar }
func (m *Decomposable) Output() Output { return m.out }

func (m *Decomposable) Dims() Dims {
	r := m.scalar.Len()
	return Dims{In: m.scalar.In(), Out: m.out.p, Features: r, Params: r * m.out.inner}
}

func (m *Decomposable) FeaturesTo(phi, x []float64) { m.scalar.FeaturesTo(phi, x) }

func (m *Decomposable) PredictTo(y, phi, theta []float64) {
	if len(y) != m.out.p || len(theta) != len(phi)*m.out.inner {
		panic(badLength)
	}
	u := m.u
	if m.out.IsIdentity() {
		u = y
	}
	clear(u)
	n := len(u)
	for c, v := range phi {
		axpy(u, v, theta[c*n:(c+1)*n])
	}
	if !m.out.IsIdentity() {
		m.out.expandTo(y, u)
	}
}

func (m *Decomposable) AddGradient(g []float64, alpha float64, phi, r []float64) {
	if len(r) != m.out.p || len(g) != len(phi)*m.out.inner {
		panic(badLength)
	}
	u := r
	if !m.out.IsIdentity() {
		u = m.u
		m.out.contractTo(u, r)
	}
	n := len(u)
	for c, v := range phi {
		axpy(g[c*n:(c+1)*n], alpha*v, u)
	}
}

// State saves or restores the scalar map; Gamma belongs to the configuration.
func (m *Decomposable) State(c *snapshot.Codec) { m.scalar.State(c) }

func (m *Decomposable) redraw(r *Rand) bool  { return redraw(m.scalar, r) }
func (m *Decomposable) weigh(s float64) bool { return weigh(m.scalar, s) }
