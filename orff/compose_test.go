package orff

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// C2.14: Transformable kernel (Proposition 3.11): K(x, z)_ij = k(ψ_i(x), ψ_j(z)); row i of Φ(x)ᵀ
// is φ(ψ_i(x))ᵀ.
func TestC2_14_Transformable(t *testing.T) {
	m := must(NewTransformable(must(NewFourier(Gaussian{refSigma}, 1, 5, NewRand(1))), Coordinates(3)))
	k := make([]float64, 9)
	KernelTo(k, m, refX, refZ)
	nearAll(t, "K", k, []float64{
		0.8569968914352789, 0.9938461733264412, 0.9756109800648459,
		0.8569968914352789, 0.473826726395364, 0.41111229050718745,
		0.35232195499549696, 0.7389912962803087, 0.8007374029168081}, 1e-14)
	// Output i depends on input i alone: J is diagonal.
	j := jacobianAt(t, m, refX, normals(2, 10))
	for i := range 3 {
		for l := range 3 {
			if i != l && j[3*i+l] != 0 {
				t.Errorf("J(%d, %d) = %g", i+1, l+1, j[3*i+l])
			}
		}
	}
	if _, err := NewTransformable(must(NewFourier(Gaussian{1}, 2, 5, NewRand(1))), Coordinates(3)); err == nil {
		t.Error("a scalar map of another input was accepted")
	}
}

// C2.15: Integral kernel (Proposition 3.12 and section 9.1.2): h(x)(τ) = φ_X(x)ᵀ Θ φ_T(τ) =
// (φ_T(τ) ⊗ φ_X(x))·vec Θ.
func TestC2_15_Integral(t *testing.T) {
	fx := must(NewFourier(Gaussian{refSigma}, 3, 4, BlockRand(1, 1)))
	ft := must(NewFourier(Gaussian{0.5}, 1, 3, BlockRand(1, 2)))
	m := newIntegral(fx, ft)
	d := m.Dims()
	theta := normals(3, d.Params)
	grid := []float64{-0.4, 0.1, 0.7}
	onGrid := NewDecomposable(fx, must(outputGrid(ft, grid)))
	h := make([]float64, 3)
	// theta is that of the decomposable map, too: the rows of Theta^T, p' = r_T.
	onGrid.PredictTo(h, scalarFeatures(fx, refX), theta)
	for g, tau := range grid {
		px, pt := scalarFeatures(fx, refX), scalarFeatures(ft, []float64{tau})
		// (phi_T (x) phi_X).vec(Theta)
		var want float64
		for c, b := range pt {
			for i, a := range px {
				want += b * a * theta[8*c+i]
			}
		}
		y := make([]float64, 1)
		x := append(append([]float64{}, refX...), tau)
		m.PredictTo(y, features(m, x, d.Features), theta)
		near(t, "h(x)(tau)", y[0], want, 1e-14)
		near(t, "h(x)(tau) on a grid", h[g], want, 1e-14)
	}
	gamma := onGrid.Output().Gamma()
	for i := range 3 {
		for j := range 3 {
			near(t, "Gamma", gamma[3*i+j], scalarKernel(ft, grid[i:i+1], grid[j:j+1]), 1e-14)
		}
	}
}

// C2.16: Composition is exact for given frequencies: sums stack √a Φ1 and √c Φ2; k K is φ ⊗ Φ; V K
// Vᵀ is V h; the Schur product multiplies rows of Φ1ᵀ and Φ2ᵀ by ⊗; the tensor product is Φ1 ⊗ Φ2.
//
// For fixed frequencies the features of each rule reproduce its formula.
func TestC2_16_CompositionRules(t *testing.T) {
	g := Gaussian{refSigma}
	s := must(NewFourier(Sinc{1}, 3, 4, BlockRand(1, 9)))
	curl := func() Map { return must(NewCurlFree(refSigma, 3, 5, Bounded, BlockRand(1, 2))) }
	dec := func() Map {
		return NewDecomposable(must(NewFourier(g, 3, 4, BlockRand(1, 1))), must(NewOutput(3, must(GraphGamma(3, path3, 0.1)))))
	}
	k1, k2 := mapKernel(dec(), refX, refZ), mapKernel(curl(), refX, refZ)
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
		m    Map
		want []float64
	}{
		{"sum", must(NewSum([]float64{0.25, 3}, dec(), curl())), want(func(i, j int) float64 { return 0.25*k1[3*i+j] + 3*k2[3*i+j] }, 3)},
		{"scalar times operator", must(NewProduct(s, curl())), want(func(i, j int) float64 { return scalarKernel(s, refX, refZ) * k2[3*i+j] }, 3)},
		{"Schur", must(NewSchur(dec(), curl())), want(func(i, j int) float64 { return k1[3*i+j] * k2[3*i+j] }, 3)},
		{"tensor", must(NewTensor(dec(), curl())), want(func(i, j int) float64 { return k1[i/3*3+j/3] * k2[i%3*3+j%3] }, 9)},
		{"congruence", must(NewCongruence(curl(), 2, v)), want(func(i, j int) float64 {
			var s float64
			for a := range 3 {
				for b := range 3 {
					s += v[3*i+a] * k2[3*a+b] * v[3*j+b]
				}
			}
			return s
		}, 2)},
	} {
		nearAll(t, c.name, mapKernel(c.m, refX, refZ), c.want, 1e-13)
	}
}

