package orff

import (
	"math"
	"testing"
)

// C1.16: Sums with weights ≥ 0, products, f(k) as above, and exp(−tψ) of conditionally negative
// definite ψ are kernels: Gram matrices are positive semidefinite and k(x, z)² ≤ k(x, x) k(z, z).
//
// Sums, products, compositions and exp(-t psi) of kernels are positive
// definite and satisfy Cauchy-Schwarz.
func TestC1_16_KernelAlgebra(t *testing.T) {
	g := Gaussian{refSigma}
	r := BlockRand(1, 1)
	kernels := map[string]Scalar{
		"sum":           must(NewScalarSum([]float64{0.5, 2}, must(NewFourier(g, 3, 20, r)), must(NewLinear(3, 1)))),
		"product":       must(NewScalarProduct(must(NewFourier(g, 3, 20, r)), must(NewLinear(3, 1)))),
		"exp(k)":        must(NewCompositional(Exponential{}, Geometric{2}, g, 3, 20, r)),
		"f(<x,z>)":      must(NewMaclaurin(Polynomial(1, 2), Geometric{2}, Rademacher, 3, 20, r)),
		"exp(-t ||.||)": must(NewFourier(Matern{0, 1}, 3, 20, r)), // ||.|| is conditionally negative definite
	}
	const n = 25
	pts := normals(9, 3*n)
	at := func(i int) []float64 { return pts[3*i : 3*i+3] }
	for name, s := range kernels {
		exact, approx := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			for j := range n {
				exact[i*n+j] = Kernel(s, at(i), at(j))
				approx[i*n+j] = scalarKernel(s, at(i), at(j))
			}
		}
		for _, gram := range [][]float64{exact, approx} {
			if low, trace := smallest(t, n, gram); !(low >= -1e-12*trace) {
				t.Errorf("%s: eigenvalue %g at trace %g", name, low, trace)
			}
			for i := range n {
				for j := range n {
					if !(square(gram[i*n+j]) <= gram[i*n+i]*gram[j*n+j]*(1+1e-12)) {
						t.Errorf("%s: Cauchy-Schwarz fails at (%d, %d)", name, i, j)
					}
				}
			}
		}
	}
}

func TestScalarSumAndProductAreExact(t *testing.T) {
	f, l := must(NewFourier(Gaussian{1}, 3, 7, NewRand(1))), must(NewLinear(3, 0.5))
	k, q := scalarKernel(f, refX, refZ), dot(refX, refZ)+0.5
	near(t, "product", scalarKernel(must(NewScalarProduct(f, l)), refX, refZ), k*q, 1e-14)
	near(t, "sum", scalarKernel(must(NewScalarSum([]float64{0.25, 3}, f, l)), refX, refZ), 0.25*k+3*q, 1e-14)
}

func TestImpossibleScalarAlgebra(t *testing.T) {
	f, l := must(NewFourier(Gaussian{1}, 3, 7, NewRand(1))), must(NewLinear(2, 0))
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
