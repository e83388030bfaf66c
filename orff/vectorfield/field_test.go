package vectorfield

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

var (
	refCurl = []float64{
		0.2775280630654162, 0.27257220479639094, -0.1486757480707587,
		0.27257220479639094, -0.19823433076101168, 0.3270866457556692,
		-0.1486757480707587, 0.3270866457556692, 0.223013622106138}
	refDivergence = []float64{
		0.02477929134512636, -0.27257220479639094, 0.1486757480707587,
		-0.27257220479639094, 0.5005416851715543, -0.3270866457556692,
		0.1486757480707587, -0.3270866457556692, 0.07929373230440459}
)

// C2.9: Curl-free Gaussian kernel (section 4.2.2.3): K0 = −∇∇ᵀk0 = (k0/σ²)(I − δδᵀ/σ²). Unbounded
// map: B(ω) = ω, ω ~ N(0, I/σ²). Bounded map: B(ω) = (√d/σ) ω/‖ω‖, ‖ω‖² ~ χ²_{d+2}/σ²; the factor
// √d/σ is missing in print.
func TestC2_9_CurlFreeKernel(t *testing.T) {
	k := make([]float64, 9)
	curlKernelTo(k, maptest.Delta, maptest.Sigma)
	maptest.NearAll(t, "K0", k, refCurl, 1e-14)
	curlKernelTo(k, make([]float64, 3), maptest.Sigma)
	maptest.NearAll(t, "K0(0)", k, maptest.Scaled([]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, 1/0.81), 1e-15)
}

// The thesis omits sqrt(d)/sigma in the bounded map. Without the factor the kernel would be (sigma^2/d) K0, which
// differs clearly from K0 at this number of draws.
func TestC2_9_BoundedMapHasItsFactor(t *testing.T) {
	const D = 100000
	m := maptest.Must(NewCurlFree(maptest.Sigma, 3, D, Bounded, random.Block(1, 1)))
	got := maptest.Kernel(m, maptest.X, maptest.Z)
	v := make([]float64, 9)
	optional.VarianceTo(v, m, maptest.X, maptest.Z)
	tol := 5 * math.Sqrt(v[0]+v[4]+v[8])
	maptest.NearAll(t, "K~", got, refCurl, tol)
	for i := range m.b {
		maptest.Near(t, "||B||", m.b[i]*m.norm[i]/(2*math.Pi), math.Sqrt(3)/maptest.Sigma, 1e-13)
	}
}

// C2.10: Its predictions are gradients: the Jacobian is symmetric.
func TestC2_10_JacobianOfCurlFreeIsSymmetric(t *testing.T) {
	for _, form := range []Form{Bounded, Unbounded} {
		m := maptest.Must(NewCurlFree(maptest.Sigma, 4, 20, form, random.Block(1, 1)))
		j := maptest.Jacobian(m, maptest.Normals(3, 4), maptest.Normals(4, 40))
		for a := range 4 {
			for b := range a {
				maptest.Near(t, "J - J^T", j[4*a+b]-j[4*b+a], 0, 1e-13)
			}
		}
	}
}

// C2.11: Divergence-free kernel (section 4.2.2.4): K0 = (∇∇ᵀ − ∇·∇ I) k0 = (k0/σ²)(δδᵀ/σ² + (d − 1
// − ‖δ‖²/σ²) I), B(ω) = ‖ω‖ I − ωωᵀ/‖ω‖.
func TestC2_11_DivergenceFreeKernel(t *testing.T) {
	k := make([]float64, 9)
	divergenceKernelTo(k, maptest.Delta, maptest.Sigma)
	maptest.NearAll(t, "K0", k, refDivergence, 1e-14)
	divergenceKernelTo(k, make([]float64, 3), maptest.Sigma)
	maptest.NearAll(t, "K0(0)", k, maptest.Scaled([]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, 2/0.81), 1e-15)
	if _, err := NewDivergenceFree(1, 1, 5, Bounded, false, random.New(1)); err == nil {
		t.Error("d = 1 was accepted")
	}
}

