package batch_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/sgd/batch"
)

// scalarFeatures returns phi of each row of x.
func scalarFeatures(m *orff.Decomposable, x []float64) []float64 {
	d := m.Dims()
	n := len(x) / d.In
	f := make([]float64, n*d.Features)
	for i := range n {
		m.FeaturesTo(f[i*d.Features:(i+1)*d.Features], x[i*d.In:(i+1)*d.In])
	}
	return f
}

func fixRidge(lambda float64) []float64 {
	m := fixture.Map()
	l := fixture.Must(batch.NewRidge(3, scalarFeatures(m, fixture.X), fixture.Y, fixture.B))
	theta := make([]float64, 8)
	if err := l.SolveTo(theta, lambda); err != nil {
		panic(err)
	}
	return theta
}

func fixObjective(change func(*batch.ObjectiveConfig)) *batch.Objective {
	m := fixture.Map()
	cfg := batch.ObjectiveConfig{Map: m, X: fixture.X, Y: fixture.Y, Lambda: fixture.Lambda}
	if change != nil {
		change(&cfg)
	}
	return fixture.Must(batch.NewObjective(cfg))
}

// C0.1: The objective 1/N Σ ‖h(x_i) − y_i‖² + λ/2 ‖θ‖² (6.2), convention M, has the solution of H
// at λ/2.
func TestC0_1_ConventionM(t *testing.T) {
	// The minimiser of SSE/N + lambda/2 ||theta||^2, found on its own objective.
	m, theta := fixture.Map(), make([]float64, 8)
	phi, e, g := scalarFeatures(m, fixture.X), make([]float64, 2), make([]float64, 8)
	for range 4000 {
		for k, v := range theta {
			g[k] = fixture.Lambda * v
		}
		for i := range 3 {
			m.PredictTo(e, phi[4*i:4*i+4], theta)
			e[0] -= fixture.Y[2*i]
			e[1] -= fixture.Y[2*i+1]
			m.AddGradient(g, 2.0/3, phi[4*i:4*i+4], e)
		}
		for k := range theta {
			theta[k] -= .5 * g[k]
		}
	}
	fixture.Near(t, "Theta", fixRidge(fixture.Lambda/2), theta, 1e-12)
}

// C4.1: Ridge (Algorithm 3): 1/N BᵀB Θ FᵀF + λΘ = 1/N Bᵀ Yᵀ F. With Γ = U diag(g) Uᵀ and FᵀF/N = Q
// diag(q) Qᵀ each entry is solved by a division by g_k q_c + λ.
func TestC4_1_RidgeClosedForm(t *testing.T) {
	theta := fixRidge(fixture.Lambda)
	fixture.Near(t, "Theta", theta, fixture.Theta, fixture.Golden)
	o := fixObjective(nil)
	fixture.Near(t, "predictions", o.Predictions(theta), fixture.Prediction, fixture.Golden)
	g := make([]float64, 8)
	fixture.Near(t, "objective", []float64{o.GradientTo(g, theta)}, []float64{0.2757327314835436}, fixture.Golden)
	var square float64
	for _, v := range theta {
		square += v * v
	}
	fixture.Near(t, "norm", []float64{square}, []float64{1.6314559942363296}, fixture.Golden)
}

