package orff

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// Decomposable is the map of the kernel K(x, z) = k(x, z) Gamma (Brault 2017,
// section 4.2.2.1): with Gamma = B B^T,
//
//	h(x) = B Theta phi(x), Theta of p' x r,
//
// and theta is Theta row-major, theta[r*i + c] = Theta[i][c]. With few outputs the rows are long: products with them
// are several times faster than with the columns of vec(Theta) in the thesis. The phi of the Map is the phi of the
// scalar map.
type Decomposable struct {
	scalar Scalar
	out    coupling.Operator
	p, q   int       // outputs p, and the rank p' of Gamma
	b      []float64 // B, p x p'; nil: the identity
	u      []float64 // scratch, p'
	c      []float64 // scratch, r
	gamma  []float64 // B B^T; nil before the first call that needs it
}

// NewDecomposable returns the map of k Gamma for a scalar map of k and an output operator Gamma.
func NewDecomposable(s Scalar, out coupling.Operator) *Decomposable {
	p, q := out.Dims()
	m := &Decomposable{scalar: s, out: out, p: p, q: q, u: make([]float64, q), c: make([]float64, s.Len())}
	if !out.IsIdentity() {
		m.b = out.Factor()
	}
	return m
}

// Scalar returns the feature map of k. Output returns Gamma.
func (m *Decomposable) Scalar() Scalar            { return m.scalar }
func (m *Decomposable) Output() coupling.Operator { return m.out }

func (m *Decomposable) Dims() sgd.Dims {
	r := m.scalar.Len()
	return sgd.Dims{In: m.scalar.In(), Out: m.p, Features: r, Params: r * m.q}
}

func (m *Decomposable) FeaturesTo(phi, x []float64) { m.scalar.FeaturesTo(phi, x) }

func (m *Decomposable) PredictTo(y, phi, theta []float64) {
	if len(y) != m.p || len(theta) != len(phi)*m.q {
		panic(check.BadLength)
	}
	if m.b == nil {
		vec.MatVec(y, theta, phi)
		return
	}
	vec.MatVec(m.u, theta, phi)
	vec.MatVec(y, m.b, m.u)
}

func (m *Decomposable) AddGradient(g []float64, alpha float64, phi, r []float64) {
	if len(r) != m.p || len(g) != len(phi)*m.q {
		panic(check.BadLength)
	}
	vec.AddOuter(g, alpha, m.inward(r), phi)
}

// inward returns B^T r, in scratch memory unless Gamma is the identity.
func (m *Decomposable) inward(r []float64) []float64 {
	if m.b == nil {
		return r
	}
	vec.MatTVec(m.u, m.b, r)
	return m.u
}

// PullbackTo writes the gradient of (Theta^T B^T r).phi(x).
func (m *Decomposable) PullbackTo(g, x, phi, theta, r []float64) {
	vec.MatTVec(m.c, theta, m.inward(r))
	m.scalar.(SmoothScalar).GradientTo(g, x, phi, m.c)
}

func (m *Decomposable) Smooth() error { return optional.Smooth(m.scalar) }

func (m *Decomposable) Check(x []float64) error { return CheckInput(m.scalar, x) }

// State saves or restores the scalar map; Gamma belongs to the configuration.
func (m *Decomposable) State(c *snapshot.Codec) { m.scalar.State(c) }

func (m *Decomposable) RedrawFrom(r *random.Rand) bool { return optional.Redraw(m.scalar, r) }
func (m *Decomposable) Weigh(s float64) bool           { return optional.Weigh(m.scalar, s) }

func (m *Decomposable) KernelTo(k, x, z []float64) {
	if m.gamma == nil {
		m.gamma = m.out.Gamma()
	}
	copy(k, m.gamma)
	vec.Scale(Kernel(m.scalar, x, z), k)
}

// VarianceTo: K~ - K = (k~ - k) Gamma.
func (m *Decomposable) VarianceTo(v, x, z []float64) {
	gamma, p := m.out.Gamma(), m.p
	vec.MatMulT(v, gamma, gamma, p, p, p)
	vec.Scale(optional.Variance(m.scalar, x, z), v)
}

// AllInFeatures marks maps whose PredictTo and AddGradient need no random values except phi.
func (m *Decomposable) AllInFeatures() {}

func (m *Decomposable) KernelSmooth() error { return optional.KernelSmooth(m.scalar) }

// KernelPullTo: (B^T r).(B^T a) times the gradient of k.
func (m *Decomposable) KernelPullTo(g, x, z, r, a []float64) {
	var s float64
	for i := range m.q {
		var br, ba float64
		if m.b == nil {
			br, ba = r[i], a[i]
		} else {
			for k := range m.p {
				b := m.b[k*m.q+i]
				br += b * r[k]
				ba += b * a[k]
			}
		}
		s += br * ba
	}
	m.scalar.(optional.SlopedScalar).KernelSlopeTo(g, x, z)
	vec.Scale(s, g)
}

func (m *Decomposable) Estimate() (bound.Estimate, error) {
	e, err := bound.Of(m.scalar)
	if err != nil {
		return e, err
	}
	g, _, err := numeric.EigenSym(m.p, m.out.Gamma())
	if err != nil {
		return e, err
	}
	e.Norm *= g[len(g)-1]
	return e, nil
}
