package orff

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// Form is a way to split the spectral density of a curl-free or divergence-free
// kernel into a law of frequencies and an operator B(omega) (Brault 2017,
// section 4.2). Both converge to the same kernel.
type Form int

const (
	// Bounded draws ||omega|| from the density r^(d+1) exp(-sigma^2 r^2/2) and
	// keeps ||B(omega)|| at sqrt(d)/sigma. Its variance is the smaller one, and
	// error bounds exist: the form to prefer.
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
	norm  []float64 // ||omega||
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

// draw fills rows. In the bounded form the radii follow all the
// directions.
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
	turnsTo(f.w, f.rows, f.d)
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

func (f *field) redraw(r *random.Rand) bool {
	f.draw(r)
	f.derive()
	return true
}

func (f *field) weigh(s float64) bool { f.scale *= s; return true }

func (f *field) kernelTo(k, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	f.kernel(k, f.delta, f.sigma)
	vec.Scale(f.mass(), k)
}

func (f *field) varianceTo(v, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	f.vary(v, f.delta, f.sigma, f.form)
	vec.Scale(numeric.Square(f.mass())/float64(f.n), v)
}

// tiny is the norm below which a direction has no meaning: B(omega) = 0 there.
const tiny = 1e-150

// bound is sqrt(d)/sigma, the norm of B in the bounded form.
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

// fourthTo writes E cos(omega.delta) ||omega||^2 omega omega^T for normal omega,
// the gradient of the gradient of the Laplacian of k0.
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

// fieldVarianceTo writes E cos^2 A^2 - K0(delta)^2 for one draw, where second(m,
// lag) writes E cos(omega.lag) A^2 and kernel K0 (Brault 2017, proposition 5.1
// corrected).
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
