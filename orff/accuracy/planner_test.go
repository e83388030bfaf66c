package accuracy

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/maclaurin"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/semigroup"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
)

func scalarMap[S orff.Scalar](s S, err error) orff.Map {
	return orff.NewDecomposable(maptest.Must(s, err), coupling.Identity(1))
}

func gaussianMap(d int) orff.Map {
	return scalarMap(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 1, random.New(1)))
}

func plan(t *testing.T, m orff.Map, g Goal, p Problem) Plan {
	t.Helper()
	out, err := Recommend(m, g, p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestC3_1_Entrywise(t *testing.T) {
	for _, c := range []struct {
		p                  Problem
		seed, phase, cosin int
	}{
		{Problem{Epsilon: 0.1, Delta: 0.05, Points: 1000}, 15846, 13450, 3363},
		{Problem{Epsilon: 0.05, Delta: 0.01, Points: 500}, 69247, 54517, 13626},
	} {
		if d := plan(t, scalarMap(orff.NewPhase(spectrum.Gaussian{Sigma: 1}, 2, 1, random.New(1))), Entrywise, c.p).Draws; d != c.phase {
			t.Errorf("phase: %d draws, want %d", d, c.phase)
		}
		if d := plan(t, gaussianMap(2), Entrywise, c.p).Draws; d != c.cosin {
			t.Errorf("cos-sin: %d draws, want %d", d, c.cosin)
		}
		if d := plan(t, scalarMap(orff.NewAngular(2, 1, random.New(1))), Entrywise, c.p).Draws; d != c.cosin {
			t.Errorf("sign: %d draws, want %d", d, c.cosin)
		}
		// The notes' (16/eps^2) ln(n/delta) is sufficient for the phase form, not sharp.
		if d := int(math.Ceil(16 / numeric.Square(c.p.Epsilon) * math.Log(float64(c.p.Points)/c.p.Delta))); d != c.seed || d < c.phase {
			t.Errorf("the notes: %d draws, want %d", d, c.seed)
		}
	}
	// Gamma scales epsilon: ||Gamma|| = 2.
	p := Problem{Epsilon: 0.2, Delta: 0.05, Points: 1000}
	m := orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 2, 1, random.New(1))), maptest.Must(coupling.New(2, []float64{1, 1, 1, 1})))
	if d := plan(t, m, Entrywise, p).Draws; d != 3363 {
		t.Errorf("||Gamma|| = 2 at twice the epsilon: %d draws, want 3363", d)
	}
}

// C3.2: With D from C3.1 at most a share δ of the seeds has an entry off by more than ε.
func TestC3_2_EntrywiseHolds(t *testing.T) {
	const n, eps, delta, runs = 12, 0.2, 0.05, 200
	x := maptest.Normals(3, 2*n)
	D := plan(t, gaussianMap(2), Entrywise, Problem{Epsilon: eps, Delta: delta, Points: n}).Draws
	phi := make([][]float64, n)
	failures := 0
	for seed := range runs {
		f := maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 2, D, random.Block(uint64(seed), 1)))
		worst := 0.0
		for i := range n {
			phi[i] = maptest.ScalarFeatures(f, x[2*i:2*i+2])
			for j := range i {
				worst = max(worst, math.Abs(vec.Dot(phi[i], phi[j])-orff.Kernel(f, x[2*i:2*i+2], x[2*j:2*j+2])))
			}
		}
		if worst > eps {
			failures++
		}
	}
	if failures > 0 { // at most delta by the bound, none in fact
		t.Errorf("%d of %d runs failed", failures, runs)
	}
}

