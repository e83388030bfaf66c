package functional_test

import (
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/functional"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/rates"
)

// cosSin appends the features of x for frequencies w: 1/sqrt(D) [cos; sin].
func cosSin(dst []float64, w []float64, x float64) []float64 {
	f := 1 / math.Sqrt(float64(len(w)))
	for _, v := range w {
		dst = append(dst, f*math.Cos(v*x))
	}
	for _, v := range w {
		dst = append(dst, f*math.Sin(v*x))
	}
	return dst
}

// slopes appends their derivative.
func slopes(dst []float64, w []float64, x float64) []float64 {
	f := 1 / math.Sqrt(float64(len(w)))
	for _, v := range w {
		dst = append(dst, -f*v*math.Sin(v*x))
	}
	for _, v := range w {
		dst = append(dst, f*v*math.Cos(v*x))
	}
	return dst
}

// The data of C7.2 and C7.4.
var (
	levelTheta = []float64{.2, -.5, .1, .3, .4, .1, -.2, .6, -.3, .2, .5, -.1, .1, 0, -.4, .2} // row-major
	levelOmega = []float64{.8, -1.1}
	levelTau   = []float64{.5, 1.7}
	levelX     = []float64{.3, -.6}
	levelY     = []float64{.5, -.2}
	levels     = []float64{.1, .6, .9}
)

func levelBatch() (b functional.QuantileBatch) {
	b.Y, b.Tau = levelY, levels
	for _, x := range levelX {
		b.PhiX = cosSin(b.PhiX, levelOmega, x)
	}
	for _, tau := range levels {
		b.PhiT = cosSin(b.PhiT, levelTau, tau)
		b.DPhiT = slopes(b.DPhiT, levelTau, tau)
	}
	return b
}

// rowMajor is the inverse of ColMajor for square matrices.
func rowMajor(theta []float64) []float64 { return fixture.ColMajor(theta, 4) }

// C7.2: Joint quantile regression: J = 1/(NT) Σ [ρ_τ(y_i − f_i(τ)) + λ1 max(0, −f_i'(τ))] + λ2
// ‖Θ‖², f_i(τ) = φ_X(x_i)ᵀ Θ φ_T(τ); value and gradient at given weights.
func TestC7_2_QuantileObjective(t *testing.T) {
	q := fixture.Must(functional.NewQuantile(functional.QuantileConfig{InputFeatures: 4, TauFeatures: 4, Crossing: .7, Lambda: 2 * .05}))
	b := levelBatch()
	theta, g, trash := fixture.ColMajor(levelTheta, 4), make([]float64, 16), make([]float64, 16)

	value := fixture.Must(q.GradientTo(g, theta, b))
	fixture.Near(t, "J", []float64{value}, []float64{0.20710231412917166}, fixture.Golden)
	fixture.Near(t, "dJ row 1", rowMajor(g)[:4], []float64{0.07414975755100753, -0.0017247099880551633, 0.014041210149603068, 0.03916817548826217}, fixture.Golden)
	fixture.Near(t, "dJ row 4", rowMajor(g)[12:], []float64{0.09579534719526189, 0.0672563823598218, -0.025691321322446753, 0.061864147817100375}, fixture.Golden)
	fixture.Near(t, "finite differences", fixture.Differences(func(v []float64) float64 { return fixture.Must(q.GradientTo(trash, v, b)) }, theta), g, 1e-8)

	for i := range theta {
		theta[i] = -theta[i]
	}
	value = fixture.Must(q.GradientTo(g, theta, b))
	fixture.Near(t, "J, all slopes negative", []float64{value}, []float64{0.8150898247081029}, fixture.Golden)
	fixture.Near(t, "dJ row 1", rowMajor(g)[:4], []float64{-0.13360706095364983, 0.4256135464894257, -0.24988142666542768, -0.5241412219700774}, fixture.Golden)
	fixture.Near(t, "finite differences", fixture.Differences(func(v []float64) float64 { return fixture.Must(q.GradientTo(trash, v, b)) }, theta), g, 1e-8)
}