// C4.2: Eigendecomposition, Kronecker system, conjugate gradients and L-BFGS agree, the gradient
// vanishes at the solution, and ‖h‖²_K = tr(Hᵀ Γ⁺ H) = ‖Θ‖² (Proposition 4.12), H = BΘ.
func TestC4_2_SolversAgree(t *testing.T) {
	want := fixRidge(fixture.Lambda)
	o := fixObjective(nil)

	g := make([]float64, 8)
	o.GradientTo(g, want)
	fixture.Near(t, "gradient at the solution", g, make([]float64, 8), 1e-12)

	cg := make([]float64, 8)
	if r := fixture.Must(o.SolveCG(cg, 1e-13, 0)); !r.Converged {
		t.Errorf("CG: %+v", r)
	}
	fixture.Near(t, "CG", cg, want, 1e-10)

	lbfgs := make([]float64, 8)
	if r := fixture.Must(o.MinimiseLBFGS(lbfgs, batch.LBFGS{})); !r.Converged {
		t.Errorf("L-BFGS: %+v", r)
	}
	fixture.Near(t, "L-BFGS", lbfgs, want, 1e-6)

	fixture.Near(t, "Kronecker", kroneckerRidge(fixture.Lambda), want, 1e-10)

	// ||h||_K^2 = tr(Hm^T Gamma^+ Hm) = ||Theta||_F^2 with Hm = B Theta.
	theta := fixture.Theta
	hm := make([]float64, 8)
	for i := range 2 {
		for c := range 4 {
			hm[4*i+c] = fixture.B[2*i]*theta[c] + fixture.B[2*i+1]*theta[4+c]
		}
	}
	// Gamma = [[1, .5], [.5, .89]]; its determinant is .64.
	inv := []float64{.89 / .64, -.5 / .64, -.5 / .64, 1 / .64}
	var trace float64
	for i := range 2 {
		for j := range 2 {
			for c := range 4 {
				trace += hm[4*i+c] * inv[2*i+j] * hm[4*j+c]
			}
		}
	}
	fixture.Near(t, "RKHS norm", []float64{trace}, []float64{1.6314559942363296}, 1e-12)
}

// kroneckerRidge solves the 8 x 8 normal equations of the fixture by Gaussian
// elimination.
func kroneckerRidge(lambda float64) []float64 {
	m := fixture.Map()
	f := scalarFeatures(m, fixture.X)
	a, rhs := make([]float64, 64), make([]float64, 8)
	unit, column := make([]float64, 2), make([]float64, 8)
	for i := range 3 {
		for k := range 2 {
			clear(column)
			clear(unit)
			unit[k] = 1
			m.AddGradient(column, 1, f[4*i:4*i+4], unit)
			for r := range 8 {
				rhs[r] += column[r] * fixture.Y[2*i+k] / 3
				for c := range 8 {
					a[8*r+c] += column[r] * column[c] / 3
				}
			}
		}
	}
	for r := range 8 {
		a[9*r] += lambda
	}
	for p := range 8 { // positive definite: no pivoting needed
		for r := p + 1; r < 8; r++ {
			f := a[8*r+p] / a[9*p]
			for c := range 8 {
				a[8*r+c] -= f * a[8*p+c]
			}
			rhs[r] -= f * rhs[p]
		}
	}
	for p := 7; p >= 0; p-- {
		for c := p + 1; c < 8; c++ {
			rhs[p] -= a[8*p+c] * rhs[c]
		}
		rhs[p] /= a[9*p]
	}
	return rhs
}

// C4.3: Convention M (C0.1) changes the weights: those of the fixture of three samples at the same
// λ.
func TestC4_3_ConventionChangesLambda(t *testing.T) {
	fixture.Near(t, "Theta", fixRidge(fixture.Lambda/2), fixture.ThetaHalf, fixture.Golden)
}

// C4.4: Equivalence with the kernel (Theorems 6.2 and 6.3): (G~ + NλI) u = y and θ = Σ Φ(x_i) u_i.
// The printed right-hand side lacks 1/N.
func TestC4_4_KernelEquivalence(t *testing.T) {
	// theta = sum_i Phi(x_i) u_i with (G/N + lambda I) u = y/N; the normal equations
	// give u = (y - h)/(N lambda).
	u := []float64{
		1.7705724028423433, 0.249821405493064,
		0.3052439880759012, -2.200641244391901,
		-1.5608291059307215, 1.5409330960179035,
	}
	m := fixture.Map()
	f := scalarFeatures(m, fixture.X)
	theta := make([]float64, 8)
	for i := range 3 {
		m.AddGradient(theta, 1, f[4*i:4*i+4], u[2*i:2*i+2])
	}
	fixture.Near(t, "theta", theta, fixRidge(fixture.Lambda), 1e-14)

	residual := make([]float64, 6)
	for i, h := range fixObjective(nil).Predictions(fixRidge(fixture.Lambda)) {
		residual[i] = (fixture.Y[i] - h) / (3 * fixture.Lambda)
	}
	fixture.Near(t, "u", residual, u, fixture.Golden)

	gamma := []float64{1, .5, .5, .89}
	for i := range 3 {
		for k := range 2 {
			sum := fixture.Lambda * u[2*i+k]
			for j := range 3 {
				var g float64
				for c := range 4 {
					g += f[4*i+c] * f[4*j+c]
				}
				sum += g * (gamma[2*k]*u[2*j] + gamma[2*k+1]*u[2*j+1]) / 3
			}
			fixture.Near(t, "kernel system", []float64{sum}, []float64{fixture.Y[2*i+k] / 3}, 1e-14)
		}
	}
}