// C3.3: Uniform on a compact set (Theorem 5.1, Corollary 5.1): D ≥ (4(d+2)/ε²) ln(256
// (s·diam/ε)²/δ), s² = E‖ω‖²; no bound for the Laplacian, whose s is infinite.
func TestC3_3_Uniform(t *testing.T) {
	p := Problem{Epsilon: 0.1, Delta: 0.05, Diameter: 4}
	if d := plan(t, gaussianMap(5), Uniform, p).Draws; d != 49079 {
		t.Errorf("%d draws, want 49079", d)
	}
	m := orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 5, 1, random.New(1))), maptest.Must(coupling.New(2, []float64{2, 0, 0, 1})))
	if d := plan(t, m, Uniform, p).Draws; d != 211842 {
		t.Errorf("||Gamma|| = 2: %d draws, want 211842", d)
	}
	if _, err := Recommend(scalarMap(orff.NewFourier(spectrum.Laplacian{Gamma: 1}, 5, 1, random.New(1))), Uniform, p); err == nil {
		t.Error("a uniform bound for a Laplacian kernel")
	}
}

func TestC3_4_Spectral(t *testing.T) {
	p := Problem{Epsilon: 0.1, Points: 1000, IntrinsicDimension: 20}
	phase := plan(t, scalarMap(orff.NewPhase(spectrum.Gaussian{Sigma: 1}, 2, 1, random.New(1))), Spectral, p)
	if phase.Draws != 64798 || !phase.Relative {
		t.Errorf("phase: %+v, want 64798 relative", phase)
	}
	for _, m := range []orff.Map{gaussianMap(2), scalarMap(orff.NewAngular(2, 1, random.New(1)))} {
		if d := plan(t, m, Spectral, p).Draws; d != 32399 {
			t.Errorf("%d draws, want 32399", d)
		}
	}
	if d := int(math.Ceil(16 * math.Log(2000) * 20 / 0.01)); d != 243229 {
		t.Errorf("the notes: %d draws", d)
	}
	// The right side of the bound is epsilon at the real-valued D.
	D := bound.DrawsSpectral(0.1, 1000, 20, 2)
	l := math.Log(2000)
	maptest.Near(t, "sqrt(2mIl/D) + 2mIl/3D", math.Sqrt(2*2*20*l/D)+2*2*20*l/(3*D), 0.1, 1e-13)
}

func TestC3_5_OperatorValuedAtPoints(t *testing.T) {
	p := Problem{Epsilon: 0.1, Delta: 0.05, Points: 100}
	if d := plan(t, maptest.Must(vectorfield.NewCurlFree(0.9, 3, 1, vectorfield.Bounded, random.New(1))), Entrywise, p).Draws; d != 12596 {
		t.Errorf("curl: %d draws, want 12596", d)
	}
	if d := plan(t, maptest.Must(vectorfield.NewDivergenceFree(0.9, 3, 1, vectorfield.Bounded, false, random.New(1))), Entrywise, p).Draws; d != 24864 {
		t.Errorf("div: %d draws, want 24864", d)
	}
	if _, err := Recommend(maptest.Must(vectorfield.NewCurlFree(0.9, 3, 1, vectorfield.Unbounded, random.New(1))), Entrywise, p); err == nil {
		t.Error("a bound at points for an unbounded map")
	}
}

// C3.8: Orlicz norm ‖ ‖ω‖² ‖_ψ1 = 2/(σ²(1 − 4^{−1/d})), used by Corollary 5.3 for unbounded maps.
func TestC3_8_Orlicz(t *testing.T) {
	maptest.Near(t, "Orlicz norm", bound.OrliczNorm(3, 0.9), 6.672628108442754, 1e-14)
	// E exp(||omega||^2/t) = 2 at the norm.
	maptest.Near(t, "moment generating function", math.Pow(1-2/(0.81*bound.OrliczNorm(3, 0.9)), -1.5), 2, 1e-13)
	// E chi_3^3 = 2^(3/2) Gamma(3)/Gamma(3/2).
	maptest.Near(t, "E chi^3", bound.ChiMoment(3, 3), math.Pow(2, 1.5)*2/(math.Sqrt(math.Pi)/2), 1e-13)
}

