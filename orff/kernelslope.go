package orff

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// KernelSlope evaluates the derivative of the exact kernel of a map, for models
// that are sums h(x) = sum_l K(x, x_l) c_l (Brault 2017, section 8.4). It is not
// safe for concurrent use and does not allocate.
type KernelSlope struct{ m slopedMap }

// slopedMap is a Map that knows the derivative of its exact kernel.
type slopedMap interface {
	// kernelPullTo writes the gradient in x of r.K(x, z) a into g.
	kernelPullTo(g, x, z, r, a []float64)

	// kernelSmooth returns the reason why there is none, or nil.
	kernelSmooth() error
}

// slopedScalar is a Scalar that knows the derivative of its exact kernel.
type slopedScalar interface {
	// kernelSlopeTo writes the gradient in x of k(x, z) into g.
	kernelSlopeTo(g, x, z []float64)
	kernelSmooth() error
}

// NewKernelSlope prepares the derivative of the kernel that m approximates. The
// error is the reason why it has none.
func NewKernelSlope(m Map) (*KernelSlope, error) {
	if err := kernelSmooth(m); err != nil {
		return nil, err
	}
	return &KernelSlope{m.(slopedMap)}, nil
}

// PullbackTo writes the gradient in x of r.K(x, z) a into g, len In; r and a have
// len Out. With the unit vectors for r they are the rows of the Jacobian of x ->
// K(x, z) a.
func (s *KernelSlope) PullbackTo(g, x, z, r, a []float64) { s.m.kernelPullTo(g, x, z, r, a) }

// kernelSmooth asks the parts of a map, each a Scalar or a Map.
func kernelSmooth(parts ...any) error {
	for _, p := range parts {
		s, ok := p.(interface{ kernelSmooth() error })
		if !ok {
			return fmt.Errorf("orff: the kernel of %T has no derivative in closed form", p)
		}
		if err := s.kernelSmooth(); err != nil {
			return err
		}
	}
	return nil
}

func (f *Fourier) kernelSmooth() error { return spectrum.CheckSlope(f.spectrum) }

func (f *Fourier) kernelSlopeTo(g, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	spectrum.SlopeTo(g, f.spectrum, f.delta)
	vec.Scale(f.mass(), g)
}

func (f *phaseScalar) kernelSmooth() error { return spectrum.CheckSlope(f.spectrum) }

func (f *phaseScalar) kernelSlopeTo(g, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	spectrum.SlopeTo(g, f.spectrum, f.delta)
	vec.Scale(f.mass(), g)
}

func (f *Nystroem) kernelSmooth() error { return spectrum.CheckSlope(f.spectrum) }

func (f *Nystroem) kernelSlopeTo(g, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	spectrum.SlopeTo(g, f.spectrum, f.delta)
	vec.Scale(f.scale*f.scale, g)
}

func (f *linearScalar) kernelSmooth() error { return nil }

func (f *linearScalar) kernelSlopeTo(g, _, z []float64) {
	for i, v := range z {
		g[i] = f.scale * f.scale * v
	}
}

func (f *logarithmicScalar) kernelSmooth() error { return kernelSmooth(f.inner) }

// kernelSlopeTo: the derivative of log(x + c) is 1/(x + c).
func (f *logarithmicScalar) kernelSlopeTo(g, x, z []float64) {
	f.inner.(slopedScalar).kernelSlopeTo(g, f.logTo(f.u, x), f.logTo(f.v, z))
	for k := range g {
		g[k] /= x[k] + f.c[k]
	}
}

func (f *maclaurinScalar) kernelSmooth() error { return nil }

// kernelSlopeTo: f'(<x, z>) z.
func (f *maclaurinScalar) kernelSlopeTo(g, x, z []float64) {
	s := f.mass() * f.series.Slope(vec.Dot(x, z))
	for i, v := range z {
		g[i] = s * v
	}
}

func (f *kakadeScalar) kernelSmooth() error { return nil }

func (f *kakadeScalar) kernelSlopeTo(g, x, z []float64) {
	s := f.mass() * f.coef.Slope(vec.Dot(x, z))
	for i, v := range z {
		g[i] = s * v
	}
}

