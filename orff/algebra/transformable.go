package algebra

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// Transform holds the functions psi_1 … psi_p from R^d to R^d' of a transformable kernel.
type Transform interface {
	// Dims returns d, p and d'.
	Dims() (in, out, each int)

	// TransformTo writes psi_1(x), …, psi_p(x) into u, p x d' row-major.
	TransformTo(u, x []float64)

	// PullTo writes sum_i Dpsi_i(x)^T v_i into g, length d; v is p x d' row-major.
	PullTo(g, x, v []float64)
}

// linearTransform has psi_i(x) = A_i x for matrices A_i, d' x d, stacked.
type linearTransform struct {
	in, out, each int
	a             []float64
}

// NewLinearTransform returns the transform psi_i(x) = A_i x. a holds the p matrices A_i, d' x d row-major, stacked:
// p*d'*d numbers.
func NewLinearTransform(in, out, each int, a []float64) (Transform, error) {
	if in < 1 || out < 1 || each < 1 || len(a) != in*out*each {
		return nil, fmt.Errorf("orff: %d linear maps from R^%d to R^%d need %d numbers, got %d", out, in, each, in*out*each, len(a))
	}
	return &linearTransform{in: in, out: out, each: each, a: append([]float64(nil), a...)}, nil
}

// Coordinates returns the transform psi_i(x) = x_i, i = 1 … d: output i depends only on input i.
func Coordinates(d int) Transform {
	a := make([]float64, d*d)
	for i := range d {
		a[i*d+i] = 1
	}
	return &linearTransform{in: d, out: d, each: 1, a: a}
}

func (t *linearTransform) Dims() (in, out, each int)  { return t.in, t.out, t.each }
func (t *linearTransform) TransformTo(u, x []float64) { vec.MatVec(u, t.a, x) }
func (t *linearTransform) PullTo(g, x, v []float64)   { vec.MatTVec(g, t.a, v) }

// transformableMap is the map of the kernel K(x, z)_ij = k(psi_i(x), psi_j(z))
// (Caponnetto et al. 2008; Brault 2017, proposition 3.11):
//
//	h_i(x) = phi(psi_i(x)).theta
//
// with one theta for all outputs. The phi of the Map is the p feature vectors, concatenated. With Coordinates alone, a
// prediction cannot couple the coordinates: multiply by a decomposable kernel (NewSchur), as OKVAR does.
type transformableMap struct {
	scalar  orff.Scalar
	psi     Transform
	in, out int
	each, r int
	u, v, w []float64 // scratch: out*each
	slope   []float64 // scratch, each
}

// NewTransformable returns the map of the kernel k(psi_i(x), psi_j(z)) for a scalar map s on R^d'.
func NewTransformable(s orff.Scalar, psi Transform) (orff.Map, error) {
	in, out, each := psi.Dims()
	if s.In() != each {
		return nil, fmt.Errorf("orff: the scalar map of a transformable kernel takes %d coordinates, the transform gives %d", s.In(), each)
	}
	n := out * each
	return &transformableMap{scalar: s, psi: psi, in: in, out: out, each: each, r: s.Len(), u: make([]float64, n), v: make([]float64, n), w: make([]float64, n), slope: make([]float64, each)}, nil
}

func (m *transformableMap) Dims() sgd.Dims {
	return sgd.Dims{In: m.in, Out: m.out, Features: m.out * m.r, Params: m.r}
}

// at returns psi_i(x) from u.
func (m *transformableMap) at(u []float64, i int) []float64 { return u[i*m.each : (i+1)*m.each] }

func (m *transformableMap) FeaturesTo(phi, x []float64) {
	if len(phi) != m.out*m.r || len(x) != m.in {
		panic(check.BadLength)
	}
	m.psi.TransformTo(m.u, x)
	for i := range m.out {
		m.scalar.FeaturesTo(phi[i*m.r:(i+1)*m.r], m.at(m.u, i))
	}
}

func (m *transformableMap) PredictTo(y, phi, theta []float64) { vec.MatVec(y, phi, theta) }

func (m *transformableMap) AddGradient(g []float64, alpha float64, phi, r []float64) {
	if len(phi) != len(r)*len(g) {
		panic(check.BadLength)
	}
	for i, v := range r {
		vec.Axpy(alpha*v, phi[i*m.r:(i+1)*m.r], g)
	}
}

// PullbackTo: row i of J is Dpsi_i(x)^T grad(phi.theta)(psi_i(x)).
func (m *transformableMap) PullbackTo(g, x, phi, theta, r []float64) {
	m.psi.TransformTo(m.u, x)
	for i, f := range r {
		v := m.at(m.v, i)
		m.scalar.(orff.SmoothScalar).GradientTo(v, m.at(m.u, i), phi[i*m.r:(i+1)*m.r], theta)
		vec.Scale(f, v)
	}
	m.psi.PullTo(g, x, m.v)
}

func (m *transformableMap) Smooth() error { return optional.Smooth(m.scalar) }

// Check returns the first error of the scalar map at a psi_i(x).
func (m *transformableMap) Check(x []float64) error {
	m.psi.TransformTo(m.u, x)
	for i := range m.out {
		if err := orff.CheckInput(m.scalar, m.at(m.u, i)); err != nil {
			return fmt.Errorf("output %d: %w", i+1, err)
		}
	}
	return nil
}

// State saves or restores the scalar map.
func (m *transformableMap) State(c *snapshot.Codec) { m.scalar.State(c) }

func (m *transformableMap) RedrawFrom(r *random.Rand) bool { return optional.Redraw(m.scalar, r) }
func (m *transformableMap) Weigh(s float64) bool           { return optional.Weigh(m.scalar, s) }

func (m *transformableMap) KernelTo(k, x, z []float64) {
	m.psi.TransformTo(m.v, x)
	m.psi.TransformTo(m.w, z)
	for i := range m.out {
		for j := range m.out {
			k[i*m.out+j] = orff.Kernel(m.scalar, m.at(m.v, i), m.at(m.w, j))
		}
	}
}

func (m *transformableMap) KernelSmooth() error { return optional.KernelSmooth(m.scalar) }

// KernelPullTo: r.K a = sum_ij r_i a_j k(psi_i(x), psi_j(z)).
func (m *transformableMap) KernelPullTo(g, x, z, r, a []float64) {
	m.psi.TransformTo(m.u, x)
	m.psi.TransformTo(m.w, z)
	clear(m.v)
	for i, ri := range r {
		if ri == 0 {
			continue
		}
		v := m.at(m.v, i)
		for j, aj := range a {
			m.scalar.(optional.SlopedScalar).KernelSlopeTo(m.slope, m.at(m.u, i), m.at(m.w, j))
			vec.Axpy(ri*aj, m.slope, v)
		}
	}
	m.psi.PullTo(g, x, m.v)
}
