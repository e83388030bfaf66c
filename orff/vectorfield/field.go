// Package vectorfield has the feature maps of kernels whose predictions are vector fields:
// gradients (CurlFree), fields without divergence (DivergenceFree), and sums of both
// (NewHelmholtz). Predictions go from R^d to R^d.
package vectorfield

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// Form is a factorisation of the spectral density of a curl-free or divergence-free kernel into a distribution of
// frequencies and an operator B(omega) (Brault 2017, section 4.2). All forms approximate the same kernel.
type Form int

const (
	// Bounded draws ||omega|| from the density r^(d+1) exp(-sigma^2 r^2/2), and has ||B(omega)|| = sqrt(d)/sigma.
	// Prefer it: its variance is smaller, and error bounds exist.
	Bounded Form = iota
	// Unbounded draws omega from N(0, I/sigma^2).
	Unbounded
)

// field is the common part of the maps of the two Gaussian vector field kernels.
type field struct {
	name   string
	sigma  float64
	form   Form
	kernel func(k, delta []float64, sigma float64)
	vary   func(v, delta []float64, sigma float64, form Form) // variance of one draw
	settle func()                                             // computes B from the frequencies

	d, n  int
	w     []float64 // W^T in turns, d x n
	rows  []float64 // omega, n x d
	norm  []float64 // ||omega||, n
	scale float64

	v, delta []float64 // scratch: n, d
}

func newField(name string, sigma float64, d, n int, form Form) (field, error) {
	if err := check.Sizes(name+" features", d, n); err != nil {
		return field{}, err
	}
	if err := check.Positive("sigma of a "+name+" kernel", sigma); err != nil {
		return field{}, err
	}
	if form != Bounded && form != Unbounded {
		return field{}, fmt.Errorf("orff: unknown form %d of a %s map", form, name)
	}
	return field{
		name: name, sigma: sigma, form: form, d: d, n: n, scale: 1 / math.Sqrt(float64(n)),
		w: make([]float64, d*n), rows: make([]float64, d*n), norm: make([]float64, n), v: make([]float64, n), delta: make([]float64, d),
	}, nil
}

func (f *field) row(j int) []float64 { return f.rows[j*f.d : (j+1)*f.d] }

// draw fills rows. In the bounded form it draws all directions, then all radii.
func (f *field) draw(r *random.Rand) {
	r.NormalsTo(f.rows)
	for j := range f.n {
		row := f.row(j)
		if f.form == Unbounded {
			for k := range row {
				row[k] /= f.sigma
			}
		} else if n := math.Sqrt(numeric.SquaredNorm(row)); n > 0 {
			for k := range row {
				row[k] /= n
			}
		}
	}
	if f.form == Bounded {
		for j := range f.n {
			radius := math.Sqrt(r.ChiSquared(f.d+2)) / f.sigma
			row := f.row(j)
			for k := range row {
				row[k] *= radius
			}
		}
	}
}

// derive computes norm, w and B from rows.
func (f *field) derive() {
	for j := range f.n {
		f.norm[j] = math.Sqrt(numeric.SquaredNorm(f.row(j)))
	}
	numeric.TurnsTo(f.w, f.rows, f.d)
	f.settle()
}

func (f *field) FeaturesTo(phi, x []float64) { vec.Features(phi, f.w, x, f.scale) }

func (f *field) Smooth() error { return nil }

// State saves or restores the frequencies.
func (f *field) State(c *snapshot.Codec) {
	c.Section(f.name)
	c.Float64s(f.rows)
	f.derive()
}

func (f *field) RedrawFrom(r *random.Rand) bool {
	f.draw(r)
	f.derive()
	return true
}

func (f *field) Weigh(s float64) bool { f.scale *= s; return true }

func (f *field) KernelTo(k, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	f.kernel(k, f.delta, f.sigma)
	vec.Scale(f.mass(), k)
}

func (f *field) VarianceTo(v, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	f.vary(v, f.delta, f.sigma, f.form)
	vec.Scale(numeric.Square(f.mass())/float64(f.n), v)
}

// tiny is the norm below which rounding dominates the direction: B(omega) = 0 there.
const tiny = 1e-150

// bound returns sqrt(d)/sigma, the norm of B in the bounded form.
func (f *field) bound() float64 { return math.Sqrt(float64(f.d)) / f.sigma }

func (f *field) mass() float64 { return f.scale * f.scale * float64(f.n) }