func (f *compositionalScalar) kernelSmooth() error { return spectrum.CheckSlope(f.spectrum) }

// kernelSlopeTo is the chain rule.
func (f *compositionalScalar) kernelSlopeTo(g, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	spectrum.SlopeTo(g, f.spectrum, f.delta)
	vec.Scale(f.mass()*f.series.Slope(f.spectrum.K0(f.delta)), g)
}

func (f *Semigroup) kernelSmooth() error { return nil }

// kernelSlopeTo is the logarithmic derivative times the kernel. That of the
// exponential law diverges at x + z = 0.
func (f *Semigroup) kernelSlopeTo(g, x, z []float64) {
	k := f.kernel(x, z)
	for i := range g {
		s := x[i] + z[i]
		if f.law == ReciprocalSemigroup {
			g[i] = -k / (s + f.parameter)
		} else {
			g[i] = -k * f.parameter / (2 * math.Sqrt(s))
		}
	}
}

func (f *sumScalar) kernelSmooth() error {
	for _, p := range f.parts {
		if err := kernelSmooth(p); err != nil {
			return err
		}
	}
	return nil
}

func (f *sumScalar) kernelSlopeTo(g, x, z []float64) {
	clear(g)
	for _, p := range f.parts {
		p.(slopedScalar).kernelSlopeTo(f.g, x, z)
		vec.Axpy(1, f.g, g)
	}
}

func (f *productScalar) kernelSmooth() error { return kernelSmooth(f.a, f.b) }

// kernelSlopeTo is the product rule.
func (f *productScalar) kernelSlopeTo(g, x, z []float64) {
	f.a.(slopedScalar).kernelSlopeTo(g, x, z)
	vec.Scale(Kernel(f.b, x, z), g)
	f.b.(slopedScalar).kernelSlopeTo(f.g, x, z)
	vec.Axpy(Kernel(f.a, x, z), f.g, g)
}

func (m *Decomposable) kernelSmooth() error { return kernelSmooth(m.scalar) }

// kernelPullTo: (B^T r).(B^T a) times the gradient of k.
func (m *Decomposable) kernelPullTo(g, x, z, r, a []float64) {
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
	m.scalar.(slopedScalar).kernelSlopeTo(g, x, z)
	vec.Scale(s, g)
}

func (m *CurlFree) kernelPullTo(g, x, z, r, a []float64) {
	numeric.LagTo(m.delta, x, z)
	m.fieldPullTo(g, r, a, -1, 1, 0)
}

func (m *DivergenceFree) kernelPullTo(g, x, z, r, a []float64) {
	numeric.LagTo(m.delta, x, z)
	m.fieldPullTo(g, r, a, 1, float64(m.d-1), 1)
}

func (f *field) kernelSmooth() error { return nil }

// fieldPullTo writes the gradient in delta of r.K a for the kernel
//
//	K = mass s exp(-s q/2) (outer s delta delta^T + (level - slope s q) I), q = ||delta||^2,
//
// s = 1/sigma^2, of which the curl-free and the divergence-free are two cases.
func (f *field) fieldPullTo(g, r, a []float64, outer, level, slope float64) {
	s, q := 1/(f.sigma*f.sigma), numeric.SquaredNorm(f.delta)
	dr, da, ra := vec.Dot(f.delta, r), vec.Dot(f.delta, a), vec.Dot(r, a)
	k := f.mass() * s * math.Exp(-s*q/2)
	v := outer*s*dr*da + (level-slope*s*q)*ra
	for i, t := range f.delta {
		g[i] = k * (-s*t*v + outer*s*(r[i]*da+a[i]*dr) - 2*slope*s*t*ra)
	}
}

func (m *transformableMap) kernelSmooth() error { return kernelSmooth(m.scalar) }