// The constant of the uniform bound: sup_d C_d 4^(d/(d+1)) = 20 at d = 4, and 12
// at d = 2 with the covering number 2c/r that the thesis uses.
func TestUniformConstant(t *testing.T) {
	best20, best12 := 0.0, 0.0
	for d := 1; d < 60; d++ {
		f := bound.UniformField{D: d, P: 1, M: 1, U: 1, V: 1, Bounded: true}
		// failure at eps = m c is C_d 4^(d/(d+1)) g^(1/(d+1)).
		c := f.Failure(1, 1, 1e3) / math.Pow(f.Tail(1, 1e3), 1/float64(d+1))
		best20 = max(best20, c)
		best12 = max(best12, c/math.Pow(2, float64(d)/float64(d+1)))
	}
	maptest.Near(t, "constant", best20, 20, 1e-12)
	maptest.Near(t, "constant with the smaller covering", best12, 12, 1e-12)
}

func TestUniformFieldBound(t *testing.T) {
	curl := maptest.Must(vectorfield.NewCurlFree(1, 2, 1, vectorfield.Bounded, random.New(1)))
	p := Problem{Epsilon: 0.5, Delta: 0.1, Diameter: 2}
	for _, m := range []orff.Map{
		curl, maptest.Must(vectorfield.NewCurlFree(1, 2, 1, vectorfield.Unbounded, random.New(1))),
		maptest.Must(vectorfield.NewDivergenceFree(1, 2, 1, vectorfield.Bounded, false, random.New(1))), maptest.Must(vectorfield.NewDivergenceFree(1, 2, 1, vectorfield.Unbounded, true, random.New(1))),
	} {
		e := maptest.Must(m.(bound.Estimator).Estimate())
		D := plan(t, m, Uniform, p).Draws
		f := *e.Field // sigma = 1 and d = 2: ||K0(0)|| = 1
		if !(f.Failure(p.Epsilon, p.Diameter, float64(D)) <= p.Delta) || !(f.Failure(p.Epsilon, p.Diameter, float64(D-2)) > p.Delta) {
			t.Errorf("%T: %d is not the smallest number of draws", m, D)
		}
	}
	// Units do not matter: here x, sigma and the diameter are twice as large, and the kernel is four times as small.
	wide := maptest.Must(vectorfield.NewCurlFree(2, 2, 1, vectorfield.Unbounded, random.New(1)))
	a := plan(t, maptest.Must(vectorfield.NewCurlFree(1, 2, 1, vectorfield.Unbounded, random.New(1))), Uniform, p).Draws
	if b := plan(t, wide, Uniform, Problem{Epsilon: 0.125, Delta: 0.1, Diameter: 4}).Draws; a != b {
		t.Errorf("%d draws in one unit, %d in another", a, b)
	}

	// The bound holds on a grid of the ball of lags.
	D := plan(t, curl, Uniform, p).Draws
	m := maptest.Must(vectorfield.NewCurlFree(1, 2, D, vectorfield.Bounded, random.Block(1, 1)))
	k := make([]float64, 4)
	zero := make([]float64, 2)
	for i := -4; i <= 4; i++ {
		for j := -4; j <= 4; j++ {
			x := []float64{float64(i) / 2, float64(j) / 2}
			if numeric.SquaredNorm(x) > 4 {
				continue
			}
			orff.KernelTo(k, m, x, zero)
			vec.Axpy(-1, maptest.Kernel(m, x, zero), k)
			if e := maptest.OpNorm(k, 2); !(e <= p.Epsilon) {
				t.Errorf("error %g at %v", e, x)
			}
		}
	}
}

// C3.9: Statistical choice (Rudi, Camoriano and Rosasco): D = ⌈√N ln N⌉ with λ = N^−½.
func TestC3_9_Statistical(t *testing.T) {
	for n, want := range map[int]int{1000: 219, 10000: 922, 100000: 3641} {
		if d := plan(t, gaussianMap(2), Statistical, Problem{Points: n}).Draws; d != want {
			t.Errorf("n = %d: %d draws, want %d", n, d, want)
		}
	}
}