// C2.12: K_curl + K_div = −(∇·∇ k0) I = (d − ‖δ‖²/σ²)(k0/σ²) I; the Jacobian of a divergence-free
// prediction has trace 0.
func TestC2_12_HelmholtzSplitsTheLaplacian(t *testing.T) {
	for i := range refCurl {
		want := 0.0
		if i%4 == 0 {
			want = 0.30230735441054263 // (d - ||delta||^2/sigma^2) k0/sigma^2
		}
		maptest.Near(t, "K_curl + K_div", refCurl[i]+refDivergence[i], want, 1e-15)
	}
	for _, reduced := range []bool{false, true} {
		m := maptest.Must(NewDivergenceFree(maptest.Sigma, 3, 20, Bounded, reduced, random.Block(1, 1)))
		j := maptest.Jacobian(m, maptest.X, maptest.Normals(4, m.Dims().Params))
		maptest.Near(t, "trace of J", j[0]+j[4]+j[8], 0, 1e-13)
	}
}

// C2.13: The map as printed in (4.21), ‖ω‖ I − ωωᵀ, estimates another kernel.
//
// Equation 4.21 as printed, B = ||omega|| I - omega omega^T without the
// division by ||omega||, gives another kernel.
func TestC2_13_PrintedDivergenceFreeMapIsWrong(t *testing.T) {
	const D = 400000
	w := make([]float64, 3*D)
	r := random.Block(5, 1)
	spectrum.Gaussian{Sigma: maptest.Sigma}.SampleTo(w, 3, &r)
	var k12, k22 float64
	for ; len(w) > 0; w = w[3:] {
		o := w[:3]
		n := math.Sqrt(numeric.SquaredNorm(o))
		var b [9]float64
		for i := range 3 {
			for j := range 3 {
				b[3*i+j] = -o[i] * o[j]
			}
			b[4*i] += n
		}
		c := math.Cos(vec.Dot(o, maptest.Delta))
		k12 += c * vec.Dot(b[0:3], b[3:6])
		k22 += c * vec.Dot(b[3:6], b[3:6])
	}
	// "Near +0.31 and -0.49"; the entries of A have a standard deviation of some
	// 10, 5 standard errors are 0.08.
	maptest.Near(t, "(1, 2)", k12/D, 0.31, 0.08)
	maptest.Near(t, "(2, 2)", k22/D, -0.49, 0.08)
}

// The reduced map has B of d x (d-1) with B B^T = ||omega||^2 P.
func TestReducedDivergenceFree(t *testing.T) {
	for _, d := range []int{2, 3, 5} {
		for _, form := range []Form{Bounded, Unbounded} {
			full := maptest.Must(NewDivergenceFree(maptest.Sigma, d, 9, form, false, random.Block(2, 1)))
			reduced := maptest.Must(NewDivergenceFree(maptest.Sigma, d, 9, form, true, random.Block(2, 1)))
			if reduced.Dims().Params != 18*(d-1) {
				t.Errorf("%d parameters", reduced.Dims().Params)
			}
			x, z := maptest.Normals(7, d), maptest.Normals(8, d)
			maptest.NearAll(t, "K~", maptest.Kernel(reduced, x, z), maptest.Kernel(full, x, z), 1e-12)
		}
	}
}

func TestFrequencyZeroGivesNothing(t *testing.T) {
	curl := maptest.Must(NewCurlFree(1, 2, 2, Bounded, random.New(1)))
	div := maptest.Must(NewDivergenceFree(1, 2, 2, Bounded, true, random.New(1)))
	clear(curl.rows)
	clear(div.rows)
	curl.derive()
	div.derive()
	for _, m := range []orff.Map{curl, div} {
		maptest.NearAll(t, "K~", maptest.Kernel(m, []float64{1, 2}, []float64{0, 1}), make([]float64, 4), 0)
	}
}