// curlKernelTo writes (1/sigma^2) k0 (I - delta delta^T/sigma^2).
func curlKernelTo(k, delta []float64, sigma float64) {
	s, d := 1/(sigma*sigma), len(delta)
	f := s * math.Exp(-s*numeric.SquaredNorm(delta)/2)
	for i := range d {
		for j := range d {
			v := -s * delta[i] * delta[j]
			if i == j {
				v++
			}
			k[i*d+j] = f * v
		}
	}
}

// divergenceKernelTo writes (1/sigma^2) k0 (delta delta^T/sigma^2 + (d - 1 -
// ||delta||^2/sigma^2) I).
func divergenceKernelTo(k, delta []float64, sigma float64) {
	s, d := 1/(sigma*sigma), len(delta)
	q := numeric.SquaredNorm(delta)
	f := s * math.Exp(-s*q/2)
	for i := range d {
		for j := range d {
			v := s * delta[i] * delta[j]
			if i == j {
				v += float64(d-1) - s*q
			}
			k[i*d+j] = f * v
		}
	}
}

// fourthTo writes E cos(omega.delta) ||omega||^2 omega omega^T for normal omega: the Hessian of the Laplacian of k0.
func fourthTo(m, delta []float64, sigma float64) {
	s, d := 1/(sigma*sigma), len(delta)
	q := numeric.SquaredNorm(delta)
	f := s * s * math.Exp(-s*q/2)
	for i := range d {
		for j := range d {
			v := -s * (float64(d) + 4 - s*q) * delta[i] * delta[j]
			if i == j {
				v += float64(d) + 2 - s*q
			}
			m[i*d+j] = f * v
		}
	}
}

// fieldVarianceTo writes E cos^2 A^2 - K0(delta)^2 for one draw (Brault 2017, proposition 5.1, corrected). second(m, lag)
// writes E cos(omega.lag) A^2, and kernel writes K0.
func fieldVarianceTo(v, delta []float64, second, kernel func(m, lag []float64)) {
	d := len(delta)
	lag, a, b := make([]float64, d), make([]float64, d*d), make([]float64, d*d)
	second(a, lag)
	for i := range lag {
		lag[i] = 2 * delta[i]
	}
	second(b, lag)
	for i := range a {
		a[i] = (a[i] + b[i]) / 2
	}
	kernel(b, delta)
	for i := range d {
		for j := range d {
			v[i*d+j] = a[i*d+j] - vec.Dot(b[i*d:(i+1)*d], b[j*d:(j+1)*d])
		}
	}
}

func (f *field) KernelSmooth() error { return nil }

// fieldPullTo writes the gradient in delta of r.K a for the kernel
//
//	K = mass s exp(-s q/2) (outer s delta delta^T + (level - slope s q) I), q = ||delta||^2,
//
// with s = 1/sigma^2. The curl-free and the divergence-free kernel are two cases.
func (f *field) fieldPullTo(g, r, a []float64, outer, level, slope float64) {
	s, q := 1/(f.sigma*f.sigma), numeric.SquaredNorm(f.delta)
	dr, da, ra := vec.Dot(f.delta, r), vec.Dot(f.delta, a), vec.Dot(r, a)
	k := f.mass() * s * math.Exp(-s*q/2)
	v := outer*s*dr*da + (level-slope*s*q)*ra
	for i, t := range f.delta {
		g[i] = k * (-s*t*v + outer*s*(r[i]*da+a[i]*dr) - 2*slope*s*t*ra)
	}
}

// fieldEstimate divides the kernel by its mass, so that its weight is 1.
func fieldEstimate(f *field, k0, second float64) bound.Estimate {
	d := float64(f.d)
	s2 := f.sigma * f.sigma
	a := d / s2
	u := &bound.UniformField{D: f.d, P: f.d, Bounded: f.form == Bounded}
	if u.Bounded {
		u.U, u.V = a+k0, a*k0
		u.M = a * bound.ChiMoment(f.d+2, 1) / f.sigma
	} else {
		u.U, u.V = 4*(bound.OrliczNorm(f.d, f.sigma)+k0), second
		u.M = bound.ChiMoment(f.d, 3) / (s2 * f.sigma)
	}
	e := bound.Estimate{Draws: f.n, D: f.d, Norm: f.mass(), Field: u}
	e.Uniform = func(eps float64, p bound.Set) (bound.Inequality, string, error) {
		if err := check.Positive("the diameter of the set of inputs", p.Diameter); err != nil {
			return nil, "", err
		}
		// The bound depends on units: scale the kernel to ||K0(0)|| = 1.
		scaled := *u
		scaled.M, scaled.U, scaled.V = u.M/k0, u.U/k0, u.V/(k0*k0)
		return bound.OnBall{UniformField: scaled, Eps: eps / k0, Diameter: p.Diameter}, "Brault, uniform on a ball", nil
	}
	return e
}