// C4.5: Range of λ (Remark 6.1, with the square it omits): λ‖h‖² ≤ mean ‖y‖² at the ridge
// solution.
func TestC4_5_LambdaGrid(t *testing.T) {
	theta := fixRidge(fixture.Lambda)
	var square, sigma2, top float64
	for _, v := range theta {
		square += v * v
	}
	for i := range 3 {
		s := fixture.Y[2*i]*fixture.Y[2*i] + fixture.Y[2*i+1]*fixture.Y[2*i+1]
		sigma2 += s / 3
		top = max(top, s)
	}
	fixture.Near(t, "bound", []float64{fixture.Lambda * square, sigma2}, []float64{.1631, .9267}, 5e-5)
	for _, lambda := range []float64{10, 1, .1, .01, 1e-4} {
		square = 0
		for _, v := range fixRidge(lambda) {
			square += v * v
		}
		if !(lambda*square <= sigma2) {
			t.Errorf("lambda ||theta||^2 = %g exceeds %g at lambda = %g", lambda*square, sigma2, lambda)
		}
	}

	grid := fixture.Must(batch.LambdaGrid(1.5, 2, fixture.Y))
	for j, v := range grid {
		fixture.Near(t, "grid", []float64{v}, []float64{1.5 * sigma2 / top * math.Pow(10, -float64(j))}, 1e-15)
	}
	if len(grid) != 9 {
		t.Errorf("%d values, want 9", len(grid))
	}
	if _, err := batch.LambdaGrid(1, 1, []float64{0, math.NaN()}); err == nil {
		t.Error("a grid without targets")
	}
}

// The primal and the dual decomposition give the same solution as conjugate
// gradients, for p != p' and a singular Gamma.
func TestRidgePrimalAndDual(t *testing.T) {
	r := &fixture.Source{S: 4}
	b := []float64{1, .2, -.5, .3, .4, .8} // 3 x 2
	m := orff.NewDecomposable(orff.FourierOf(r.Normals(12), 2), fixture.Must(coupling.FromFactor(3, 2, b)))
	d := m.Dims() // r = 12
	for _, n := range []int{1, 5, 12, 40} {
		x, y := r.Normals(n*d.In), r.Normals(n*d.Out)
		l := fixture.Must(batch.NewRidge(n, scalarFeatures(m, x), y, b))
		o := fixture.Must(batch.NewObjective(batch.ObjectiveConfig{Map: m, X: x, Y: y, Lambda: 1e-2}))
		theta, want := make([]float64, d.Params), make([]float64, d.Params)
		if err := l.SolveTo(theta, 1e-2); err != nil {
			t.Fatal(err)
		}
		fixture.Must(o.SolveCG(want, 1e-14, 0))
		fixture.Near(t, "theta", theta, want, 1e-11) // condition number about 100
	}
}

func TestRidgeRefuses(t *testing.T) {
	nan := math.NaN()
	for name, err := range map[string]error{
		"rows":        second(batch.NewRidge(2, make([]float64, 3), make([]float64, 2), []float64{1})),
		"empty":       second(batch.NewRidge(0, nil, nil, nil)),
		"operator":    second(batch.NewRidge(1, []float64{1}, []float64{1, 2}, []float64{1, 2, 3})),
		"NaN target":  second(batch.NewRidge(1, []float64{1}, []float64{nan}, []float64{1})),
		"NaN feature": second(batch.NewRidge(1, []float64{nan}, []float64{1}, []float64{1})),
		"overflow":    second(batch.NewRidge(2, []float64{1e200, 1e200, 1e200, -1e200}, []float64{1, 2}, []float64{1})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	l := fixture.Must(batch.NewRidge(1, []float64{1}, []float64{1}, []float64{1}))
	for _, lambda := range []float64{0, -1, nan, math.Inf(1)} {
		if l.SolveTo(make([]float64, 1), lambda) == nil {
			t.Errorf("lambda %g is accepted", lambda)
		}
	}
}

func second[A, B any](_ A, b B) B { return b }