func TestQuantilePrediction(t *testing.T) {
	// A rate so small that one step leaves Theta alone shows the weights: instead
	// restore them through the state of a model that was given them.
	q := fixture.Must(functional.NewQuantile(functional.QuantileConfig{InputFeatures: 4, TauFeatures: 4}))
	e := fixture.StateOf(q)
	setWeights(e, fixture.ColMajor(levelTheta, 4))
	if err := fixture.Decode(e, q); err != nil {
		t.Fatal(err)
	}
	b := levelBatch()
	f := make([]float64, 3)
	q.PredictTo(f, b.PhiX[:4], b.PhiT)
	fixture.Near(t, "f(x_1)", f, []float64{0.13398686575030438, 0.48547857066435113, 0.6230521733316865}, fixture.Golden)
	q.PredictTo(f, b.PhiX[4:], b.PhiT)
	fixture.Near(t, "f(x_2)", f, []float64{0.18430756743835036, 0.5182332594249893, 0.6382438195099114}, fixture.Golden)
	w := make([]float64, 16)
	q.WeightsTo(w)
	fixture.Near(t, "weights", w, fixture.ColMajor(levelTheta, 4), 0)
}

// The smoothed objective has the gradient of finite differences across the kinks.
func TestSmoothedGradients(t *testing.T) {
	r := &fixture.Source{S: 3}
	q := fixture.Must(functional.NewQuantile(functional.QuantileConfig{InputFeatures: 4, TauFeatures: 4, Crossing: .7, Lambda: .1, Width: .5}))
	l := fixture.Must(functional.NewLevelSet(functional.LevelSetConfig{InputFeatures: 4, NuFeatures: 4, Lambda: .01, Width: .5}))
	b := levelBatch()
	lb := functional.LevelSetBatch{PhiX: b.PhiX, Nu: levels, PhiT: b.PhiT}
	for range 20 {
		theta, g, trash := r.Normals(16), make([]float64, 16), make([]float64, 16)
		fixture.Must(q.GradientTo(g, theta, b))
		fixture.Near(t, "quantile", fixture.Differences(func(v []float64) float64 { return fixture.Must(q.GradientTo(trash, v, b)) }, theta), g, 1e-8)
		w, gw, trashW := r.Normals(20), make([]float64, 20), make([]float64, 20)
		fixture.Must(l.GradientTo(gw, w, lb))
		fixture.Near(t, "level set", fixture.Differences(func(v []float64) float64 { return fixture.Must(l.GradientTo(trashW, v, lb)) }, w), gw, 1e-8)
	}
}

// heteroscedastic is the data of C7.3.
func heteroscedastic(r *fixture.Source) (x, y float64) {
	x = 1.5 * r.Uniform()
	return x, .8*math.Sin(2*math.Pi*x) + (.1+.25*x)*r.Normal()
}

// quantileSetting has the frequencies of C7.3: D = D' = 50, sigma .25 and .35.
func quantileSetting() (wx, wt []float64) {
	r := &fixture.Source{S: 40}
	wx, wt = r.Normals(50), r.Normals(50)
	for i := range wx {
		wx[i] /= .25
		wt[i] /= .35
	}
	return wx, wt
}

// crossingsOf returns how many neighbours of f, the predictions of one x at
// rising levels, fall.
func crossingsOf(f []float64) (n int) {
	for i := 1; i < len(f); i++ {
		if f[i] < f[i-1] {
			n++
		}
	}
	return n
}

