package spectrum

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/random"
)

func TestMatern(t *testing.T) {
	// The closed forms of Rasmussen and Williams (2006), equation 4.17.
	r := math.Sqrt(1.82) / 1.3
	maptest.Near(t, "1/2", Matern{Half: 0, Ell: 1.3}.K0(maptest.Delta), math.Exp(-r), 1e-14)
	s := math.Sqrt(3) * r
	maptest.Near(t, "3/2", Matern{Half: 1, Ell: 1.3}.K0(maptest.Delta), (1+s)*math.Exp(-s), 1e-14)
	s = math.Sqrt(5) * r
	maptest.Near(t, "5/2", Matern{Half: 2, Ell: 1.3}.K0(maptest.Delta), (1+s+s*s/3)*math.Exp(-s), 1e-14)
	s = math.Sqrt(7) * r
	maptest.Near(t, "7/2", Matern{Half: 3, Ell: 1.3}.K0(maptest.Delta), (1+s+2*s*s/5+s*s*s/15)*math.Exp(-s), 1e-14)
	// With growing smoothness, the kernels tend to the Gaussian kernel, at the rate 1/nu.
	maptest.Near(t, "41/2", Matern{Half: 20, Ell: 1.3}.K0(maptest.Delta), Gaussian{Sigma: 1.3}.K0(maptest.Delta), 0.02)
	// The first coordinate of the frequencies has the variance nu/(nu-1)/l^2.
	k := Matern{Half: 5, Ell: 0.5}
	w := make([]float64, 3*50000)
	g := random.New(4)
	k.SampleTo(w, 3, &g)
	var s2 float64
	for i := 0; i < len(w); i += 3 {
		s2 += w[i] * w[i]
	}
	// nu = 5.5: kurtosis 3 + 6/(11-4), so the variance of omega^2 is 2.86 times its squared mean.
	maptest.Near(t, "variance", s2/50000/k.Variance(), 1, 5*math.Sqrt(2.86/50000))
}

// Slopes agree with central differences of K0.
func TestSlopesOfKernels(t *testing.T) {
	for _, s := range []sloped{Gaussian{Sigma: 0.9}, Sinc{A: 2}, Sech{}, Matern{Half: 1, Ell: 1.3}, Matern{Half: 3, Ell: 0.7}} {
		for _, delta := range [][]float64{maptest.Delta, {0.3, 0, 1e-3}, {1e-6, 2, -0.01}} {
			g := make([]float64, 3)
			s.SlopeTo(g, delta)
			for k := range g {
				const h = 1e-5
				a, b := append([]float64(nil), delta...), append([]float64(nil), delta...)
				a[k] += h
				b[k] -= h
				// h^2 f'''/6 is 1e-10; the third derivative of Matern 3/2 is
				// unbounded at the origin only.
				maptest.Near(t, "slope", g[k], (s.K0(a)-s.K0(b))/(2*h), 1e-8)
			}
		}
	}
}

func TestSincNearZero(t *testing.T) {
	// Both branches at their border, with the next term of the series as the tolerance.
	for _, v := range []float64{0, 1e-9, 0.99e-4, 1.01e-4} {
		maptest.Near(t, "sinc", sinc(v), 1-v*v/6+v*v*v*v/120, 1e-16)
	}
}