// C3.6: Exact variances, in place of Proposition 5.1: bounded (d/(2σ²))(K0(0) + K0(2δ)) − K0(δ)²;
// unbounded curl-free ½(M(0) + M(2δ)) − K0(δ)² with M = ∇∇ᵀ∇·∇k0; unbounded divergence-free the
// same with tr(M) I − M.
func TestC3_6_ExactVariances(t *testing.T) {
	for _, c := range []struct {
		name           string
		to             func(v, delta []float64, sigma float64, form Form)
		form           Form
		want           []float64
		opNorm, trace0 float64
		trace          float64
	}{
		{"curl unbounded", curlFreeVarianceTo, Unbounded, []float64{
			3.623907736441122, -0.01897031704324039, 0.010347445659949309,
			-0.01897031704324039, 3.65701956255296, -0.022764380451888486,
			0.010347445659949309, -0.022764380451888486, 3.62770179984977}, 3.678059368728191, 3 * 4 / 0.6561, 10.908629098843852},
		{"curl bounded", curlFreeVarianceTo, Bounded, []float64{
			2.1068205469720738, 0.09642538570859846, -0.0525956649319628,
			0.09642538570859846, 1.938514419189793, 0.11571046285031814,
			-0.0525956649319628, 0.11571046285031814, 2.087535469830354}, 2.150650267748709, 3 * 2 / 0.6561, 6.132870435992221},
		{"div unbounded", divergenceFreeVarianceTo, Unbounded, []float64{
			7.587110622323717, 0.23780464988079753, -0.12971162720770774,
			0.23780464988079753, 7.172033415259052, 0.2853655798569571,
			-0.12971162720770774, 0.2853655798569571, 7.539549692347557}, 7.695203644996806, 3 * 6 / 0.6561, 22.298693729930324},
		{"div bounded", divergenceFreeVarianceTo, Bounded, []float64{
			4.328439148941135, 0.12240894712895868, -0.06676851661579564,
			0.12240894712895868, 4.11477989577059, 0.1468907365547505,
			-0.06676851661579564, 0.1468907365547505, 4.303957359515343}, 4.384079579454298, 3 * 2 / 0.6561, 12.74717640422707},
	} {
		v := make([]float64, 9)
		c.to(v, maptest.Delta, maptest.Sigma, c.form)
		maptest.NearAll(t, c.name, v, c.want, 1e-13)
		maptest.Near(t, c.name+" norm", maptest.OpNorm(v, 3), c.opNorm, 1e-13)
		maptest.Near(t, c.name+" trace", v[0]+v[4]+v[8], c.trace, 1e-13)
		c.to(v, make([]float64, 3), maptest.Sigma, c.form)
		maptest.Near(t, c.name+" trace at 0", v[0]+v[4]+v[8], c.trace0, 1e-13)
	}
	m := orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: maptest.Sigma}, 3, 1, random.New(1))), maptest.Must(coupling.New(2, maptest.Gamma)))
	v := make([]float64, 4)
	optional.VarianceTo(v, m, maptest.X, maptest.Z)
	maptest.NearAll(t, "C2.8 decomposable", v, []float64{0.4998298224931337, 0.37787134580480913, 0.37787134580480913, 0.41669812641607573}, 1e-13)
}

// C2.8: K = k Γ has the one-draw variance ((1 + k0(2δ))/2 − k0(δ)²) Γ².
func TestC2_8_VarianceOfDecomposable(t *testing.T) {
	const n = 40000
	m := orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: maptest.Sigma}, 3, 1, random.New(1))), maptest.Must(coupling.New(2, maptest.Gamma)))
	want := []float64{0.4998298224931337, 0.37787134580480913, 0.37787134580480913, 0.41669812641607573}
	exact := make([]float64, 4)
	orff.KernelTo(exact, m, maptest.X, maptest.Z)
	got := make([]float64, 4)
	r := random.New(4)
	e := make([]float64, 4)
	for range n {
		optional.Redraw(m, &r)
		for i, k := range maptest.Kernel(m, maptest.X, maptest.Z) {
			e[i] = k - exact[i]
		}
		for i := range 2 {
			for j := range 2 {
				got[2*i+j] += vec.Dot(e[2*i:2*i+2], e[2*j:2*j+2]) / n
			}
		}
	}
	maptest.NearAll(t, "E (K~-K)^2", got, want, 5*1.3/math.Sqrt(n)) // (cos - k)^2 <= 1.76 times Gamma^2 <= 1.25
}