// coverage returns the fraction of fresh targets below the quantiles of five
// levels and the fraction of neighbours that cross on 99 levels.
func coverage(q *functional.Quantile, wx, wt []float64, mean float64) (cover []float64, crossing float64) {
	r := &fixture.Source{S: 77}
	var five, grid []float64
	for _, tau := range []float64{.05, .275, .5, .775, .95} {
		five = cosSin(five, wt, tau)
	}
	for i := range 99 {
		grid = cosSin(grid, wt, float64(i+1)/100)
	}
	cover = make([]float64, 5)
	f, all := make([]float64, 5), make([]float64, 99)
	crossings := 0
	const n = 4000
	for range n {
		x, y := heteroscedastic(r)
		phi := cosSin(nil, wx, x)
		q.PredictTo(f, phi, five)
		for k, v := range f {
			if y-mean <= v {
				cover[k] += 1.0 / n
			}
		}
		q.PredictTo(all, phi, grid)
		crossings += crossingsOf(all)
	}
	return cover, float64(crossings) / (98 * n)
}

// C7.3: The learnt quantiles cover their share of new targets, and hardly ever cross.
func TestC7_3_QuantileCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("a fit of 10,000 weights; skipped with -short")
	}
	wx, wt := quantileSetting()
	r := &fixture.Source{S: 41}
	b := functional.QuantileBatch{}
	var mean float64
	const n, m = 2000, 30
	for range n {
		x, y := heteroscedastic(r)
		b.PhiX = cosSin(b.PhiX, wx, x)
		b.Y = append(b.Y, y)
		mean += y / n
	}
	for i := range b.Y {
		b.Y[i] -= mean // the model has no intercept
	}
	for s := range m {
		tau := (float64(s) + .5) / m
		b.Tau = append(b.Tau, tau)
		b.PhiT = cosSin(b.PhiT, wt, tau)
		b.DPhiT = slopes(b.DPhiT, wt, tau)
	}
	q := fixture.Must(functional.NewQuantile(functional.QuantileConfig{InputFeatures: 100, TauFeatures: 100, Crossing: 1, Lambda: 1e-6, Width: .01}))
	result := fixture.Must(q.Fit(b, batch.LBFGS{Tolerance: 1e-5, MaxIterations: 300}))
	cover, crossing := coverage(q, wx, wt, mean)
	t.Logf("coverage %.3f, crossing %.4f, %+v", cover, crossing, result)
	fixture.Near(t, "coverage", cover, []float64{.05, .275, .5, .775, .95}, .06)
	if !(crossing < .01) {
		t.Errorf("crossing rate %g, want < 1 %%", crossing)
	}
}

// onlineQuantile is the same by averaged stochastic gradient descent.
func onlineQuantile(average bool) *functional.Quantile {
	return fixture.Must(functional.NewQuantile(functional.QuantileConfig{
		InputFeatures: 100, TauFeatures: 100, Crossing: .1, Lambda: 1e-6,
		Batch: 8, Taus: 8, Rate: rates.InverseScaling{Gamma0: 4, Gamma1: .01, Power: .5}, Average: average,
	}))
}

func TestQuantileOnline(t *testing.T) {
	wx, wt := quantileSetting()
	r := &fixture.Source{S: 42}
	q := onlineQuantile(true)
	b := functional.QuantileBatch{Y: make([]float64, 8), Tau: make([]float64, 8)}
	for range 3000 {
		b.PhiX, b.PhiT, b.DPhiT = b.PhiX[:0], b.PhiT[:0], b.DPhiT[:0]
		for k := range 8 {
			var x float64
			x, b.Y[k] = heteroscedastic(r)
			b.PhiX = cosSin(b.PhiX, wx, x)
			b.Tau[k] = r.Uniform()
			b.PhiT = cosSin(b.PhiT, wt, b.Tau[k])
			b.DPhiT = slopes(b.DPhiT, wt, b.Tau[k])
		}
		if err := q.Step(b); err != nil {
			t.Fatal(err)
		}
	}
	cover, crossing := coverage(q, wx, wt, 0)
	t.Logf("coverage %.3f, crossing %.4f", cover, crossing)
	fixture.Near(t, "coverage", cover, []float64{.05, .275, .5, .775, .95}, .1) // of one pass over 24,000 samples
	if !(crossing < .02) {
		t.Errorf("crossing rate %g", crossing)
	}
	if n := testing.AllocsPerRun(20, func() { fixture.Must(0, q.Step(b)) }); n != 0 {
		t.Errorf("%g allocations per step", n)
	}
}

