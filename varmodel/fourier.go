package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
)

// warmup is the number of inputs from which the bandwidth is taken. Until then
// the random features are zero.
const warmup = 200

// fourier is the random Fourier feature map of a Gaussian kernel whose
// bandwidth is the median distance between inputs (times a factor), found
// online: phi(x) = [cos(W x), sin(W x)], rows of W drawn from N(0, I/sigma^2).
// The features are not divided by sqrt(D): a ridge of lambda here is one of
// lambda D in the usual scaling.
type fourier struct {
	dim, frequencies int
	factor           float64
	w                []float64       // W^T in turns, dim x frequencies, of unit bandwidth
	scaled           []float64       // x / sigma, scratch
	sigma            float64         // 0 until known
	warm             *medianDistance // nil when sigma is known or somebody else sets it
}

// newFourier draws the frequencies of the given block of the seed.
func newFourier(dim, frequencies int, factor float64, seed uint64, block int) *fourier {
	f := &fourier{
		dim: dim, frequencies: frequencies, factor: factor,
		w:      make([]float64, dim*frequencies),
		scaled: make([]float64, dim),
		warm:   newMedianDistance(dim, warmup),
	}
	r := orff.BlockRand(seed, block)
	rows := make([]float64, frequencies*dim)
	r.NormalsTo(rows)
	for k := range frequencies {
		for i := range dim {
			f.w[i*frequencies+k] = rows[k*dim+i] / (2 * math.Pi)
		}
	}
	return f
}

// alignAxes makes the kernel additive: each frequency keeps one coordinate, in
// turn, so that the features span sums of functions of one coordinate each.
// Far fewer samples determine such a sum than a function of all coordinates.
// The bandwidth remains in terms of the distance in all coordinates, which is
// about sqrt(2 dim) for standardised inputs; along one axis the median distance
// is sqrt(2) times the upper quartile of the normal distribution.
func (f *fourier) alignAxes() {
	stretch := math.Sqrt(2*float64(f.dim)) / (math.Sqrt2 * 0.6744897501960817)
	for k := range f.frequencies {
		for i := range f.dim {
			if w := &f.w[i*f.frequencies+k]; i == k%f.dim {
				*w *= stretch
			} else {
				*w = 0
			}
		}
	}
}

// observe takes an input towards the bandwidth.
func (f *fourier) observe(x []float64) {
	if f.sigma == 0 && f.warm != nil && f.warm.add(x) {
		f.sigma = f.factor * f.warm.median()
		f.warm = nil // a third of the memory of a small model
	}
}

// featuresTo writes the 2*frequencies features of x, zero until the bandwidth
// is known.
func (f *fourier) featuresTo(phi, x []float64) {
	if f.sigma == 0 {
		clear(phi)
		return
	}
	inverse, scaled := 1/f.sigma, f.scaled[:len(x)]
	for i, v := range x {
		scaled[i] = v * inverse
	}
	vec.Features(phi, f.w, scaled, 1)
}

func (f *fourier) State(c *snapshot.Codec) {
	c.Section("fourier")
	c.Float64(&f.sigma)
	if f.sigma != 0 {
		f.warm = nil
	}
	if f.warm != nil {
		f.warm.State(c)
	}
}