// C3.7: The bounded maps have the smaller trace of the variance.
func TestC3_7_BoundedMapsVaryLess(t *testing.T) {
	for _, delta := range [][]float64{{0, 0, 0}, maptest.Delta} {
		for _, to := range []func(v, delta []float64, sigma float64, form Form){curlFreeVarianceTo, divergenceFreeVarianceTo} {
			b, u := make([]float64, 9), make([]float64, 9)
			to(b, delta, maptest.Sigma, Bounded)
			to(u, delta, maptest.Sigma, Unbounded)
			if !(b[0]+b[4]+b[8] < u[0]+u[4]+u[8]) {
				t.Errorf("at %v the bounded map has the trace %g, the unbounded %g", delta, b[0]+b[4]+b[8], u[0]+u[4]+u[8])
			}
		}
	}
}

// C2.17: Matrix-free and dense results agree (Tables 6.1 and 6.3, with the factor D^−½ that they
// omit).
//
// Here with the B_j of the divergence-free map formed.
func TestC2_17_DivergenceFreeEqualsDense(t *testing.T) {
	div := maptest.Must(NewDivergenceFree(maptest.Sigma, 3, 6, Unbounded, false, random.Block(1, 1)))
	theta := maptest.Normals(4, 36)
	phi := maptest.Features(div, maptest.X, 12)
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
	y := make([]float64, 3)
	div.PredictTo(y, phi, theta)
	maptest.NearAll(t, "divergence-free", y, sum, 1e-12)
}

// C8.2: Curl-free: J = D^−½ Σ s_j ω_j ω_jᵀ, symmetric, s_j = −sin(ω_j·x) θ_j^c + cos(ω_j·x) θ_j^s.
func TestC8_2_JacobianOfCurlFree(t *testing.T) {
	m := maptest.Must(NewCurlFree(1, 2, 2, Unbounded, random.New(1)))
	fixtureField(&m.field)
	m.derive()
	theta := []float64{0.7, -0.2, 0.4, 1.1}
	y := make([]float64, 2)
	m.PredictTo(y, maptest.Features(m, maptest.FixtureX, 4), theta)
	maptest.NearAll(t, "h", y, []float64{0.6062572287252849, 0.06698069231667737}, 1e-14)
	maptest.NearAll(t, "J", maptest.Jacobian(m, maptest.FixtureX, theta), []float64{0.2732411541549107, -0.07726420335865597, -0.07726420335865597, 0.5317273128169689}, 1e-14)
}

// C8.3: Divergence-free: J = D^−½ Σ B(ω_j)(−sin(ω_j·x) θ_j^c + cos(ω_j·x) θ_j^s) ω_jᵀ, trace 0.
func TestC8_3_JacobianOfDivergenceFree(t *testing.T) {
	m := maptest.Must(NewDivergenceFree(1, 2, 2, Unbounded, false, random.New(1)))
	fixtureField(&m.field)
	m.derive()
	theta := []float64{0.7, 0.3, -0.2, 0.5, 0.4, -0.6, 1.1, 0.2} // the columns of theta^c, then of theta^s
	y := make([]float64, 2)
	m.PredictTo(y, maptest.Features(m, maptest.FixtureX, 4), theta)
	maptest.NearAll(t, "h", y, []float64{-0.03996303678175937, -0.14190384189686917}, 1e-14)
	j := maptest.Jacobian(m, maptest.FixtureX, theta)
	maptest.NearAll(t, "J", j, []float64{0.06317470123008596, 0.6161665879750748, -0.5647838304801959, -0.06317470123008603}, 1e-14)
	maptest.Near(t, "trace", j[0]+j[3], 0, 1e-15)
}

// fixtureField sets the frequencies of an unbounded map to those of the fixture.
func fixtureField(f *field) { copy(f.rows, maptest.FixtureW) }