// C3.11: Maurer's bound (chapter 7): R(f) ≤ R_emp(f) + 2√(2/N) (L M √T + C √ln(2/δ)).
func TestC3_11_Maurer(t *testing.T) {
	maptest.Near(t, "gap", RidgeClass{1, 1, 1}.RademacherGap(1000, 2, 0.05), 0.2982788697454302, 1e-14)
	c := RidgeClassOf(0.01, 2, 3, 1)
	maptest.Near(t, "M", c.Norm, 20, 1e-14)
	maptest.Near(t, "L", c.Lipschitz, 23, 1e-14)
	maptest.Near(t, "C", c.Range, 23*23/2.0, 1e-14)
	// beta = L^2 kappa/(lambda N) = 529, 4 N beta = 211600, C = 264.5
	maptest.Near(t, "stability", c.StabilityGap(100, 0.01, 1, 0.05), 2*529+(211600+264.5)*math.Sqrt(math.Log(20)/200), 1e-13)
	maptest.Near(t, "consistency", RidgeClass{1, 1, 1}.ConsistencyGap(1000, 400, 2, 3, 0.05), 2*0.2982788697454302+3.0/20*(1+math.Sqrt(2*math.Log(20))), 1e-13)
}

// C3.12: Random Maclaurin, one pair: D ≥ (2C1²/ε²) ln(2/δ), C1 = p/(p−1) f(pR²).
func TestC3_12_MaclaurinSinglePair(t *testing.T) {
	const R, eps, delta, runs = 0.5, 0.1, 0.05, 200
	e, err := bound.Of(maptest.Must(maclaurin.New(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, maclaurin.Rademacher, 2, 1, random.New(1))))
	if err != nil {
		t.Fatal(err)
	}
	c1, err := e.Spread(bound.Set{Radius: R})
	if err != nil {
		t.Fatal(err)
	}
	maptest.Near(t, "C1^2", c1*c1, 4*math.E, 1e-14)
	D := int(math.Ceil(bound.Hoeffding(eps, c1, 1).Draws(delta)))
	if D != 8022 {
		t.Errorf("%d draws, want 8022", D)
	}
	x, z := []float64{0.3, -0.2}, []float64{0.1, 0.4}
	failures := 0
	for seed := range runs {
		f := maptest.Must(maclaurin.New(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, maclaurin.Rademacher, 2, D, random.Block(uint64(seed), 1)))
		if math.Abs(maptest.ScalarKernel(f, x, z)-orff.Kernel(f, x, z)) > eps {
			failures++
		}
	}
	if failures > delta*runs {
		t.Errorf("%d of %d runs failed", failures, runs)
	}
	m := scalarMap(maclaurin.New(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, maclaurin.Rademacher, 2, 1, random.New(1)))
	entry := plan(t, m, Entrywise, Problem{Epsilon: eps, Delta: delta, Points: 10, Radius: R}).Draws
	uniform := plan(t, m, Uniform, Problem{Epsilon: eps, Delta: delta, Radius: R}).Draws
	if entry <= D || uniform <= entry {
		t.Errorf("%d draws for a pair, %d for 55, %d everywhere: must grow", D, entry, uniform)
	}
	law := maptest.Must(maclaurin.Restricted(maptest.Must(maclaurin.Truncate(maclaurin.Exponential{}, R, 1e-9)), R))
	m = scalarMap(maclaurin.New(maptest.Must(maclaurin.Truncate(maclaurin.Exponential{}, R, 1e-9)), law, maclaurin.Rademacher, 2, 1, random.New(1)))
	if d := plan(t, m, Entrywise, Problem{Epsilon: eps, Delta: delta, Points: 10, Radius: R}).Draws; d >= entry {
		t.Errorf("degrees drawn by their size need %d draws, geometric ones %d", d, entry)
	}
	comp := scalarMap(maclaurin.NewCompositional(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, spectrum.Gaussian{Sigma: 1}, 2, 1, random.New(1)))
	if a, b := plan(t, comp, Entrywise, Problem{Epsilon: eps, Delta: delta, Points: 10}).Draws, plan(t, comp, Uniform, Problem{Epsilon: eps, Delta: delta, Radius: 1}).Draws; b <= a {
		t.Errorf("compositional: %d draws at points, %d everywhere", a, b)
	}
}

