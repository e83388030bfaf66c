package orff_test

import (
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/semigroup"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

// withGamma returns a decomposable map of a scalar map.
func withGamma[S orff.Scalar](s S, err error) (orff.Map, error) {
	if err != nil {
		return nil, err
	}
	return orff.NewDecomposable(s, maptest.Must(coupling.New(2, maptest.Gamma))), nil
}

// fourierContract is the contract of a decomposable Fourier map of one kernel.
func fourierContract(name string, s spectrum.Spectrum) contract {
	return contract{name: name, x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
		return withGamma(orff.NewFourier(s, 3, D, r))
	}}
}

// drawVariance returns the variance of one frequency of the Fourier map at a lag.
func drawVariance(s spectrum.Spectrum, delta []float64) float64 {
	f := maptest.Must(orff.NewFourier(s, len(delta), 1, random.New(1)))
	return optional.Variance(f, delta, make([]float64, len(delta)))
}

func gaussianField(d, D int, form vectorfield.Form, r random.Rand) (*vectorfield.CurlFree, *vectorfield.DivergenceFree) {
	return maptest.Must(vectorfield.NewCurlFree(maptest.Sigma, d, D, form, r)), maptest.Must(vectorfield.NewDivergenceFree(maptest.Sigma, d, D, form, false, random.Block(r.Uint64(), 1)))
}

