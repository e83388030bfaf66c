package simulate

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// SettingConfig selects one of the simulations of Brault 2017, section 8.3.2.
type SettingConfig struct {
	// Setting is 1 (linear), 2 (exponential) or 3 (sine).
	Setting int

	// Toeplitz selects correlated noise; otherwise the noise is white.
	Toeplitz bool

	// Dim is the number of variables d. Zero means 5, as in the thesis.
	Dim int

	// OffDiagonal is the standard deviation of the off-diagonal entries of A. Zero means the default: .5 in Setting
	// 2 with white noise, else .3.
	OffDiagonal float64

	Seed uint64
}

// Setting simulates x_{t+1} = A f(x_t) + u_{t+1}, u ~ N(0, S), x_1 ~ N(0, S):
//
//	1  f(x) = x              A_ii = .9  S = .9 I     or .9^|i-j|
//	2  f(x) = exp(-10 x^2)   A_ii = .5  S = .0009 I  or .01 .09^|i-j|
//	3  f(x) = sin(-x)        A_ii = .9  S = .009 I   or .1 .9^|i-j|
//
// As many distinct cells off the diagonal of A as there are variables (all cells
// when there are fewer) are normal, the others zero; A is drawn again until its
// spectral radius is below 1, which the original omits. These are the formulas of
// the code behind the thesis; those printed in it do not give its tables.
type Setting struct {
	rng   *rand.Rand
	dim   int
	f     func(float64) float64
	a     []float64 // dim x dim, row-major
	noise []float64 // dim x dim, lower triangular L with S = L L^T
	floor float64
	sd    float64   // standard deviation of the losses at the floor
	x     []float64 // last row; nil before the first
	fx    []float64
	u     []float64
}

// NewSetting draws A and returns the generator. It panics if c.Setting is unknown or c.Dim is negative.
func NewSetting(c SettingConfig) *Setting {
	d := c.Dim
	if d == 0 {
		d = 5
	}
	s := &Setting{
		rng: rand.New(rand.NewPCG(c.Seed, uint64(c.Setting))), dim: d,
		a: make([]float64, d*d), noise: make([]float64, d*d),
		fx: make([]float64, d), u: make([]float64, d),
	}
	var diagonal, scale, base float64 // S = scale base^|i-j|
	spread := .3
	switch c.Setting {
	case 1:
		s.f = func(x float64) float64 { return x }
		diagonal, scale, base = .9, 1, .9
	case 2:
		s.f = func(x float64) float64 { return math.Exp(-10 * x * x) }
		diagonal, scale, base = .5, .01, .09
		if !c.Toeplitz {
			spread = .5
		}
	case 3:
		s.f = func(x float64) float64 { return math.Sin(-x) }
		diagonal, scale, base = .9, .1, .9
		if !c.Toeplitz {
			scale = .01
		}
	default:
		panic("simulate: there are settings 1, 2 and 3")
	}
	if c.OffDiagonal > 0 {
		spread = c.OffDiagonal
	}
	cov := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			if c.Toeplitz {
				cov.SetSym(i, j, scale*math.Pow(base, float64(i-j)))
			} else if i == j {
				cov.SetSym(i, j, scale*base)
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		panic("simulate: noise covariance is not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	squares := 0.
	for i := range d {
		s.floor += cov.At(i, i) / float64(d)
		for j := range d {
			s.noise[i*d+j] = l.At(i, j)
			squares += cov.At(i, j) * cov.At(i, j)
		}
	}
	s.sd = math.Sqrt(2*squares) / float64(d)
	for {
		s.drawA(diagonal, spread)
		if spectralRadius(mat.NewDense(d, d, s.a)) < 1 {
			return s
		}
	}
}

func (s *Setting) drawA(diagonal, spread float64) {
	d := s.dim
	clear(s.a)
	for i := range d {
		s.a[i*d+i] = diagonal
	}
	cells := d * (d - 1)
	for _, cell := range s.rng.Perm(cells)[:min(d, cells)] {
		i, j := cell/(d-1), cell%(d-1)
		if j >= i {
			j++
		}
		s.a[i*d+j] = spread * s.rng.NormFloat64()
	}
}

func spectralRadius(a mat.Matrix) float64 {
	var e mat.Eigen
	if !e.Factorize(a, mat.EigenNone) {
		return math.Inf(1)
	}
	r := 0.
	for _, v := range e.Values(nil) {
		r = max(r, cmplx.Abs(v))
	}
	return r
}

// Dim implements Generator.
func (s *Setting) Dim() int { return s.dim }

// Next implements Generator.
func (s *Setting) Next(y []float64) {
	if s.x == nil {
		s.x = make([]float64, s.dim)
		clear(y)
	} else {
		s.PredictTo(y, s.x)
	}
	for i := range s.u {
		s.u[i] = s.rng.NormFloat64()
	}
	for i := range s.x {
		for j := range i + 1 {
			y[i] += s.noise[i*s.dim+j] * s.u[j]
		}
	}
	copy(s.x, y)
}

// PredictTo writes A f(x), the best prediction of the row after x, into dst.
func (s *Setting) PredictTo(dst, x []float64) {
	for j, v := range x {
		s.fx[j] = s.f(v)
	}
	for i := range s.dim {
		dst[i] = 0
		for j, v := range s.fx {
			dst[i] += s.a[i*s.dim+j] * v
		}
	}
}

// A returns the matrix A. Entry A[i][j] is the effect of variable j on variable i.
func (s *Setting) A() [][]float64 {
	a := make([][]float64, s.dim)
	for i := range a {
		a[i] = slices.Clone(s.a[i*s.dim : (i+1)*s.dim])
	}
	return a
}

// Floor returns the mean tr S/d and the standard deviation sqrt(2 tr S^2)/d of the losses of the best prediction.
// No model has a lower SCV-MSE except by chance.
func (s *Setting) Floor() (mse, sd float64) { return s.floor, s.sd }
