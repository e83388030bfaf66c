package orff_test

import (
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/semigroup"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
	"gonum.org/v1/gonum/mat"
)

// C2.14: Transformable kernel (Proposition 3.11): K(x, z)_ij = k(ψ_i(x), ψ_j(z)); row i of Φ(x)ᵀ
// is φ(ψ_i(x))ᵀ.
func TestC2_14_Transformable(t *testing.T) {
	m := maptest.Must(algebra.NewTransformable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: maptest.Sigma}, 1, 5, random.New(1))), algebra.Coordinates(3)))
	k := make([]float64, 9)
	orff.KernelTo(k, m, maptest.X, maptest.Z)
	maptest.NearAll(t, "K", k, []float64{
		0.8569968914352789, 0.9938461733264412, 0.9756109800648459,
		0.8569968914352789, 0.473826726395364, 0.41111229050718745,
		0.35232195499549696, 0.7389912962803087, 0.8007374029168081}, 1e-14)
	// Output i depends on input i alone: J is diagonal.
	j := maptest.Jacobian(m, maptest.X, maptest.Normals(2, 10))
	for i := range 3 {
		for l := range 3 {
			if i != l && j[3*i+l] != 0 {
				t.Errorf("J(%d, %d) = %g", i+1, l+1, j[3*i+l])
			}
		}
	}
	if _, err := algebra.NewTransformable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 2, 5, random.New(1))), algebra.Coordinates(3)); err == nil {
		t.Error("a scalar map of another input was accepted")
	}
}

// C2.15: Integral kernel (Proposition 3.12 and section 9.1.2): h(x)(τ) = φ_X(x)ᵀ Θ φ_T(τ) =
// (φ_T(τ) ⊗ φ_X(x))·vec Θ.
func TestC2_15_Integral(t *testing.T) {
	fx := maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: maptest.Sigma}, 3, 4, random.Block(1, 1)))
	ft := maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 0.5}, 1, 3, random.Block(1, 2)))
	m := newIntegral(fx, ft)
	d := m.Dims()
	theta := maptest.Normals(3, d.Params)
	grid := []float64{-0.4, 0.1, 0.7}
	onGrid := orff.NewDecomposable(fx, maptest.Must(outputGrid(ft, grid)))
	h := make([]float64, 3)
	// theta is that of the decomposable map, too: the rows of Theta^T, p' = r_T.
	onGrid.PredictTo(h, maptest.ScalarFeatures(fx, maptest.X), theta)
	for g, tau := range grid {
		px, pt := maptest.ScalarFeatures(fx, maptest.X), maptest.ScalarFeatures(ft, []float64{tau})
		// (phi_T (x) phi_X).vec(Theta)
		var want float64
		for c, b := range pt {
			for i, a := range px {
				want += b * a * theta[8*c+i]
			}
		}
		y := make([]float64, 1)
		x := append(append([]float64{}, maptest.X...), tau)
		m.PredictTo(y, maptest.Features(m, x, d.Features), theta)
		maptest.Near(t, "h(x)(tau)", y[0], want, 1e-14)
		maptest.Near(t, "h(x)(tau) on a grid", h[g], want, 1e-14)
	}
	gamma := onGrid.Output().Gamma()
	for i := range 3 {
		for j := range 3 {
			maptest.Near(t, "Gamma", gamma[3*i+j], maptest.ScalarKernel(ft, grid[i:i+1], grid[j:j+1]), 1e-14)
		}
	}
}