// C3.10: The mean largest error falls like D^−½ (figure 5.1).
//
// The largest error over lags falls as D^(-1/2).
func TestC3_10_SlopeOfTheError(t *testing.T) {
	const d, lags, repeats = 4, 150, 12
	r := random.New(5)
	delta := make([]float64, d*lags)
	for i := range delta {
		delta[i] = 2*r.Uniform() - 2*r.Uniform() // a difference of two points in [-1, 1]^4
	}
	for _, c := range []struct {
		name  string
		build func(D int, r random.Rand) (orff.Map, error)
	}{
		{"decomposable", func(D int, r random.Rand) (orff.Map, error) {
			f, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, D, r)
			return orff.NewDecomposable(f, coupling.Identity(1)), err // ||K~ - K|| is that of the scalar kernel
		}},
		{"curl-free", func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(vectorfield.NewCurlFree(1, d, D, vectorfield.Unbounded, r))
		}},
		{"divergence-free", func(D int, r random.Rand) (orff.Map, error) {
			return maptest.AsMap(vectorfield.NewDivergenceFree(1, d, D, vectorfield.Unbounded, true, r))
		}},
	} {
		var sx, sy, sxx, sxy float64
		var n float64
		for e := 4; e <= 10; e++ {
			var mean float64
			for k := range repeats {
				m := maptest.Must(c.build(1<<e, random.Block(uint64(k), e)))
				mean += worstLag(m, delta, d) / repeats
			}
			x, y := float64(e)*math.Ln2, math.Log(mean)
			sx, sy, sxx, sxy, n = sx+x, sy+y, sxx+x*x, sxy+x*y, n+1
		}
		maptest.Near(t, c.name+" slope", (n*sxy-sx*sy)/(n*sxx-sx*sx), -0.5, 0.05)
	}
}

// worstLag returns the largest error over lags in the Frobenius norm. It is equivalent to the spectral norm, and falls
// at the same rate.
func worstLag(m orff.Map, lags []float64, d int) float64 {
	dims := m.Dims()
	p := dims.Out
	phi := make([]float64, dims.Features)
	zero := maptest.Features(m, make([]float64, d), dims.Features)
	theta := make([][]float64, p) // Phi(0) e_k
	for k := range p {
		theta[k] = make([]float64, dims.Params)
		e := make([]float64, p)
		e[k] = 1
		m.AddGradient(theta[k], 1, zero, e)
	}
	exact, y := make([]float64, p*p), make([]float64, p)
	worst, origin := 0.0, make([]float64, d)
	for ; len(lags) > 0; lags = lags[d:] {
		m.FeaturesTo(phi, lags[:d])
		orff.KernelTo(exact, m, lags[:d], origin)
		for k := range p {
			m.PredictTo(y, phi, theta[k])
			for i, v := range y {
				exact[i*p+k] -= v
			}
		}
		worst = max(worst, numeric.SquaredNorm(exact))
	}
	return math.Sqrt(worst)
}

func TestRecommendCapsByMemory(t *testing.T) {
	p := Problem{Epsilon: 0.1, Delta: 0.05, Points: 1000}
	m := orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 5, 3, random.New(1))), coupling.Identity(4))
	free := plan(t, m, Entrywise, p)
	if free.Bytes != 8*(3363*5+2*3363*4) || free.Capped {
		t.Errorf("%+v", free)
	}
	p.Memory = 1 << 20
	capped := plan(t, m, Entrywise, p)
	if capped.Capped { // 8 * 3363 * 13 = 349752 bytes fit
		t.Errorf("%+v", capped)
	}
	p.NormalMatrix = true // (2D)^2
	capped = plan(t, m, Entrywise, p)
	if !capped.Capped || capped.Bytes > 1<<20 || 8*(int64(capped.Draws+1)*13+4*int64(capped.Draws+1)*int64(capped.Draws+1)) <= 1<<20 {
		t.Errorf("%+v is not the most that fits", capped)
	}
	p.Memory = 10
	if _, err := Recommend(m, Entrywise, p); err == nil {
		t.Error("a plan within 10 bytes")
	}
}