// kernelPullTo: r.K a = sum_ij r_i a_j k(psi_i(x), psi_j(z)).
func (m *transformableMap) kernelPullTo(g, x, z, r, a []float64) {
	m.psi.TransformTo(m.u, x)
	m.psi.TransformTo(m.w, z)
	clear(m.v)
	for i, ri := range r {
		if ri == 0 {
			continue
		}
		v := m.at(m.v, i)
		for j, aj := range a {
			m.scalar.(slopedScalar).kernelSlopeTo(m.slope, m.at(m.u, i), m.at(m.w, j))
			vec.Axpy(ri*aj, m.slope, v)
		}
	}
	m.psi.PullTo(g, x, m.v)
}

func (m *congruenceMap) kernelSmooth() error { return kernelSmooth(m.m) }

func (m *congruenceMap) kernelPullTo(g, x, z, r, a []float64) {
	vec.MatTVec(m.u, m.v, r)
	vec.MatTVec(m.w, m.v, a)
	m.m.(slopedMap).kernelPullTo(g, x, z, m.u, m.w)
}

func (s *sumMap) kernelSmooth() error {
	for _, m := range s.parts {
		if err := kernelSmooth(m); err != nil {
			return err
		}
	}
	return nil
}

func (s *sumMap) kernelPullTo(g, x, z, r, a []float64) {
	clear(g)
	for _, m := range s.parts {
		m.(slopedMap).kernelPullTo(s.g, x, z, r, a)
		vec.Axpy(1, s.g, g)
	}
}

func (m *productMap) kernelSmooth() error { return kernelSmooth(m.scalar, m.m) }

// kernelPullTo is the product rule.
func (m *productMap) kernelPullTo(g, x, z, r, a []float64) {
	m.m.(slopedMap).kernelPullTo(g, x, z, r, a)
	vec.Scale(Kernel(m.scalar, x, z), g)
	KernelTo(m.k, m.m, x, z)
	m.scalar.(slopedScalar).kernelSlopeTo(m.g, x, z)
	vec.Axpy(bilinear(m.k, r, a), m.g, g)
}

// bilinear is r.K a.
func bilinear(k, r, a []float64) (v float64) {
	p := len(a)
	for i, ri := range r {
		v += ri * vec.Dot(k[i*p:(i+1)*p], a)
	}
	return v
}

// kernelPullTo: row i of K a is that of K_1 times (row i of K_2) o a, and the
// other way round.
func (m *schurMap) kernelPullTo(g, x, z, r, a []float64) {
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
			m Map
			k []float64
		}{{m.a, m.kb}, {m.b, m.ka}} {
			copy(m.other, side.k[i*p:(i+1)*p])
			vec.Mul(m.other, a)
			side.m.(slopedMap).kernelPullTo(m.g, x, z, m.e, m.other)
			vec.Axpy(1, m.g, g)
		}
		m.e[i] = 0
	}
}

// kernelPullTo: with R and A the matrices p_1 x p_2 of r and a, r.K a is the sum of
// K_1 over R K_2 A^T, column by column of R K_2, and the other way round.
func (m *tensorMap) kernelPullTo(g, x, z, r, a []float64) {
	p, q := m.da.Out, m.db.Out
	m.kernelsTo(x, z)
	clear(g)
	for k := range q {
		for l := range q {
			w := m.kb[k*q+l]
			column(m.ya, r, q, k)
			column(m.za, a, q, l)
			m.a.(slopedMap).kernelPullTo(m.g, x, z, m.ya, m.za)
			vec.Axpy(w, m.g, g)
		}
	}
	for k := range p {
		for l := range p {
			m.b.(slopedMap).kernelPullTo(m.g, x, z, r[k*q:(k+1)*q], a[l*q:(l+1)*q])
			vec.Axpy(m.ka[k*p+l], m.g, g)
		}
	}
}

func (b *Blocks) kernelSmooth() error { return kernelSmooth(b.blocks[0]) }

func (b *Blocks) kernelPullTo(g, x, z, r, a []float64) {
	b.blocks[0].(slopedMap).kernelPullTo(g, x, z, r, a)
	vec.Scale(float64(len(b.blocks)), g)
}

func (m *redrawnBlock) kernelSmooth() error { return kernelSmooth(m.parent.drawn) }

func (m *redrawnBlock) kernelPullTo(g, x, z, r, a []float64) {
	m.parent.drawn.(slopedMap).kernelPullTo(g, x, z, r, a)
}