// C2.16: Composition is exact for given frequencies: sums stack √a Φ1 and √c Φ2; k K is φ ⊗ Φ; V K
// Vᵀ is V h; the Schur product multiplies rows of Φ1ᵀ and Φ2ᵀ by ⊗; the tensor product is Φ1 ⊗ Φ2.
//
// For fixed frequencies the features of each rule reproduce its formula.
func TestC2_16_CompositionRules(t *testing.T) {
	g := spectrum.Gaussian{Sigma: maptest.Sigma}
	s := maptest.Must(orff.NewFourier(spectrum.Sinc{A: 1}, 3, 4, random.Block(1, 9)))
	curl := func() orff.Map {
		return maptest.Must(vectorfield.NewCurlFree(maptest.Sigma, 3, 5, vectorfield.Bounded, random.Block(1, 2)))
	}
	dec := func() orff.Map {
		return orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, 4, random.Block(1, 1))), maptest.Must(coupling.New(3, maptest.Must(coupling.GraphGamma(3, maptest.Path3, 0.1)))))
	}
	k1, k2 := maptest.Kernel(dec(), maptest.X, maptest.Z), maptest.Kernel(curl(), maptest.X, maptest.Z)
	want := func(f func(i, j int) float64, n int) []float64 {
		k := make([]float64, n*n)
		for i := range n {
			for j := range n {
				k[i*n+j] = f(i, j)
			}
		}
		return k
	}
	v := []float64{1, 2, 0, -1, 0.5, 3} // 2 x 3
	for _, c := range []struct {
		name string
		m    orff.Map
		want []float64
	}{
		{"sum", maptest.Must(algebra.NewSum([]float64{0.25, 3}, dec(), curl())), want(func(i, j int) float64 { return 0.25*k1[3*i+j] + 3*k2[3*i+j] }, 3)},
		{"scalar times operator", maptest.Must(algebra.NewProduct(s, curl())), want(func(i, j int) float64 { return maptest.ScalarKernel(s, maptest.X, maptest.Z) * k2[3*i+j] }, 3)},
		{"Schur", maptest.Must(algebra.NewSchur(dec(), curl())), want(func(i, j int) float64 { return k1[3*i+j] * k2[3*i+j] }, 3)},
		{"tensor", maptest.Must(algebra.NewTensor(dec(), curl())), want(func(i, j int) float64 { return k1[i/3*3+j/3] * k2[i%3*3+j%3] }, 9)},
		{"congruence", maptest.Must(algebra.NewCongruence(curl(), 2, v)), want(func(i, j int) float64 {
			var s float64
			for a := range 3 {
				for b := range 3 {
					s += v[3*i+a] * k2[3*a+b] * v[3*j+b]
				}
			}
			return s
		}, 2)},
	} {
		maptest.NearAll(t, c.name, maptest.Kernel(c.m, maptest.X, maptest.Z), c.want, 1e-13)
	}
	linear := orff.NewDecomposable(maptest.Must(orff.NewLinear(3, 0)), coupling.Identity(3))
	maptest.NearAll(t, "Schur at 0", maptest.Kernel(maptest.Must(algebra.NewSchur(linear, curl())), make([]float64, 3), maptest.Z), make([]float64, 9), 0)
}

// C2.17: Matrix-free and dense results agree (Tables 6.1 and 6.3, with the factor D^−½ that they
// omit).
//
// The matrix-free products equal those with Phi(x) written out from its
// definition, p != p'.
func TestC2_17_MatrixFreeEqualsDense(t *testing.T) {
	f := maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: maptest.Sigma}, 3, 6, random.Block(1, 1)))
	b := []float64{1, 2, -1, 0.5, 0, 3, -2, 1, 0.3, 0.7} // 5 x 2
	m := orff.NewDecomposable(f, maptest.Must(coupling.FromFactor(5, 2, b)))
	// Phi(x) = B^T (x) phi(x), with Theta row by row.
	phi := maptest.ScalarFeatures(f, maptest.X)
	var dense mat.Dense
	dense.Kronecker(mat.NewDense(5, 2, b).T(), mat.NewDense(12, 1, phi))
	theta, r := maptest.Normals(2, 24), maptest.Normals(3, 5)
	var want mat.VecDense
	want.MulVec(dense.T(), mat.NewVecDense(24, theta))
	y := make([]float64, 5)
	m.PredictTo(y, phi, theta)
	maptest.NearAll(t, "Phi^T theta", y, want.RawVector().Data, 1e-12)
	want.Reset()
	want.MulVec(&dense, mat.NewVecDense(5, r))
	gr := make([]float64, 24)
	m.AddGradient(gr, 1, phi, r)
	maptest.NearAll(t, "Phi r", gr, want.RawVector().Data, 1e-12)
}