func TestRecommendRefuses(t *testing.T) {
	g := gaussianMap(2)
	good := Problem{Epsilon: 0.1, Delta: 0.1, Points: 10, Diameter: 1, Radius: 1, IntrinsicDimension: 2}
	with := func(f func(p *Problem)) Problem {
		p := good
		f(&p)
		return p
	}
	curl := maptest.Must(vectorfield.NewCurlFree(1, 2, 1, vectorfield.Bounded, random.New(1)))
	for name, c := range map[string]struct {
		m orff.Map
		g Goal
		p Problem
	}{
		"epsilon 0":               {g, Entrywise, with(func(p *Problem) { p.Epsilon = 0 })},
		"delta 1":                 {g, Entrywise, with(func(p *Problem) { p.Delta = 1 })},
		"one point":               {g, Entrywise, with(func(p *Problem) { p.Points = 1 })},
		"no diameter":             {g, Uniform, with(func(p *Problem) { p.Diameter = 0 })},
		"no intrinsic dimension":  {g, Spectral, with(func(p *Problem) { p.IntrinsicDimension = 0 })},
		"one sample":              {g, Statistical, with(func(p *Problem) { p.Points = 1 })},
		"unknown goal":            {g, Goal(9), good},
		"orthogonal":              {scalarMap(orff.NewFourier(spectrum.Orthogonal{Sigma: 1}, 2, 2, random.New(1))), Entrywise, good},
		"Fastfood":                {scalarMap(orff.NewFastfood(1, 2, 2, random.New(1))), Entrywise, good},
		"Nystroem":                {scalarMap(nystroem.New(spectrum.Gaussian{Sigma: 1}, 2, []float64{1, 1})), Entrywise, good},
		"product":                 {maptest.Must(algebra.NewProduct(maptest.Must(orff.NewLinear(2, 0)), curl)), Entrywise, good},
		"sign features on a set":  {scalarMap(orff.NewAngular(2, 1, random.New(1))), Uniform, good},
		"phase features on a set": {scalarMap(orff.NewPhase(spectrum.Gaussian{Sigma: 1}, 2, 1, random.New(1))), Uniform, good},
		"normal projections":      {scalarMap(maclaurin.New(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, maclaurin.Normal, 2, 1, random.New(1))), Entrywise, good},
		"Maclaurin, no radius":    {scalarMap(maclaurin.New(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, maclaurin.Rademacher, 2, 1, random.New(1))), Entrywise, with(func(p *Problem) { p.Radius = 0 })},
		"Maclaurin, spectral":     {scalarMap(maclaurin.New(maclaurin.Exponential{}, maclaurin.Geometric{P: 2}, maclaurin.Rademacher, 2, 1, random.New(1))), Spectral, good},
		"curl-free, spectral":     {curl, Spectral, good},
		"curl-free, no diameter":  {curl, Uniform, with(func(p *Problem) { p.Diameter = 0 })},
		"astronomic":              {g, Entrywise, with(func(p *Problem) { p.Epsilon = 1e-9 })},
	} {
		if plan, err := Recommend(c.m, c.g, c.p); err == nil {
			t.Errorf("%s: %+v", name, plan)
		}
	}
	// A map without an error bound still has the statistical plan.
	if d := plan(t, scalarMap(orff.NewFastfood(1, 2, 2, random.New(1))), Statistical, Problem{Points: 1000}).Draws; d != 219 {
		t.Errorf("%d draws", d)
	}
	// Skewed chi-squared kernels are planned on their group, and blocks like one map.
	if d := plan(t, scalarMap(orff.NewSkewedChiSquared([]float64{1, 1}, 1, random.New(1))), Entrywise, Problem{Epsilon: 0.1, Delta: 0.05, Points: 1000}).Draws; d != 3363 {
		t.Errorf("skewed chi-squared: %d draws, want 3363", d)
	}
	blocks := maptest.Must(orff.NewBlocks(7, 1, false, func(r random.Rand) (orff.Map, error) {
		return scalarMap(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 2, 3, r)), nil
	}))
	if d := plan(t, blocks, Entrywise, Problem{Epsilon: 0.1, Delta: 0.05, Points: 1000}).Draws; d != 3363 {
		t.Errorf("blocks: %d draws, want 3363", d)
	}
	if d := plan(t, scalarMap(semigroup.New(semigroup.Reciprocal, 1, 2, 1, random.New(1))), Entrywise, Problem{Epsilon: 0.1, Delta: 0.05, Points: 1000}).Draws; d != int(math.Ceil(50*math.Log(1000*1001/0.05))) {
		t.Errorf("semigroup: %d draws", d)
	}
}

