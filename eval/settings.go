package eval

import (
	"math"
	"math/cmplx"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// settingDim is the number of variables of the three settings.
const settingDim = 5

// SettingConfig names one of the simulations of Brault 2017, section 8.3.2.
type SettingConfig struct {
	// Setting is 1 (linear), 2 (exponential) or 3 (sine).
	Setting int

	// Toeplitz selects correlated noise; otherwise the noise is white.
	Toeplitz bool

	// OffDiagonal is the standard deviation of the five off-diagonal cells of A.
	// Zero means that of the setting: .3, in Setting 2 with white noise .5.
	OffDiagonal float64

	Seed uint64
}

// Setting simulates x_{t+1} = A f(x_t) + u_{t+1}, u ~ N(0, S), x_1 ~ N(0, S), of
// five variables:
//
//	1  f(x) = x              A_ii = .9  S = .9 I     or .9^|i-j|
//	2  f(x) = exp(-10 x^2)   A_ii = .5  S = .0009 I  or .01 .09^|i-j|
//	3  f(x) = sin(-x)        A_ii = .9  S = .009 I   or .1 .9^|i-j|
//
// Five distinct cells off the diagonal of A are normal, the others zero; A is
// drawn anew until its spectral radius is below 1, which the original omits.
// These are the formulas of the code behind the thesis; those printed in it do
// not give its tables.
type Setting struct {
	rng   *rand.Rand
	f     func(float64) float64
	a     [settingDim][settingDim]float64
	noise [settingDim][settingDim]float64 // lower triangular L, S = L L^T
	cov   [settingDim][settingDim]float64 // S
	x, u  [settingDim]float64
	begun bool
}

// NewSetting draws A and returns the generator. It panics when there is no such
// setting.
func NewSetting(c SettingConfig) *Setting {
	s := &Setting{rng: rand.New(rand.NewPCG(c.Seed, uint64(c.Setting)))}
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
		panic("eval: there are settings 1, 2 and 3")
	}
	if c.OffDiagonal > 0 {
		spread = c.OffDiagonal
	}
	cov := mat.NewSymDense(settingDim, nil)
	for i := range settingDim {
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
		panic("eval: noise covariance is not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	for i := range settingDim {
		for j := range settingDim {
			s.noise[i][j] = l.At(i, j)
			s.cov[i][j] = cov.At(i, j)
		}
	}
	for ok := false; !ok; ok = spectralRadius(&s.a) < 1 {
		s.a = [settingDim][settingDim]float64{}
		for i := range settingDim {
			s.a[i][i] = diagonal
		}
		for _, cell := range s.rng.Perm(settingDim * (settingDim - 1))[:5] {
			i, j := cell/(settingDim-1), cell%(settingDim-1)
			if j >= i {
				j++
			}
			s.a[i][j] = spread * s.rng.NormFloat64()
		}
	}
	return s
}

func spectralRadius(a *[settingDim][settingDim]float64) float64 {
	m := mat.NewDense(settingDim, settingDim, nil)
	for i := range a {
		m.SetRow(i, a[i][:])
	}
	var e mat.Eigen
	if !e.Factorize(m, mat.EigenNone) {
		return math.Inf(1)
	}
	r := 0.
	for _, v := range e.Values(nil) {
		r = max(r, cmplx.Abs(v))
	}
	return r
}

// Dim implements Generator.
func (s *Setting) Dim() int { return settingDim }

// Next implements Generator.
func (s *Setting) Next(y []float64) {
	mean := [settingDim]float64{}
	if s.begun {
		s.PredictTo(mean[:], s.x[:])
	}
	s.begun = true
	for i := range s.u {
		s.u[i] = s.rng.NormFloat64()
	}
	for i := range s.x {
		s.x[i] = mean[i]
		for j := range i + 1 {
			s.x[i] += s.noise[i][j] * s.u[j]
		}
	}
	copy(y, s.x[:])
}

// PredictTo writes A f(x), the best prediction of the row after x.
func (s *Setting) PredictTo(dst, x []float64) {
	var fx [settingDim]float64
	for j, v := range x {
		fx[j] = s.f(v)
	}
	for i := range s.a {
		dst[i] = 0
		for j, v := range fx {
			dst[i] += s.a[i][j] * v
		}
	}
}

// A returns the matrix: the effect of variable j on variable i is A[i][j].
func (s *Setting) A() [][]float64 {
	a := make([][]float64, settingDim)
	for i := range a {
		a[i] = append(a[i], s.a[i][:]...)
	}
	return a
}

// Floor returns the mean tr S/d and the standard deviation sqrt(2 tr S^2)/d of
// the losses of the best prediction: the SCV-MSE that no model undercuts but by
// chance.
func (s *Setting) Floor() (mse, sd float64) {
	var squares float64
	for i := range s.cov {
		mse += s.cov[i][i] / settingDim
		for _, v := range s.cov[i] {
			squares += v * v
		}
	}
	return mse, math.Sqrt(2*squares) / settingDim
}
