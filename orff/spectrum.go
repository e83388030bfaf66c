package orff

import "math"

// Spectrum is a shift-invariant kernel k(x, z) = K0(x-z) with K0(0) = 1 together
// with its spectral measure, the even probability distribution of frequencies
// of which K0 is the Fourier transform (Bochner): K0(delta) = E cos(omega.delta).
type Spectrum interface {
	// SampleTo fills w with len(w)/d independent frequencies in R^d, row-major,
	// in the inverse unit of x.
	SampleTo(w []float64, d int, r *Rand)

	// K0 is the kernel at the lag delta.
	K0(delta []float64) float64
}

// Gaussian is the kernel exp(-||delta||^2 / (2 Sigma^2)). Sigma, the bandwidth,
// has the unit of x; the frequencies are N(0, I/Sigma^2).
type Gaussian struct{ Sigma float64 }

func (k Gaussian) SampleTo(w []float64, d int, r *Rand) {
	r.NormalsTo(w)
	for i := range w {
		w[i] /= k.Sigma
	}
}

func (k Gaussian) K0(delta []float64) float64 {
	return math.Exp(-squaredNorm(delta) / (2 * k.Sigma * k.Sigma))
}

func (k Gaussian) validate() error { return positive("Gaussian: Sigma", k.Sigma) }

// Laplacian is the kernel exp(-Gamma ||delta||_1); the coordinates of a
// frequency are independent Cauchy variables of scale Gamma. E||omega|| is
// infinite: its maps have no Jacobian and no uniform error bound.
type Laplacian struct{ Gamma float64 }

func (k Laplacian) SampleTo(w []float64, d int, r *Rand) {
	for i := range w {
		w[i] = k.Gamma * math.Tan(math.Pi*(r.Uniform()-0.5))
	}
}

func (k Laplacian) K0(delta []float64) float64 {
	var s float64
	for _, t := range delta {
		s += math.Abs(t)
	}
	return math.Exp(-k.Gamma * s)
}

func (k Laplacian) validate() error { return positive("Laplacian: Gamma", k.Gamma) }

// Sinc is the product over the coordinates of sin(A delta)/(A delta); the
// coordinates of a frequency are independent and uniform in (-A, A).
type Sinc struct{ A float64 }

func (k Sinc) SampleTo(w []float64, d int, r *Rand) {
	for i := range w {
		w[i] = k.A * (2*r.Uniform() - 1)
	}
}

func (k Sinc) K0(delta []float64) float64 {
	p := 1.0
	for _, t := range delta {
		p *= sinc(k.A * t)
	}
	return p
}

func (k Sinc) validate() error { return positive("Sinc: A", k.A) }

// sinc is sin(t)/t; the Taylor error t^4/120 is below rounding for |t| < 1e-4.
func sinc(t float64) float64 {
	if math.Abs(t) < 1e-4 {
		return 1 - t*t/6
	}
	return math.Sin(t) / t
}
