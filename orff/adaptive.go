package orff

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/distance"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// Adaptive is the feature map of the default model and of ORFFVAR (package varmodel): random Fourier features of a Gaussian
// kernel with a bandwidth sigma from the data,
//
//	phi(x) = [cos(W x / sigma); sin(W x / sigma)],
//
// with the D cosines first. The rows of W, D x d, are drawn from N(0, I). Observe sets sigma to factor times the median
// distance between the first 200 inputs. SetBandwidth sets sigma to any value. All features are 0 until sigma is known.
//
// Unlike the features of Fourier, the features are not divided by sqrt(D): phi(x).phi(x) = D. A ridge lambda of Adaptive
// equals a ridge lambda/D of Fourier.
type Adaptive struct {
	unit   *Fourier         // the map for sigma = 1, without the factor 1/sqrt(D)
	factor float64          // bandwidth in median distances
	sigma  float64          // 0: not known
	sample *distance.Sample // inputs collected by Observe; nil before the first input, and when sigma is known
	scaled []float64        // scratch: x / sigma
}

// adaptiveSample is the number of inputs from which Observe computes the bandwidth.
const adaptiveSample = 200

// NewAdaptive draws D frequencies in R^d from r; factor is the bandwidth in median
// distances.
func NewAdaptive(d, D int, factor float64, r random.Rand) (*Adaptive, error) {
	if err := check.Positive("the bandwidth factor of adaptive features", factor); err != nil {
		return nil, err
	}
	f, err := NewFourier(spectrum.Gaussian{Sigma: 1}, d, D, r)
	if err != nil {
		return nil, err
	}
	f.scale = 1
	return &Adaptive{unit: f, factor: factor, scaled: make([]float64, d)}, nil
}

// AlignAxes makes the kernel additive: frequency k keeps only coordinate k mod d. The features then span sums of functions
// of one coordinate each, which need far fewer samples than functions of all coordinates. The unit of the bandwidth remains
// the median distance in all coordinates, about sqrt(2 d) for standardised inputs. The frequencies are stretched to the
// median distance along one axis, sqrt(2) times the upper quartile of the normal distribution.
func (a *Adaptive) AlignAxes() {
	f := a.unit
	stretch := math.Sqrt(2*float64(f.d)) / (math.Sqrt2 * 0.6744897501960817)
	for k := range f.n {
		for i := range f.d {
			if w := &f.w[i*f.n+k]; i == k%f.d {
				*w *= stretch
			} else {
				*w = 0
			}
		}
	}
}

// In is d, the length of x.
func (a *Adaptive) In() int { return a.unit.d }

// Len is 2D, the length of phi.
func (a *Adaptive) Len() int { return 2 * a.unit.n }

// Bandwidth returns sigma, or 0 until it is known.
func (a *Adaptive) Bandwidth() float64 { return a.sigma }

// SetBandwidth sets sigma, > 0.
func (a *Adaptive) SetBandwidth(sigma float64) { a.sigma, a.sample = sigma, nil }

// Observe collects an input for the bandwidth, as long as sigma is unknown.
func (a *Adaptive) Observe(x []float64) {
	if a.sigma != 0 {
		return
	}
	if a.sample == nil {
		a.sample = distance.NewSample(a.unit.d, adaptiveSample)
	}
	if a.sample.Add(x) {
		a.SetBandwidth(a.factor * a.sample.Median())
	}
}

// FeaturesTo writes phi(x).
func (a *Adaptive) FeaturesTo(phi, x []float64) {
	if a.sigma == 0 {
		clear(phi)
		return
	}
	inverse, scaled := 1/a.sigma, a.scaled[:len(x)]
	for i, v := range x {
		scaled[i] = v * inverse
	}
	a.unit.FeaturesTo(phi, scaled)
}

// GradientTo writes the gradient of c.phi(x) in x into g, len d, given phi(x).
func (a *Adaptive) GradientTo(g, phi, c []float64) {
	if a.sigma == 0 {
		clear(g)
		return
	}
	a.unit.GradientTo(g, nil, phi, c)
	for i := range g {
		g[i] /= a.sigma
	}
}

// TakeTurns returns W^T / (2 pi), d x D, for a learner that computes the map itself (sgd.FourierNLMS). It removes the
// frequencies from a: afterwards only its bandwidth may be used.
func (a *Adaptive) TakeTurns() []float64 {
	w := a.unit.w
	a.unit.w = nil
	return w
}

// Copy returns a map that shares the frequencies and has a bandwidth of its own.
func (a *Adaptive) Copy() *Adaptive {
	c := *a
	c.sample = nil
	return &c
}

// State saves or restores the bandwidth, or the inputs collected for it. The frequencies are not saved: NewAdaptive draws
// equal frequencies from an equal Rand.
func (a *Adaptive) State(c *snapshot.Codec) {
	c.Section("adaptive")
	c.Float64(&a.sigma)
	collecting := a.sample != nil
	c.Bool(&collecting)
	if c.Decoding() {
		if a.sample = nil; collecting {
			a.sample = distance.NewSample(a.unit.d, adaptiveSample)
		}
	}
	if a.sample != nil {
		a.sample.State(c)
	}
}
