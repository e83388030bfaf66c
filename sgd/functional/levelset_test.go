package functional_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/functional"
	"github.com/orffvar/forecaster/sgd/rates"
)

// setWeights overwrites the last len(w) numbers of a state.
func setWeights(state []byte, w []float64) {
	for i, v := range w {
		binary.LittleEndian.PutUint64(state[len(state)-8*(len(w)-i):], math.Float64bits(v))
	}
}

func levelSetBatch() functional.LevelSetBatch {
	b := levelBatch()
	return functional.LevelSetBatch{PhiX: b.PhiX, Nu: levels, PhiT: b.PhiT}
}

// C7.4: Level sets: J = 1/(NT) Σ max(0, τ(ν) − f_i(ν)) + 1/(2T) Σ ν ‖Θ φ_T(ν)‖² − 1/T Σ ν τ(ν),
// τ(ν) = tᵀ φ_T(ν); value and gradients in Θ and t.
func TestC7_4_LevelSetObjective(t *testing.T) {
	l := fixture.Must(functional.NewLevelSet(functional.LevelSetConfig{InputFeatures: 4, NuFeatures: 4}))
	b := levelSetBatch()
	w := append(fixture.ColMajor(levelTheta, 4), .45, .1, .3, .3)
	g, trash := make([]float64, 20), make([]float64, 20)
	value := fixture.Must(l.GradientTo(g, w, b))
	fixture.Near(t, "J", []float64{value}, []float64{-0.06414648615386895}, fixture.Golden)
	fixture.Near(t, "dJ/dTheta row 1", rowMajor(g[:16])[:4], []float64{-0.2181321745947574, -0.22326886539531468, -0.014546637453532879, -0.06516483019472212}, fixture.Golden)
	fixture.Near(t, "dJ/dTheta row 4", rowMajor(g[:16])[12:], []float64{-0.015411951991233032, -0.02604025444935054, 0.003699411785116359, 0.005677300578379912}, fixture.Golden)
	fixture.Near(t, "dJ/dt", g[16:], []float64{0.11092323686921535, 0.24976570931848963, -0.05380602849188265, -0.0957290182591576}, fixture.Golden)
	fixture.Near(t, "finite differences", fixture.Differences(func(v []float64) float64 { return fixture.Must(l.GradientTo(trash, v, b)) }, w), g, 1e-8)

	// Which points are outside: A = [[1, 1, 0], [1, 1, 0]].
	e := fixture.StateOf(l)
	setWeights(e, w)
	if err := fixture.Decode(e, l); err != nil {
		t.Fatal(err)
	}
	margin := make([]float64, 3)
	for i := range 2 {
		l.MarginTo(margin, b.PhiX[4*i:4*i+4], b.PhiT)
		if !(margin[0] < 0 && margin[1] < 0 && margin[2] > 0) {
			t.Errorf("margins %v of point %d", margin, i)
		}
	}
	got := make([]float64, 20)
	l.WeightsTo(got)
	fixture.Near(t, "weights", got, w, 0)
}

// threeGaussians is the data of C7.5: 250, 100 and 250 points.
func threeGaussians(r *fixture.Source) (x [][2]float64) {
	for c, n := range []int{250, 100, 250} {
		for range n {
			x = append(x, [2]float64{5*float64(c) + r.Normal(), 5*float64(c) + r.Normal()})
		}
	}
	return x
}

// cosSin2 are the features of a point in the plane.
func cosSin2(dst []float64, w []float64, x [2]float64) []float64 {
	n := len(w) / 2
	f := 1 / math.Sqrt(float64(n))
	for j := range n {
		dst = append(dst, f*math.Cos(w[2*j]*x[0]+w[2*j+1]*x[1]))
	}
	for j := range n {
		dst = append(dst, f*math.Sin(w[2*j]*x[0]+w[2*j+1]*x[1]))
	}
	return dst
}

var fractions = []float64{.1, .3, .5, .7, .9}