func TestMeasure(t *testing.T) {
	const n = 60
	x := maptest.Normals(3, 3*n)
	for name, m := range map[string]orff.Map{
		"scalar":       scalarMap(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 3, 500, random.Block(1, 1))),
		"decomposable": orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 3, 500, random.Block(1, 1))), maptest.Must(coupling.New(2, maptest.Gamma))),
		"curl":         maptest.Must(vectorfield.NewCurlFree(1, 3, 500, vectorfield.Bounded, random.Block(1, 1))),
	} {
		got, err := Measure(m, x, 0.25)
		if err != nil {
			t.Fatal(err)
		}
		// Expected values, computed from the definition.
		p := m.Dims().Out
		var worst, sum, g2, e2 float64
		k := make([]float64, p*p)
		for i := range n {
			for j := range n {
				orff.KernelTo(k, m, x[3*i:3*i+3], x[3*j:3*j+3])
				g2 += numeric.SquaredNorm(k)
				vec.Axpy(-1, maptest.Kernel(m, x[3*i:3*i+3], x[3*j:3*j+3]), k)
				e2 += numeric.SquaredNorm(k)
				if i <= j {
					sum += numeric.SquaredNorm(k)
				}
				worst = max(worst, maptest.OpNorm(k, p))
			}
		}
		maptest.Near(t, name+" Max", got.Max, worst, 1e-12)
		maptest.Near(t, name+" Ratio", got.Ratio, worst/0.25, 1e-12)
		maptest.Near(t, name+" RMS", got.RMS, math.Sqrt(sum/(n*(n+1)/2)), 1e-12)
		maptest.Near(t, name+" relative Frobenius", got.RelativeFrobenius, math.Sqrt(e2/g2), 1e-12)
		if got.Points != n || !(got.RelativeOperator > 0 && got.RelativeOperator <= 1) {
			t.Errorf("%s: %+v", name, got)
		}
		// The errors of pairs share their frequencies: at 500 draws, their mean square varies by some ten per cent
		// around the expectation.
		if !(got.RMS <= 1.5*got.Expected && got.RMS >= 0.6*got.Expected) {
			t.Errorf("%s: RMS %g, expected %g", name, got.RMS, got.Expected)
		}
	}
	// The order of the block Gram matrix is at most 2000.
	wide := orff.NewDecomposable(maptest.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, 1, random.New(1))), coupling.Identity(1001))
	if got := maptest.Must(Measure(wide, []float64{1, 2}, 1)); got.Points != 1 {
		t.Errorf("%d points with 1001 outputs each", got.Points)
	}
	for name, err := range map[string]error{
		"no points":      maptest.Err(Measure(gaussianMap(2), nil, 1)),
		"half a row":     maptest.Err(Measure(gaussianMap(2), []float64{1}, 1)),
		"NaN":            maptest.Err(Measure(gaussianMap(2), []float64{1, math.NaN()}, 1)),
		"epsilon":        maptest.Err(Measure(gaussianMap(2), []float64{1, 1}, 0)),
		"unknown kernel": maptest.Err(Measure(orff.NewDecomposable(orff.FourierOf([]float64{1, 1}, 2), coupling.Identity(1)), []float64{1, 1}, 1)),
		"domain":         maptest.Err(Measure(scalarMap(orff.NewAngular(2, 1, random.New(1))), []float64{0, 0}, 1)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
