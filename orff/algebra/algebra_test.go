package algebra

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// C1.16: Sums with weights ≥ 0, products, f(k) as above, and exp(−tψ) of conditionally negative
// definite ψ are kernels: Gram matrices are positive semidefinite and k(x, z)² ≤ k(x, x) k(z, z).
//
// Sums, products, compositions and exp(-t psi) of kernels are positive
// definite and satisfy Cauchy-Schwarz.
func TestC1_16_KernelAlgebra(t *testing.T) {
	g := spectrum.Gaussian{Sigma: maptest.Sigma}
	r := random.Block(1, 1)
	kernels := map[string]orff.Scalar{
		"sum":           maptest.Must(NewScalarSum([]float64{0.5, 2}, maptest.Must(orff.NewFourier(g, 3, 20, r)), maptest.Must(orff.NewLinear(3, 1)))),
		"product":       maptest.Must(NewScalarProduct(maptest.Must(orff.NewFourier(g, 3, 20, r)), maptest.Must(orff.NewLinear(3, 1)))),
		"exp(k)":        maptest.Must(maclaurin.NewCompositional(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, g, 3, 20, r)),
		"f(<x,z>)":      maptest.Must(maclaurin.New(maclaurin.Polynomial(1, 2), maclaurin.Geometric{P: 2}, maclaurin.Rademacher, 3, 20, r)),
		"exp(-t ||.||)": maptest.Must(orff.NewFourier(spectrum.Matern{Half: 0, Ell: 1}, 3, 20, r)), // ||.|| is conditionally negative definite
	}
	const n = 25
	pts := maptest.Normals(9, 3*n)
	at := func(i int) []float64 { return pts[3*i : 3*i+3] }
	for name, s := range kernels {
		exact, approx := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			for j := range n {
				exact[i*n+j] = orff.Kernel(s, at(i), at(j))
				approx[i*n+j] = maptest.ScalarKernel(s, at(i), at(j))
			}
		}
		for _, gram := range [][]float64{exact, approx} {
			if low, trace := maptest.Smallest(t, n, gram); !(low >= -1e-12*trace) {
				t.Errorf("%s: eigenvalue %g at trace %g", name, low, trace)
			}
			for i := range n {
				for j := range n {
					if !(numeric.Square(gram[i*n+j]) <= gram[i*n+i]*gram[j*n+j]*(1+1e-12)) {
						t.Errorf("%s: Cauchy-Schwarz fails at (%d, %d)", name, i, j)
					}
				}
			}
		}
	}
}

func TestScalarSumAndProductAreExact(t *testing.T) {
	f, l := maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 3, 7, random.New(1))), maptest.Must(orff.NewLinear(3, 0.5))
	k, q := maptest.ScalarKernel(f, maptest.X, maptest.Z), vec.Dot(maptest.X, maptest.Z)+0.5
	maptest.Near(t, "product", maptest.ScalarKernel(maptest.Must(NewScalarProduct(f, l)), maptest.X, maptest.Z), k*q, 1e-14)
	maptest.Near(t, "sum", maptest.ScalarKernel(maptest.Must(NewScalarSum([]float64{0.25, 3}, f, l)), maptest.X, maptest.Z), 0.25*k+3*q, 1e-14)
}

func TestImpossibleScalarAlgebra(t *testing.T) {
	f, l := maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 3, 7, random.New(1))), maptest.Must(orff.NewLinear(2, 0))
	if _, err := NewScalarSum([]float64{1, 1}, f, l); err == nil {
		t.Error("a sum over different inputs was accepted")
	}
	if _, err := NewScalarProduct(f, l); err == nil {
		t.Error("a product over different inputs was accepted")
	}
	for _, w := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := NewScalarSum([]float64{w}, f); err == nil {
			t.Errorf("the weight %g was accepted", w)
		}
	}
	if _, err := NewScalarSum([]float64{1}); err == nil {
		t.Error("an empty sum was accepted")
	}
}
