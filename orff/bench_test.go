package orff_test

import (
	"fmt"
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/semigroup"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

// BenchmarkStep measures one sample of an online learner (features, prediction and gradient) for every map at D = 100
// draws and p = d outputs.
func BenchmarkStep(b *testing.B) {
	const D = 100
	r := random.Block(1, 1)
	same := func(s func(d int) (orff.Scalar, error)) func(d int) (orff.Map, error) {
		return func(d int) (orff.Map, error) {
			f, err := s(d)
			return orff.NewDecomposable(f, coupling.Identity(d)), err
		}
	}
	fourier := func(s spectrum.Spectrum) func(d int) (orff.Map, error) {
		return same(func(d int) (orff.Scalar, error) { return orff.NewFourier(s, d, D, r) })
	}
	cubic := maclaurin.Polynomial(1, 3)
	curl := func(d int) *vectorfield.CurlFree {
		return maptest.Must(vectorfield.NewCurlFree(1, d, D, vectorfield.Bounded, r))
	}
	for _, c := range []struct {
		name  string
		build func(d int) (orff.Map, error)
	}{
		{"fourier", fourier(spectrum.Gaussian{Sigma: 1})},
		{"fourier-coupled", func(d int) (orff.Map, error) {
			gamma := make([]float64, d*d)
			for i := range gamma {
				gamma[i] = 0.5
			}
			for i := range d {
				gamma[i*d+i] = 1
			}
			return orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, D, r)), maptest.Must(coupling.New(d, gamma))), nil
		}},
		{"laplacian", fourier(spectrum.Laplacian{Gamma: 1})},
		{"sinc", fourier(spectrum.Sinc{A: 1})},
		{"matern32", fourier(spectrum.Matern{Half: 1, Ell: 1})},
		{"orthogonal", fourier(spectrum.Orthogonal{Sigma: 1})},
		{"halton", fourier(spectrum.QuasiMonteCarlo{Spectrum: spectrum.Gaussian{Sigma: 1}, Sequence: spectrum.Halton})},
		{"linear", same(func(d int) (orff.Scalar, error) { return orff.NewLinear(d, 1) })},
		{"scalar-sum", same(func(d int) (orff.Scalar, error) {
			return algebra.NewScalarSum([]float64{.5, .5}, maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, D/2, r)), maptest.Must(orff.NewFourier(spectrum.Laplacian{Gamma: 1}, d, D/2, r)))
		})},
		{"scalar-product", same(func(d int) (orff.Scalar, error) {
			return algebra.NewScalarProduct(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 7, r)), maptest.Must(orff.NewFourier(spectrum.Sinc{A: 1}, d, 7, r)))
		})},
		{"phase", same(func(d int) (orff.Scalar, error) { return orff.NewPhase(spectrum.Gaussian{Sigma: 1}, d, D, r) })},
		{"fastfood", same(func(d int) (orff.Scalar, error) { return orff.NewFastfood(1, d, D, r) })},
		{"sorf", same(func(d int) (orff.Scalar, error) { return orff.NewSORF(1, d, D, r) })},
		{"skewed", same(func(d int) (orff.Scalar, error) {
			c := make([]float64, d)
			for i := range c {
				c[i] = 10
			}
			return orff.NewSkewedChiSquared(c, D, r)
		})},
		{"angular", same(func(d int) (orff.Scalar, error) { return orff.NewAngular(d, D, r) })},
		{"maclaurin", same(func(d int) (orff.Scalar, error) {
			return maclaurin.New(cubic, maptest.Must(maclaurin.Restricted(cubic, 1)), maclaurin.Rademacher, d, D, r)
		})},
		{"kakade", same(func(d int) (orff.Scalar, error) { return maclaurin.NewKakade(cubic, maclaurin.Rademacher, d, D, r) })},
		{"compositional", same(func(d int) (orff.Scalar, error) {
			return maclaurin.NewCompositional(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, spectrum.Gaussian{Sigma: 1}, d, D, r)
		})},
		{"semigroup", same(func(d int) (orff.Scalar, error) { return semigroup.New(semigroup.Reciprocal, 1, d, D, r) })},
		{"nystroem", same(func(d int) (orff.Scalar, error) {
			return nystroem.New(spectrum.Gaussian{Sigma: 1}, d, maptest.Normals(3, d*D))
		})},
		{"curl-free", func(d int) (orff.Map, error) { return curl(d), nil }},
		{"curl-free-unbounded", func(d int) (orff.Map, error) {
			return maptest.AsMap(vectorfield.NewCurlFree(1, d, D, vectorfield.Unbounded, r))
		}},
		{"divergence-free", func(d int) (orff.Map, error) {
			return maptest.AsMap(vectorfield.NewDivergenceFree(1, d, D, vectorfield.Bounded, false, r))
		}},
		{"divergence-free-reduced", func(d int) (orff.Map, error) {
			return maptest.AsMap(vectorfield.NewDivergenceFree(1, d, D, vectorfield.Bounded, true, r))
		}},
		{"helmholtz", func(d int) (orff.Map, error) {
			return maptest.AsMap(vectorfield.NewHelmholtz(0.5, curl(d), maptest.Must(vectorfield.NewDivergenceFree(1, d, D, vectorfield.Bounded, false, r))))
		}},
		{"transformable", func(d int) (orff.Map, error) {
			return maptest.AsMap(algebra.NewTransformable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, D, r)), algebra.Coordinates(d)))
		}},
		{"integral", func(d int) (orff.Map, error) {
			return newIntegral(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d-1, D, r)), maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, D, r))), nil
		}},
		{"product", func(d int) (orff.Map, error) {
			return maptest.AsMap(algebra.NewProduct(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, D, r)), curl(d)))
		}},
		{"schur-10", func(d int) (orff.Map, error) {
			return maptest.AsMap(algebra.NewSchur(orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 10, r)), coupling.Identity(d)), maptest.Must(algebra.NewTransformable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, 10, r)), algebra.Coordinates(d)))))
		}},
		{"tensor-10", func(d int) (orff.Map, error) {
			return maptest.AsMap(algebra.NewTensor(orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 10, r)), coupling.Identity(2)), maptest.Must(vectorfield.NewCurlFree(1, d, 10, vectorfield.Bounded, r))))
		}},
		{"congruence", func(d int) (orff.Map, error) {
			return maptest.AsMap(algebra.NewCongruence(curl(d), d, maptest.Normals(3, d*d)))
		}},
		{"blocks-4x25", func(d int) (orff.Map, error) {
			return maptest.AsMap(orff.NewBlocks(4, 1, true, func(r random.Rand) (orff.Map, error) {
				return orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 25, r)), coupling.Identity(d)), nil
			}))
		}},
		{"blocks-4x25-redrawn", func(d int) (orff.Map, error) {
			return maptest.AsMap(orff.NewBlocks(4, 1, false, func(r random.Rand) (orff.Map, error) {
				return orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 25, r)), coupling.Identity(d)), nil
			}))
		}},
	} {
		for _, d := range []int{5, 31} {
			b.Run(fmt.Sprintf("%s/D=%d/dim=%d", c.name, D, d), func(b *testing.B) {
				m, err := c.build(d)
				if err != nil { // SORF returns an error for 5 inputs
					b.Skip(err)
				}
				dims := m.Dims()
				x, theta := maptest.Scaled(maptest.Normals(1, dims.In), 0.3), maptest.Normals(2, dims.Params)
				if c.name == "semigroup" {
					for i, v := range x {
						x[i] = v * v
					}
				}
				phi, y, g := make([]float64, dims.Features), make([]float64, dims.Out), make([]float64, dims.Params)
				b.ReportAllocs()
				for b.Loop() {
					m.FeaturesTo(phi, x)
					m.PredictTo(y, phi, theta)
					m.AddGradient(g, 1e-3, phi, y)
				}
			})
		}
	}
}

// BenchmarkJacobian measures one Jacobian of a decomposable map.
func BenchmarkJacobian(b *testing.B) {
	for _, d := range []int{5, 31} {
		b.Run(fmt.Sprintf("D=100/dim=%d", d), func(b *testing.B) {
			m := orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 100, random.Block(1, 1))), coupling.Identity(d))
			a := maptest.Must(orff.NewJacobian(m))
			dims := m.Dims()
			x, theta, j := maptest.Normals(1, d), maptest.Normals(2, dims.Params), make([]float64, d*d)
			phi := maptest.Features(m, x, dims.Features)
			b.ReportAllocs()
			for b.Loop() {
				a.To(j, x, phi, theta)
			}
		})
	}
}