// C2.17: Matrix-free and dense results agree (Tables 6.1 and 6.3, with the factor D^−½ that they
// omit).
//
// The matrix-free products equal those with Phi(x) written out from its
// definition, p != p'.
func TestC2_17_MatrixFreeEqualsDense(t *testing.T) {
	f := must(NewFourier(Gaussian{refSigma}, 3, 6, BlockRand(1, 1)))
	b := []float64{1, 2, -1, 0.5, 0, 3, -2, 1, 0.3, 0.7} // 5 x 2
	m := NewDecomposable(f, must(OutputFactor(5, 2, b)))
	// Phi(x) = B^T (x) phi(x), with Theta row by row.
	phi := scalarFeatures(f, refX)
	var dense mat.Dense
	dense.Kronecker(mat.NewDense(5, 2, b).T(), mat.NewDense(12, 1, phi))
	theta, r := normals(2, 24), normals(3, 5)
	var want mat.VecDense
	want.MulVec(dense.T(), mat.NewVecDense(24, theta))
	y := make([]float64, 5)
	m.PredictTo(y, phi, theta)
	nearAll(t, "Phi^T theta", y, want.RawVector().Data, 1e-12)
	want.Reset()
	want.MulVec(&dense, mat.NewVecDense(5, r))
	gr := make([]float64, 24)
	m.AddGradient(gr, 1, phi, r)
	nearAll(t, "Phi r", gr, want.RawVector().Data, 1e-12)

	// Divergence-free: B_j formed.
	div := must(NewDivergenceFree(refSigma, 3, 6, Unbounded, false, BlockRand(1, 1)))
	theta = normals(4, 36)
	phi = features(div, refX, 12)
	sum := make([]float64, 3)
	for j := range 6 {
		w, n := div.row(j), div.norm[j]
		for a := range 3 {
			for k := range 3 {
				bjk := -w[a] * w[k] / n
				if a == k {
					bjk += n
				}
				sum[a] += bjk * (phi[j]*theta[3*j+k] + phi[6+j]*theta[3*(6+j)+k])
			}
		}
	}
	y = make([]float64, 3)
	div.PredictTo(y, phi, theta)
	nearAll(t, "divergence-free", y, sum, 1e-12)
}

func TestImpossibleCompositions(t *testing.T) {
	g := Gaussian{1}
	s2 := must(NewFourier(g, 2, 3, NewRand(1)))
	d3 := NewDecomposable(must(NewFourier(g, 3, 3, NewRand(1))), Identity(2))
	curl := must(NewCurlFree(1, 3, 3, Bounded, NewRand(1)))
	div2 := must(NewDivergenceFree(1, 2, 3, Bounded, false, NewRand(1)))
	for name, err := range map[string]error{
		"sum of different outputs":        second(NewSum([]float64{1, 1}, curl, d3)),
		"sum without weights":             second(NewSum(nil, curl)),
		"negative weight":                 second(NewSum([]float64{-1}, curl)),
		"Helmholtz outside [0, 1]":        second(NewHelmholtz(1.5, curl, must(NewDivergenceFree(1, 3, 3, Bounded, false, NewRand(1))))),
		"Helmholtz of two dimensions":     second(NewHelmholtz(0.5, curl, div2)),
		"product of different inputs":     second(NewProduct(s2, curl)),
		"Schur product of other outputs":  second(NewSchur(curl, d3)),
		"tensor product of other inputs":  second(NewTensor(curl, div2)),
		"congruence of the wrong length":  second(NewCongruence(curl, 2, []float64{1, 2, 3})),
		"linear transform of wrong size":  second(NewLinearTransform(2, 2, 2, []float64{1})),
		"curl-free without bandwidth":     second(NewCurlFree(0, 3, 3, Bounded, NewRand(1))),
		"unknown form":                    second(NewCurlFree(1, 3, 3, Form(5), NewRand(1))),
		"grid of half a row":              second(outputGrid(s2, []float64{1})),
		"logarithm with too few offsets":  second(newLogarithmic(s2, []float64{1})),
		"skewed chi-squared with c = 0":   second(NewSkewedChiSquared([]float64{0}, 3, NewRand(1))),
		"unknown semigroup":               second(NewSemigroup(SemigroupLaw(9), 1, 2, 3, NewRand(1))),
		"Fastfood without bandwidth":      second(NewFastfood(0, 2, 3, NewRand(1))),
		"landmarks of half a row":         second(NewNystroem(g, 2, []float64{1})),
		"linear map without input":        second(NewLinear(0, 1)),
		"correlation without coordinates": second(NewCorrelation(0, 1)),
		"forgetting above 1":              second(NewCorrelation(2, 1.5)),
		"similarities of half a row":      second(SimilarityGraph(2, []float64{1}, 1)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if len(err.Error()) < 20 || err.Error()[:6] != "orff: " {
			t.Errorf("%s: %q gives no reason", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
