package orff

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// C1.1: One-draw variances: (1 + k0(2δ))/2 − k0(δ)² for the cos-sin form; 1 + k0(2δ)/2 − k0(δ)²
// for the phase form √2 cos(ω·x + β), β uniform on [0, 2π). From cos² t = (1 + cos 2t)/2 and 2 cos
// a cos b = cos(a − b) + cos(a + b).
func TestC1_1_VariancesOfTheTwoForms(t *testing.T) {
	g := spectrum.Gaussian{Sigma: maptest.Sigma}
	maptest.Near(t, "cos-sin variance", cosSinVariance(g, maptest.Delta), 0.39986385799450697, 1e-14)
	maptest.Near(t, "phase variance", phaseVariance(g, maptest.Delta), 0.8998638579945069, 1e-14)

	const n = 200000
	mean, v := maptest.OneDraw(t, n, func(r random.Rand) (Scalar, error) { return NewFourier(g, 3, 1, r) }, maptest.X, maptest.Z)
	maptest.Near(t, "mean, cos-sin", mean, g.K0(maptest.Delta), 5*math.Sqrt(0.4/n))
	maptest.Near(t, "measured variance, cos-sin", v, 0.39986385799450697, 5*math.Sqrt(0.5/n)) // terms lie in [-1, 1]: (X-k)^2 has variance below 0.5
	mean, v = maptest.OneDraw(t, n, func(r random.Rand) (Scalar, error) { return NewPhase(g, 3, 1, r) }, maptest.X, maptest.Z)
	maptest.Near(t, "mean, phase", mean, g.K0(maptest.Delta), 5*math.Sqrt(0.9/n))
	maptest.Near(t, "measured variance, phase", v, 0.8998638579945069, 5*math.Sqrt(2.0/n)) // terms lie in [-2, 2]
}

// C1.2: φ(x)·φ(x) = 1 exactly, and k~(x + t, z + t) = k~(x, z), in the cos-sin form. The phase
// form has neither.
func TestC1_2_DiagonalAndShiftInvariance(t *testing.T) {
	const D = 50
	f := maptest.Must(NewFourier(spectrum.Gaussian{Sigma: maptest.Sigma}, 3, D, random.Block(1, 1)))
	maptest.Near(t, "phi(x).phi(x)", maptest.ScalarKernel(f, maptest.X, maptest.X), 1, 1e-15*D)
	by := []float64{3, -1, 0.25}
	k := maptest.ScalarKernel(f, maptest.X, maptest.Z)
	maptest.Near(t, "k~(x+t, z+t)", maptest.ScalarKernel(f, maptest.Shifted(maptest.X, by), maptest.Shifted(maptest.Z, by)), k, 1e-14)
	p := maptest.Must(NewPhase(spectrum.Gaussian{Sigma: maptest.Sigma}, 3, D, random.Block(1, 1)))
	if !(math.Abs(maptest.ScalarKernel(p, maptest.Shifted(maptest.X, by), maptest.Shifted(maptest.Z, by))-maptest.ScalarKernel(p, maptest.X, maptest.Z)) >= 1e-3) {
		t.Error("the phase form cannot be shift invariant for fixed offsets")
	}
}

// C1.3: A Gram matrix of features is positive semidefinite: its smallest eigenvalue is ≥ 0 up to
// rounding.
func TestC1_3_GramIsPositiveSemidefinite(t *testing.T) {
	for _, s := range []Scalar{
		maptest.Must(NewFourier(spectrum.Gaussian{Sigma: 1}, 3, 5, random.Block(1, 1))),
		maptest.Must(NewFourier(spectrum.Laplacian{Gamma: 1}, 3, 5, random.Block(1, 1))),
		maptest.Must(NewPhase(spectrum.Sinc{A: 1}, 3, 5, random.Block(1, 1))),
	} {
		const n = 30
		pts := maptest.Normals(5, 3*n)
		gram := make([]float64, n*n)
		for i := range n {
			for j := range n {
				gram[i*n+j] = maptest.ScalarKernel(s, pts[3*i:3*i+3], pts[3*j:3*j+3])
			}
		}
		if low, trace := maptest.Smallest(t, n, gram); !(low >= -1e-12*trace) {
			t.Errorf("%T: smallest eigenvalue %g at trace %g", s, low, trace)
		}
	}
}