func TestImpossibleCompositions(t *testing.T) {
	g := spectrum.Gaussian{Sigma: 1}
	s2 := maptest.Must(orff.NewFourier(g, 2, 3, random.New(1)))
	d3 := orff.NewDecomposable(maptest.Must(orff.NewFourier(g, 3, 3, random.New(1))), coupling.Identity(2))
	curl := maptest.Must(vectorfield.NewCurlFree(1, 3, 3, vectorfield.Bounded, random.New(1)))
	div2 := maptest.Must(vectorfield.NewDivergenceFree(1, 2, 3, vectorfield.Bounded, false, random.New(1)))
	for name, err := range map[string]error{
		"sum of different outputs":        maptest.Err(algebra.NewSum([]float64{1, 1}, curl, d3)),
		"sum without weights":             maptest.Err(algebra.NewSum(nil, curl)),
		"negative weight":                 maptest.Err(algebra.NewSum([]float64{-1}, curl)),
		"Helmholtz outside [0, 1]":        maptest.Err(vectorfield.NewHelmholtz(1.5, curl, maptest.Must(vectorfield.NewDivergenceFree(1, 3, 3, vectorfield.Bounded, false, random.New(1))))),
		"Helmholtz of two dimensions":     maptest.Err(vectorfield.NewHelmholtz(0.5, curl, div2)),
		"product of different inputs":     maptest.Err(algebra.NewProduct(s2, curl)),
		"Schur product of other outputs":  maptest.Err(algebra.NewSchur(curl, d3)),
		"tensor product of other inputs":  maptest.Err(algebra.NewTensor(curl, div2)),
		"congruence of the wrong length":  maptest.Err(algebra.NewCongruence(curl, 2, []float64{1, 2, 3})),
		"congruence that overflows":       maptest.Err(algebra.NewCongruence(orff.NewDecomposable(s2, maptest.Must(coupling.New(1, []float64{4}))), 1, []float64{1e308})),
		"linear transform of wrong size":  maptest.Err(algebra.NewLinearTransform(2, 2, 2, []float64{1})),
		"curl-free without bandwidth":     maptest.Err(vectorfield.NewCurlFree(0, 3, 3, vectorfield.Bounded, random.New(1))),
		"unknown form":                    maptest.Err(vectorfield.NewCurlFree(1, 3, 3, vectorfield.Form(5), random.New(1))),
		"grid of half a row":              maptest.Err(outputGrid(s2, []float64{1})),
		"skewed chi-squared with c = 0":   maptest.Err(orff.NewSkewedChiSquared([]float64{0}, 3, random.New(1))),
		"sign features without input":     maptest.Err(orff.NewAngular(0, 3, random.New(1))),
		"unknown semigroup":               maptest.Err(semigroup.New(semigroup.Law(9), 1, 2, 3, random.New(1))),
		"Fastfood without bandwidth":      maptest.Err(orff.NewFastfood(0, 2, 3, random.New(1))),
		"landmarks of half a row":         maptest.Err(nystroem.New(g, 2, []float64{1})),
		"linear map without input":        maptest.Err(orff.NewLinear(0, 1)),
		"correlation without coordinates": maptest.Err(coupling.NewCorrelation(0, 1)),
		"forgetting above 1":              maptest.Err(coupling.NewCorrelation(2, 1.5)),
		"similarities of half a row":      maptest.Err(coupling.SimilarityGraph(2, []float64{1}, 1)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if len(err.Error()) < 20 || err.Error()[:6] != "orff: " {
			t.Errorf("%s: %q gives no reason", name, err)
		}
	}
}
