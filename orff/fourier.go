package orff

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Scalar is a feature map phi of a scalar kernel: phi(x).phi(z) ~ k(x, z). It is
// not safe for concurrent use.
type Scalar interface {
	// In is the length d of x, Len the length r of phi.
	In() int
	Len() int

	// FeaturesTo writes phi(x) into phi, len Len.
	FeaturesTo(phi, x []float64)

	// State saves or restores what was drawn or learnt.
	State(c *snapshot.Codec)
}

// Fourier is the random Fourier feature map of a shift-invariant kernel in its
// cos-sin form (Rahimi and Recht 2007; Brault 2017, section 2.1.2.1):
//
//	phi(x) = (1/sqrt(D)) [cos(W x); sin(W x)]
//
// all D cosines first, then all D sines; W is D x d, one frequency a row.
// phi(x).phi(x) = 1 exactly.
type Fourier struct {
	spectrum Spectrum
	d, n     int
	w        []float64 // n x d
	scale    float64   // 1/sqrt(n), times the root of a weight
}

// NewFourier draws D frequencies in R^d from r.
func NewFourier(s Spectrum, d, D int, r Rand) (*Fourier, error) {
	if d < 1 || D < 1 {
		return nil, fmt.Errorf("orff: Fourier features need d >= 1 and D >= 1, got %d and %d", d, D)
	}
	if err := validate(s); err != nil {
		return nil, err
	}
	f := &Fourier{spectrum: s, d: d, n: D, w: make([]float64, D*d), scale: 1 / math.Sqrt(float64(D))}
	f.redraw(&r)
	return f, nil
}

// FourierOf is the map of given frequencies, len(w)/d of them row-major. It
// keeps a copy.
func FourierOf(w []float64, d int) *Fourier {
	if d < 1 || len(w) == 0 || len(w)%d != 0 {
		panic("orff: FourierOf needs whole rows of frequencies")
	}
	n := len(w) / d
	return &Fourier{d: d, n: n, w: append([]float64(nil), w...), scale: 1 / math.Sqrt(float64(n))}
}

func (f *Fourier) In() int  { return f.d }
func (f *Fourier) Len() int { return 2 * f.n }

// FeaturesTo writes phi(x).
func (f *Fourier) FeaturesTo(phi, x []float64) {
	if len(phi) != 2*f.n || len(x) != f.d {
		panic(badLength)
	}
	cos, sin := phi[:f.n], phi[f.n:]
	for j := range cos {
		s, c := math.Sincos(dot(f.w[j*f.d:(j+1)*f.d], x))
		cos[j], sin[j] = f.scale*c, f.scale*s
	}
}

// State saves or restores the frequencies.
func (f *Fourier) State(c *snapshot.Codec) {
	c.Section("fourier")
	c.Float64s(f.w)
}

func (f *Fourier) redraw(r *Rand) bool {
	if f.spectrum == nil {
		return false
	}
	f.spectrum.SampleTo(f.w, f.d, r)
	return true
}

func (f *Fourier) weigh(s float64) bool { f.scale *= s; return true }

// Phase is the other random Fourier map of a shift-invariant kernel,
//
//	phi(x) = sqrt(2/D) cos(W x + beta), beta uniform in (0, 2 pi),
//
// of length D. For the Gaussian kernel Fourier has the smaller variance at
// equal length; Phase gives independent scalar features, which compositional
// kernels need. The offsets are drawn after all frequencies.
type Phase struct {
	spectrum Spectrum
	d, n     int
	w, beta  []float64
	scale    float64
}

// NewPhase draws D frequencies in R^d and D offsets from r.
func NewPhase(s Spectrum, d, D int, r Rand) (*Phase, error) {
	if d < 1 || D < 1 {
		return nil, fmt.Errorf("orff: phase features need d >= 1 and D >= 1, got %d and %d", d, D)
	}
	if err := validate(s); err != nil {
		return nil, err
	}
	f := &Phase{spectrum: s, d: d, n: D, w: make([]float64, D*d), beta: make([]float64, D), scale: math.Sqrt(2 / float64(D))}
	f.redraw(&r)
	return f, nil
}

func (f *Phase) In() int  { return f.d }
func (f *Phase) Len() int { return f.n }

// FeaturesTo writes phi(x).
func (f *Phase) FeaturesTo(phi, x []float64) {
	if len(phi) != f.n || len(x) != f.d {
		panic(badLength)
	}
	for j := range phi {
		phi[j] = f.scale * math.Cos(dot(f.w[j*f.d:(j+1)*f.d], x)+f.beta[j])
	}
}

// State saves or restores frequencies and offsets.
func (f *Phase) State(c *snapshot.Codec) {
	c.Section("phase")
	c.Float64s(f.w)
	c.Float64s(f.beta)
}

func (f *Phase) redraw(r *Rand) bool {
	f.spectrum.SampleTo(f.w, f.d, r)
	for j := range f.beta {
		f.beta[j] = 2 * math.Pi * r.Uniform()
	}
	return true
}

func (f *Phase) weigh(s float64) bool { f.scale *= s; return true }