func contracts() []contract {
	g := spectrum.Gaussian{Sigma: maptest.Sigma}
	frobenius := numeric.SquaredNorm(maptest.Gamma)
	entry := func(s spectrum.Spectrum, x, z []float64) float64 { // variance of one draw of k~
		delta := make([]float64, len(x))
		numeric.LagTo(delta, x, z)
		return drawVariance(s, delta)
	}
	// Orthogonal frequencies, Fastfood and shifted sequences have at most the variance of independent draws: a safe
	// bound.
	atMost := func(s spectrum.Spectrum, x, z []float64) func(D int) float64 {
		return func(D int) float64 { return frobenius * entry(s, x, z) / float64(D) }
	}
	rough := func(c contract) contract { c.rough = true; return c }
	dependent := func(c contract, s spectrum.Spectrum) contract {
		c.squaredError = atMost(s, c.x, c.z)
		return c
	}
	cubic := maclaurin.Polynomial(1, 3)
	cs := []contract{
		fourierContract("Gaussian", g),
		rough(fourierContract("Laplacian", spectrum.Laplacian{Gamma: 0.7})),
		fourierContract("sinc", spectrum.Sinc{A: 2}),
		rough(fourierContract("Matern 1/2", spectrum.Matern{Half: 0, Ell: 1.3})),
		fourierContract("Matern 3/2", spectrum.Matern{Half: 1, Ell: 1.3}),
		fourierContract("Matern 5/2", spectrum.Matern{Half: 2, Ell: 1.3}),
		dependent(fourierContract("orthogonal", spectrum.Orthogonal{Sigma: maptest.Sigma}), g),
		dependent(fourierContract("Halton", spectrum.QuasiMonteCarlo{Spectrum: g, Sequence: spectrum.Halton}), g),
		dependent(fourierContract("Sobol", spectrum.QuasiMonteCarlo{Spectrum: g, Sequence: spectrum.Sobol}), g),
		rough(dependent(fourierContract("Sobol Laplacian", spectrum.QuasiMonteCarlo{Spectrum: spectrum.Laplacian{Gamma: 0.7}, Sequence: spectrum.Sobol}), spectrum.Laplacian{Gamma: 0.7})),
		{name: "SORF", x: maptest.WideX, z: maptest.WideZ, noMonteCarlo: "biased", build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewSORF(4, 32, D, r))
		}},
		dependent(contract{name: "Fastfood", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewFastfood(maptest.Sigma, 3, D, r))
		}}, g),
		{name: "phase", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewPhase(g, 3, D, r))
		}},
		{name: "skewed chi-squared", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewSkewedChiSquared([]float64{1, 1, 1}, D, r))
		}},
		{name: "angular", x: maptest.X, z: maptest.Z, draws: 4000, rough: true, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(orff.NewAngular(3, D, r))
		}},
		{name: "Maclaurin cubic", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.New(cubic, maclaurin.Geometric{P: 2}, maclaurin.Rademacher, 3, D, r))
		}},
		{name: "Maclaurin exponential, normal", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.New(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, maclaurin.Normal, 3, D, r))
		}},
		{name: "Maclaurin restricted", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.New(cubic, maptest.Must(maclaurin.Restricted(cubic, 1)), maclaurin.Rademacher, 3, D, r))
		}},
		{name: "Kakade", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.NewKakade(cubic, maclaurin.Rademacher, 3, D, r))
		}},
		{name: "compositional", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(maclaurin.NewCompositional(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, g, 3, D, r))
		}},
		{name: "exponential semigroup", x: maptest.PositiveX, z: maptest.PositiveZ, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(semigroup.New(semigroup.Exponential, 0.6, 3, D, r))
		}},
		{name: "reciprocal semigroup", x: maptest.PositiveX, z: maptest.PositiveZ, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(semigroup.New(semigroup.Reciprocal, 1.5, 3, D, r))
		}},
		{name: "Nystroem", x: maptest.X, z: maptest.Z, noMonteCarlo: "landmarks", noRedraw: true, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			landmarks := make([]float64, 3*min(D, 20))
			r.NormalsTo(landmarks)
			return withGamma(nystroem.New(g, 3, landmarks))
		}},
		{name: "linear", x: maptest.X, z: maptest.Z, draws: 1, moving: true, build: func(int, random.Rand) (orff.Map, error) {
			return withGamma(orff.NewLinear(3, 0.5))
		}},
		{name: "scalar sum", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(algebra.NewScalarSum([]float64{0.3, 0.7}, maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(orff.NewLinear(3, 1))))
		}},
		{name: "scalar product", x: maptest.X, z: maptest.Z, draws: 200, repeats: 10, build: func(D int, r random.Rand) (orff.Map, error) {
			return withGamma(algebra.NewScalarProduct(maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(orff.NewFourier(spectrum.Sinc{A: 1}, 3, D, random.Block(r.Uint64(), 1)))))
		}},
		{name: "identity Gamma", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			return orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), coupling.Identity(4)), nil
		}},
		{name: "simplex Gamma", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			return orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(coupling.NewSimplex(4))), nil
		}},
		{name: "Helmholtz", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			curl, div := gaussianField(3, D, vectorfield.Bounded, r)
			return maptest.AsMap(vectorfield.NewHelmholtz(0.3, curl, div))
		}},
		{name: "sum", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			curl, div := gaussianField(3, D, vectorfield.Unbounded, r)
			return maptest.AsMap(algebra.NewSum([]float64{0.5, 2, 1}, curl, div, orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), coupling.Identity(3))))
		}},
		{name: "transformable", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(algebra.NewTransformable(maptest.Must(orff.NewFourier(g, 1, D, r)), algebra.Coordinates(3)))
		}, squaredError: func(D int) float64 {
			var v float64
			for _, a := range maptest.X {
				for _, b := range maptest.Z {
					v += drawVariance(g, []float64{a - b})
				}
			}
			return v / float64(D)
		}},
		{name: "transformable, pairs", x: maptest.X, z: maptest.Z, draws: 4000, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			pairs := maptest.Must(algebra.NewLinearTransform(3, 2, 2, []float64{1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1}))
			return maptest.AsMap(algebra.NewTransformable(maptest.Must(orff.NewFourier(g, 2, D, r)), pairs))
		}, squaredError: func(D int) float64 {
			var v float64
			for i := range 2 {
				for j := range 2 {
					v += drawVariance(g, []float64{maptest.X[i] - maptest.Z[j], maptest.X[i+1] - maptest.Z[j+1]})
				}
			}
			return v / float64(D)
		}},
		{name: "integral", x: append(append([]float64{}, maptest.X...), 0.4), z: append(append([]float64{}, maptest.Z...), -0.3), draws: 300, repeats: 10, build: func(D int, r random.Rand) (orff.Map, error) {
			return newIntegral(maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 0.5}, 1, D, random.Block(r.Uint64(), 1)))), nil
		}},
		{name: "product", x: maptest.X, z: maptest.Z, draws: 200, repeats: 20, build: func(D int, r random.Rand) (orff.Map, error) {
			curl, _ := gaussianField(3, D, vectorfield.Bounded, random.Block(r.Uint64(), 1))
			return maptest.AsMap(algebra.NewProduct(maptest.Must(orff.NewFourier(spectrum.Sinc{A: 1}, 3, D, r)), curl))
		}},
		{name: "Schur", x: maptest.X, z: maptest.Z, draws: 100, repeats: 30, moving: true, build: func(D int, r random.Rand) (orff.Map, error) {
			tr := maptest.Must(algebra.NewTransformable(maptest.Must(orff.NewFourier(g, 1, D, r)), algebra.Coordinates(3)))
			gamma := maptest.Must(coupling.New(3, maptest.Must(coupling.GraphGamma(3, maptest.Path3, 0.1))))
			return maptest.AsMap(algebra.NewSchur(orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, random.Block(r.Uint64(), 1))), gamma), tr))
		}, squaredError: func(D int) float64 {
			gamma := maptest.Must(coupling.GraphGamma(3, maptest.Path3, 0.1))
			k, v := g.K0(maptest.Delta), drawVariance(g, maptest.Delta)/float64(D)
			var sum float64
			for i, a := range maptest.X {
				for j, b := range maptest.Z {
					lag := []float64{a - b}
					sum += numeric.Square(gamma[3*i+j]) * numeric.ProductVariance(k, v, g.K0(lag), drawVariance(g, lag)/float64(D))
				}
			}
			return sum
		}},
		{name: "tensor", x: maptest.X, z: maptest.Z, draws: 100, repeats: 60, build: func(D int, r random.Rand) (orff.Map, error) {
			_, div := gaussianField(3, D, vectorfield.Bounded, random.Block(r.Uint64(), 1))
			return maptest.AsMap(algebra.NewTensor(orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), maptest.Must(coupling.New(2, maptest.Gamma))), div))
		}},
		{name: "congruence", x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(algebra.NewCongruence(maptest.Must(algebra.NewSum([]float64{1}, orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, D, r)), coupling.Identity(3)))), 2, []float64{1, 2, 0, -1, 0.5, 3}))
		}, squaredError: func(D int) float64 {
			// V V^T = [[5, 0], [0, 10.25]].
			return (25 + 10.25*10.25) * entry(g, maptest.X, maptest.Z) / float64(D)
		}},
		{name: "blocks", x: maptest.X, z: maptest.Z, draws: 500, build: func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(orff.NewBlocks(8, r.Uint64(), true, func(r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewCurlFree(maptest.Sigma, 3, D, vectorfield.Bounded, r))
			}))
		}},
		{name: "blocks drawn again", x: maptest.X, z: maptest.Z, draws: 500, build: func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(orff.NewBlocks(8, r.Uint64(), false, func(r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewCurlFree(maptest.Sigma, 3, D, vectorfield.Bounded, r))
			}))
		}},
	}
	for _, form := range []vectorfield.Form{vectorfield.Bounded, vectorfield.Unbounded} {
		name := map[vectorfield.Form]string{vectorfield.Bounded: "bounded", vectorfield.Unbounded: "unbounded"}[form]
		cs = append(cs,
			contract{name: "curl-free " + name, x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewCurlFree(maptest.Sigma, 3, D, form, r))
			}},
			contract{name: "divergence-free " + name, x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewDivergenceFree(maptest.Sigma, 3, D, form, false, r))
			}},
			contract{name: "divergence-free reduced " + name, x: maptest.X, z: maptest.Z, draws: 4000, build: func(D int, r random.Rand) (orff.Map, error) {
				return maptest.AsMap(vectorfield.NewDivergenceFree(maptest.Sigma, 3, D, form, true, r))
			}})
	}
	return cs
}