// levelSetData has phi_X of the three Gaussians (gamma_X = .1, D = 100) and the
// frequencies of the levels (D' = 20).
func levelSetData(gammaT float64) (phi []float64, points [][2]float64, wx, wt []float64) {
	r := &fixture.Source{S: 50}
	points = threeGaussians(r)
	wx, wt = r.Normals(200), r.Normals(20)
	for i := range wx {
		wx[i] *= math.Sqrt(2 * .1)
	}
	for i := range wt {
		wt[i] *= math.Sqrt(2 * gammaT)
	}
	for _, x := range points {
		phi = cosSin2(phi, wx, x)
	}
	return phi, points, wx, wt
}

// outliers returns the fraction of the points outside of the level sets.
func outliers(l *functional.LevelSet, phi, wt []float64) []float64 {
	var q []float64
	for _, nu := range fractions {
		q = cosSin(q, wt, nu)
	}
	n := len(phi) / 200
	out, margin := make([]float64, len(fractions)), make([]float64, len(fractions))
	for i := range n {
		l.MarginTo(margin, phi[200*i:200*(i+1)], q)
		for k, v := range margin {
			if v < 0 {
				out[k] += 1 / float64(n)
			}
		}
	}
	return out
}

// C7.5: The share of samples below the threshold is ν: ν is the share of outliers, not of inliers
// as printed.
func TestC7_5_LevelSetFractions(t *testing.T) {
	if testing.Short() {
		t.Skip("three fits of 8,000 weights; skipped with -short")
	}
	for _, c := range []struct{ gammaT, tolerance float64 }{{100, .03}, {1, .03}, {.01, .06}} {
		phi, _, wx, wt := levelSetData(c.gammaT)
		b := functional.LevelSetBatch{PhiX: phi}
		for s := range 60 {
			nu := (float64(s) + .5) / 60
			b.Nu = append(b.Nu, nu)
			b.PhiT = cosSin(b.PhiT, wt, nu)
		}
		l := fixture.Must(functional.NewLevelSet(functional.LevelSetConfig{InputFeatures: 200, NuFeatures: 40, Lambda: 1e-6, Width: 1e-3}))
		result := fixture.Must(l.Fit(b, batch.LBFGS{Memory: 20, Tolerance: 1e-6, MaxIterations: 250}))
		out := outliers(l, phi, wt)
		t.Logf("gamma_T = %g: outliers %.3f, %+v", c.gammaT, out, result)
		fixture.Near(t, "outlier fraction", out, fractions, c.tolerance)

		// A point far from all data is outside of all sets but the widest.
		margin := make([]float64, 1)
		l.MarginTo(margin, cosSin2(nil, wx, [2]float64{5, -5}), cosSin(nil, wt, .3))
		if !(margin[0] < 0) {
			t.Errorf("gamma_T = %g: a novelty is inside of the level set of 30 %% outliers", c.gammaT)
		}
	}
}

func onlineLevelSet() *functional.LevelSet {
	return fixture.Must(functional.NewLevelSet(functional.LevelSetConfig{
		InputFeatures: 200, NuFeatures: 40, Lambda: 1e-6,
		Batch: 16, Nus: 8, Rate: rates.InverseScaling{Gamma0: 1, Gamma1: .01, Power: .7}, Average: true,
	}))
}

func TestLevelSetOnline(t *testing.T) {
	phi, points, _, wt := levelSetData(1)
	r := &fixture.Source{S: 51}
	l := onlineLevelSet()
	b := functional.LevelSetBatch{PhiX: make([]float64, 16*200), Nu: make([]float64, 8)}
	for range 10000 {
		for k := range 16 {
			i := int(r.Uniform() * float64(len(points)))
			copy(b.PhiX[200*k:], phi[200*i:200*(i+1)])
		}
		b.PhiT = b.PhiT[:0]
		for k := range b.Nu {
			b.Nu[k] = .01 + .98*r.Uniform()
			b.PhiT = cosSin(b.PhiT, wt, b.Nu[k])
		}
		if err := l.Step(b); err != nil {
			t.Fatal(err)
		}
	}
	out := outliers(l, phi, wt)
	t.Logf("outliers %.3f", out)
	fixture.Near(t, "outlier fraction", out, fractions, .06)
	if n := testing.AllocsPerRun(20, func() { fixture.Must(0, l.Step(b)) }); n != 0 {
		t.Errorf("%g allocations per step", n)
	}
}