// C1.4: Gaussian exp(−‖δ‖²/(2σ²)), ω ~ N(0, I/σ²); Laplacian exp(−γ‖δ‖₁), independent Cauchy
// variables of scale γ; sinc Π sin(aδ_k)/(aδ_k), ω uniform on (−a, a): the estimates meet the
// kernels.
func TestC1_4_ShiftInvariantKernels(t *testing.T) {
	for _, c := range []struct {
		name string
		s    spectrum.Spectrum
		k    float64
	}{
		{"Gaussian", spectrum.Gaussian{Sigma: 0.9}, 0.3251538610307493},
		{"Laplacian", spectrum.Laplacian{Gamma: 0.7}, 0.21438110142697794},
		{"sinc", spectrum.Sinc{A: 2}, 0.24018585996840416},
	} {
		t.Run(c.name, func(t *testing.T) {
			maptest.Near(t, "k0", c.s.K0(maptest.Delta), c.k, 1e-14)
			maptest.Near(t, "k0(0)", c.s.K0(make([]float64, 3)), 1, 0)
			const D = 100000
			f := maptest.Must(NewFourier(c.s, 3, D, random.Block(2, 1)))
			maptest.Near(t, "k~, cos-sin", maptest.ScalarKernel(f, maptest.X, maptest.Z), c.k, 5*math.Sqrt(cosSinVariance(c.s, maptest.Delta)/D))
			p := maptest.Must(NewPhase(c.s, 3, D, random.Block(2, 1)))
			maptest.Near(t, "k~, phase", maptest.ScalarKernel(p, maptest.X, maptest.Z), c.k, 5*math.Sqrt(phaseVariance(c.s, maptest.Delta)/D))
		})
	}
}

func TestImpossibleKernels(t *testing.T) {
	for _, s := range []spectrum.Spectrum{spectrum.Gaussian{Sigma: 0}, spectrum.Gaussian{Sigma: -1}, spectrum.Gaussian{Sigma: math.NaN()}, spectrum.Gaussian{Sigma: math.Inf(1)}, spectrum.Laplacian{Gamma: 0}, spectrum.Sinc{A: -2}} {
		if _, err := NewFourier(s, 2, 3, random.New(1)); err == nil {
			t.Errorf("%#v was accepted", s)
		}
		if _, err := NewPhase(s, 2, 3, random.New(1)); err == nil {
			t.Errorf("%#v was accepted by the phase form", s)
		}
	}
	if _, err := NewFourier(spectrum.Gaussian{Sigma: 1}, 0, 3, random.New(1)); err == nil {
		t.Error("d = 0 was accepted")
	}
}

// Low-discrepancy frequencies have a smaller error than the same number of independent ones. They are unbiased because
// of the shift.
func TestQuasiMonteCarloIsCloserThanMonteCarlo(t *testing.T) {
	const D, n = 256, 200
	for _, s := range []spectrum.Sequence{spectrum.Halton, spectrum.Sobol} {
		mean, v := maptest.OneDraw(t, n, func(r random.Rand) (Scalar, error) {
			return NewFourier(spectrum.QuasiMonteCarlo{Spectrum: spectrum.Gaussian{Sigma: maptest.Sigma}, Sequence: s}, 3, D, r)
		}, maptest.X, maptest.Z)
		iid := cosSinVariance(spectrum.Gaussian{Sigma: maptest.Sigma}, maptest.Delta) / D
		if !(v <= iid/4) {
			t.Errorf("%v: variance %g, of independent frequencies %g", s, v, iid)
		}
		maptest.Near(t, s.String(), mean, spectrum.Gaussian{Sigma: maptest.Sigma}.K0(maptest.Delta), 5*math.Sqrt(v/n))
	}
}

func TestQuasiMonteCarloRefuses(t *testing.T) {
	if _, err := NewFourier(spectrum.QuasiMonteCarlo{Spectrum: spectrum.Matern{Half: 1, Ell: 1}, Sequence: spectrum.Halton}, 3, 4, random.New(1)); err == nil {
		t.Error("a kernel without inverse distribution function was accepted")
	}
	if _, err := NewFourier(spectrum.QuasiMonteCarlo{Spectrum: spectrum.Gaussian{Sigma: 1}, Sequence: spectrum.Sobol}, 38, 4, random.New(1)); err == nil {
		t.Error("38 Sobol dimensions were accepted")
	}
	if _, err := NewFourier(spectrum.QuasiMonteCarlo{Spectrum: spectrum.Gaussian{Sigma: 1}, Sequence: spectrum.Sequence(9)}, 2, 4, random.New(1)); err == nil {
		t.Error("an unknown sequence was accepted")
	}
	if _, err := NewFourier(spectrum.QuasiMonteCarlo{Spectrum: spectrum.Gaussian{Sigma: -1}, Sequence: spectrum.Sobol}, 2, 4, random.New(1)); err == nil {
		t.Error("a negative bandwidth was accepted")
	}
}