// After a fit the steps start again with the first rate, whatever was learnt before. Both fits end within the tolerance of the
// same minimum; the first step moves the weights by some tenths.
func TestStepsStartAgainAfterAFit(t *testing.T) {
	var after [2][]float64
	for k, before := range []int{0, 50} {
		q := fixture.Must(functional.NewQuantile(functional.QuantileConfig{
			InputFeatures: 4, TauFeatures: 4, Lambda: .1, Width: .1, Rate: rates.InverseScaling{Gamma0: .5, Gamma1: .1, Power: .5}, Batch: 2, Taus: 3,
		}))
		for range before {
			fixture.Must(0, q.Step(levelBatch()))
		}
		fixture.Must(q.Fit(levelBatch(), batch.LBFGS{Tolerance: 1e-9, MaxIterations: 500}))
		other := levelBatch()
		other.Y = []float64{other.Y[0] + 3, other.Y[1] + 3} // the gradient of the same samples is 0 now
		fixture.Must(0, q.Step(other))
		after[k] = make([]float64, 16)
		q.WeightsTo(after[k])
	}
	fixture.Near(t, "weights", after[1], after[0], 1e-4)
}

func TestSortingRaisesNoPinballLoss(t *testing.T) {
	r := &fixture.Source{S: 9}
	loss := func(f []float64, y float64) (s float64) {
		for i, v := range f {
			s += fixture.Must(losses.NewPinball((float64(i)+.5)/float64(len(f)))).Value(v, y)
		}
		return s
	}
	for range 500 {
		f, y := r.Normals(9), r.Normal()
		before, crossed := loss(f, y), crossingsOf(f)
		slices.Sort(f)
		if !(loss(f, y) <= before+1e-12) {
			t.Fatal("sorting raised the loss")
		}
		if crossingsOf(f) != 0 || crossed == 0 {
			t.Fatalf("crossings %d before, %d after", crossed, crossingsOf(f))
		}
	}
}

func TestQuantileErrors(t *testing.T) {
	nan := math.NaN()
	for name, change := range map[string]func(*functional.QuantileConfig){
		"features": func(c *functional.QuantileConfig) { c.TauFeatures = 0 },
		"lambda":   func(c *functional.QuantileConfig) { c.Lambda = nan },
		"crossing": func(c *functional.QuantileConfig) { c.Crossing = -1 },
		"batch":    func(c *functional.QuantileConfig) { c.Rate, c.Taus = rates.Constant(.1), 3 },
		"rate":     func(c *functional.QuantileConfig) { c.Rate, c.Taus, c.Batch = rates.Constant(-1), 3, 2 },
	} {
		cfg := functional.QuantileConfig{InputFeatures: 4, TauFeatures: 4}
		change(&cfg)
		if _, err := functional.NewQuantile(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	q := fixture.Must(functional.NewQuantile(functional.QuantileConfig{InputFeatures: 4, TauFeatures: 4, Rate: rates.Constant(.1), Batch: 2, Taus: 3}))
	before := fixture.StateOf(q)
	bad := levelBatch()
	bad.Tau = []float64{.1, 1.1, .5}
	if q.Step(bad) == nil {
		t.Error("a level above 1 is accepted")
	}
	bad = levelBatch()
	bad.Y = []float64{nan, 1}
	if q.Step(bad) == nil {
		t.Error("a target that is not a number is accepted")
	}
	if _, err := q.GradientTo(make([]float64, 16), make([]float64, 16), bad); err == nil {
		t.Error("there is a gradient for a target that is not a number")
	}
	if !slices.Equal(before, fixture.StateOf(q)) {
		t.Error("the state changed")
	}
	fixture.Must(functional.NewQuantile(functional.QuantileConfig{InputFeatures: 1, TauFeatures: 1, Rate: rates.Constant(.1), Batch: 1, Taus: 1}))
	if _, err := q.Fit(levelBatch(), batch.LBFGS{}); err == nil {
		t.Error("Fit accepts Width = 0")
	}
}