func TestFunctionValuedSaveAndRestore(t *testing.T) {
	rate := rates.InverseScaling{Gamma0: .5, Gamma1: .1, Power: .5}
	for _, average := range []bool{false, true} {
		quantile := func() *functional.Quantile {
			return fixture.Must(functional.NewQuantile(functional.QuantileConfig{InputFeatures: 4, TauFeatures: 4, Crossing: .5, Rate: rate, Batch: 2, Taus: 3, Average: average}))
		}
		levelSet := func() *functional.LevelSet {
			return fixture.Must(functional.NewLevelSet(functional.LevelSetConfig{InputFeatures: 4, NuFeatures: 4, Rate: rate, Batch: 2, Nus: 3, Average: average}))
		}
		a, b, c, d := quantile(), quantile(), levelSet(), levelSet()
		for step := range 20 {
			if step == 9 {
				fixture.Restore(t, a, b)
				fixture.Restore(t, c, d)
			}
			fixture.Must(0, a.Step(levelBatch()))
			fixture.Must(0, c.Step(levelSetBatch()))
			if step >= 9 {
				fixture.Must(0, b.Step(levelBatch()))
				fixture.Must(0, d.Step(levelSetBatch()))
			}
		}
		for _, pair := range [][2]snapshot.Stateful{{a, b}, {c, d}} {
			if x, y := fixture.StateOf(pair[0]), fixture.StateOf(pair[1]); string(x) != string(y) {
				t.Errorf("%T, average %v: the continuation differs", pair[0], average)
			}
		}
	}
}

func TestLevelSetErrors(t *testing.T) {
	for name, change := range map[string]func(*functional.LevelSetConfig){
		"features": func(c *functional.LevelSetConfig) { c.InputFeatures = 0 },
		"lambda":   func(c *functional.LevelSetConfig) { c.Lambda = -1 },
		"batch":    func(c *functional.LevelSetConfig) { c.Rate, c.Nus = rates.Constant(.1), 3 },
		"rate":     func(c *functional.LevelSetConfig) { c.Rate, c.Nus, c.Batch = rates.Constant(0), 3, 2 },
	} {
		cfg := functional.LevelSetConfig{InputFeatures: 4, NuFeatures: 4}
		change(&cfg)
		if _, err := functional.NewLevelSet(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	l := fixture.Must(functional.NewLevelSet(functional.LevelSetConfig{InputFeatures: 4, NuFeatures: 4, Rate: rates.Constant(.1), Batch: 2, Nus: 3}))
	bad := levelSetBatch()
	bad.Nu = []float64{.1, 1, .5}
	if l.Step(bad) == nil {
		t.Error("a level of 1 is accepted")
	}
	bad = levelSetBatch()
	bad.PhiX[0] = math.NaN()
	if l.Step(bad) == nil {
		t.Error("a feature that is not a number is accepted")
	}
	if _, err := l.GradientTo(make([]float64, 20), make([]float64, 20), bad); err == nil {
		t.Error("there is a gradient for a feature that is not a number")
	}
	fixture.Must(functional.NewLevelSet(functional.LevelSetConfig{InputFeatures: 1, NuFeatures: 1, Rate: rates.Constant(.1), Batch: 1, Nus: 1}))
	if _, err := l.Fit(levelSetBatch(), batch.LBFGS{}); err == nil {
		t.Error("Fit accepts Width = 0")
	}
}
