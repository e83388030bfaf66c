package batch_test

import (
	"math"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"gonum.org/v1/gonum/mat"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/rates"
)

// C4.6: Missing outputs (section 6.4, multi-task): with a mask m the gradient of a sample is Bᵀ
// diag(m)(h − y) φᵀ.
func TestC4_6_MultiTaskLoss(t *testing.T) {
	nan := math.NaN()
	o := fixObjective(func(c *batch.ObjectiveConfig) {
		c.Y = []float64{1, nan, nan, -1, -.2, nan} // tasks 0, 1, 0
	})
	theta := []float64{.3, -.1, .2, .5, 0, .4, -.6, .1}
	g := make([]float64, 8)
	value := o.GradientTo(g, theta)
	fixture.Near(t, "value", []float64{value}, []float64{0.4952914211664025}, fixture.Golden)
	fixture.Near(t, "gradient", g, []float64{
		0.0506086396393629, -0.004008294659592793, -0.05062351793958084, 0.06160135786939673,
		0.26128423175993837, 0.2923809965709689, -0.12671681772234517, 0.10499692680954298,
	}, fixture.Golden)
	trash := make([]float64, 8)
	fixture.Near(t, "finite differences", fixture.Differences(func(v []float64) float64 { return o.GradientTo(trash, v) }, theta), g, 1e-9)

	cg, lbfgs := make([]float64, 8), make([]float64, 8)
	fixture.Must(o.SolveCG(cg, 1e-13, 0))
	fixture.Must(o.MinimiseLBFGS(lbfgs, batch.LBFGS{}))
	fixture.Near(t, "CG and L-BFGS", cg, lbfgs, 1e-6)
}

// For a diagonal Gamma the tasks decouple: each is the ridge solution of its own
// samples, with lambda N/N_k because R divides by the samples of all.
func TestMultiTaskDecouplesForDiagonalGamma(t *testing.T) {
	r := &fixture.Source{S: 6}
	const n = 12
	x, y := r.Normals(2*n), make([]float64, 2*n)
	f := orff.FourierOf(r.Normals(8), 2)
	m := orff.NewDecomposable(f, coupling.Identity(2))
	for i := range y {
		y[i] = math.NaN()
	}
	var own [2][2][]float64 // x and y of each task
	for i := range n {
		k := min(i%3, 1)
		v := r.Normal()
		y[2*i+k] = v
		own[k][0] = append(own[k][0], x[2*i:2*i+2]...)
		own[k][1] = append(own[k][1], v)
	}
	o := fixture.Must(batch.NewObjective(batch.ObjectiveConfig{Map: m, X: x, Y: y, Lambda: .05}))
	theta := make([]float64, 16)
	fixture.Must(o.SolveCG(theta, 1e-14, 0))
	single := orff.NewDecomposable(f, coupling.Identity(1))
	for k := range 2 {
		nk := len(own[k][1])
		l := fixture.Must(batch.NewRidge(nk, scalarFeatures(single, own[k][0]), own[k][1], []float64{1}))
		want := make([]float64, 8)
		if err := l.SolveTo(want, .05*n/float64(nk)); err != nil {
			t.Fatal(err)
		}
		for c := range 8 {
			fixture.Near(t, "task", theta[8*k+c:8*k+c+1], want[c:c+1], 1e-12)
		}
	}
}

func TestObjectiveGradientsOfAllLosses(t *testing.T) {
	r := &fixture.Source{S: 2}
	theta, g, trash := r.Normals(8), make([]float64, 8), make([]float64, 8)
	for name, l := range fixture.Losses() {
		o := fixObjective(func(c *batch.ObjectiveConfig) {
			c.Loss, c.Manifold, c.Edges = l, .3, []batch.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: .5}}
		})
		o.GradientTo(g, theta)
		fixture.Near(t, name, fixture.Differences(func(v []float64) float64 { return o.GradientTo(trash, v) }, theta), g, 1e-8)
	}
}

// A robust loss is not moved by an outlier as the squared loss is.
func TestHuberFitResistsAnOutlier(t *testing.T) {
	r := &fixture.Source{S: 12}
	const n = 200
	x, y, truth := make([]float64, n), make([]float64, n), func(x float64) float64 { return math.Sin(2 * x) }
	for i := range n {
		x[i] = 2*r.Uniform() - 1
		y[i] = truth(x[i]) + .1*r.Normal()
		if i%20 == 0 {
			y[i] += 50
		}
	}
	m := orff.NewDecomposable(fixture.Must(orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, 20, random.New(1))), coupling.Identity(1))
	d := m.Dims()
	worst := func(loss losses.Loss) (top float64) {
		o := fixture.Must(batch.NewObjective(batch.ObjectiveConfig{Map: m, X: x, Y: y, Lambda: 1e-5, Loss: loss}))
		theta := make([]float64, d.Params)
		fixture.Must(o.MinimiseLBFGS(theta, batch.LBFGS{}))
		for i, f := range o.Predictions(theta) {
			top = max(top, math.Abs(f-truth(x[i])))
		}
		return top
	}
	if e := worst(fixture.Must(losses.NewHuber(.2))); !(e <= .3) {
		t.Errorf("Huber: error %g", e)
	}
	if e := worst(losses.Squared{}); !(e >= 1) {
		t.Errorf("squared: error %g; the outliers do nothing", e)
	}
}

func semiObjective(manifold float64) *batch.Objective {
	m := orff.NewDecomposable(orff.FourierOf([]float64{1}, 1), coupling.Identity(1))
	return fixture.Must(batch.NewObjective(batch.ObjectiveConfig{
		Map: m, X: []float64{0, 1, 2}, Y: []float64{1, -1, math.NaN()}, Lambda: .1,
		Edges: []batch.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}}, Manifold: manifold,
	}))
}

// C8.5: Semi-supervised term (appendix B, with the graph Laplacian in place of its printed
// inverse): adding λ_M/2 Σ w_ij ‖h(x_i) − h(x_j)‖² to the ridge objective; solved on a chain.
func TestC8_5_SemiSupervised(t *testing.T) {
	o := semiObjective(.2)
	theta := make([]float64, 2)
	fixture.Must(o.SolveCG(theta, 1e-14, 0))
	fixture.Near(t, "theta", theta, []float64{0.34739543867320827, -0.7850251154690723}, fixture.Golden)
	fixture.Near(t, "predictions", o.Predictions(theta), []float64{0.34739543867320827, -0.47287730044948456, -0.8583888303243236}, fixture.Golden)
	lbfgs := make([]float64, 2)
	fixture.Must(o.MinimiseLBFGS(lbfgs, batch.LBFGS{}))
	fixture.Near(t, "L-BFGS", lbfgs, theta, 1e-6)
}

// With an output map V the normal equations are those of appendix B,
//
//	(1/N sum Phi V^T V Phi^T + lambda I + manifold sum_ik Phi_i L_ik Phi_k^T) theta = 1/N sum Phi V^T y,
//
// assembled here from the features, and solved by elimination.
func TestC8_5_OutputMap(t *testing.T) {
	const n, labelled, lambda, manifold = 7, 4, .03, .4
	r := &fixture.Source{S: 31}
	x, v := r.Normals(2*n), []float64{1, .5}
	y := r.Normals(n)
	for i := labelled; i < n; i++ {
		y[i] = math.NaN()
	}
	var edges []batch.Edge
	for i := range n - 1 {
		edges = append(edges, batch.Edge{I: i, J: i + 1, Weight: 1 + float64(i)/10})
	}
	m := fixture.Map()
	d := m.Dims()
	o := fixture.Must(batch.NewObjective(batch.ObjectiveConfig{Map: m, X: x, Y: y, Lambda: lambda, Observed: v, Edges: edges, Manifold: manifold}))
	theta := make([]float64, d.Params)
	fixture.Must(o.SolveCG(theta, 1e-14, 0))

	laplacian := mat.NewDense(n, n, nil)
	for _, e := range edges {
		for _, c := range []struct {
			i, j int
			w    float64
		}{{e.I, e.I, 1}, {e.J, e.J, 1}, {e.I, e.J, -1}, {e.J, e.I, -1}} {
			laplacian.Set(c.i, c.j, laplacian.At(c.i, c.j)+c.w*e.Weight)
		}
	}
	p := d.Params
	adjoint := make([]*mat.Dense, n) // Phi(x_i), params x outputs
	for i := range adjoint {
		adjoint[i] = mat.NewDense(p, 2, nil)
		phi := make([]float64, d.Features)
		m.FeaturesTo(phi, x[2*i:2*i+2])
		for k := range 2 {
			g, unit := make([]float64, p), make([]float64, 2)
			unit[k] = 1
			m.AddGradient(g, 1, phi, unit)
			adjoint[i].SetCol(k, g)
		}
	}
	a, b := mat.NewDense(p, p, nil), mat.NewVecDense(p, nil)
	for i := range p {
		a.Set(i, i, lambda)
	}
	for i := range n {
		for k := range n {
			var part mat.Dense
			part.Mul(adjoint[i], adjoint[k].T())
			part.Scale(manifold*laplacian.At(i, k), &part)
			a.Add(a, &part)
		}
		if i >= labelled {
			continue
		}
		var seen mat.VecDense
		seen.MulVec(adjoint[i], mat.NewVecDense(2, v))
		var outer mat.Dense
		outer.Outer(1./labelled, &seen, &seen)
		a.Add(a, &outer)
		b.AddScaledVec(b, y[i]/labelled, &seen)
	}
	var want mat.VecDense
	if err := want.SolveVec(a, b); err != nil {
		t.Fatal(err)
	}
	fixture.Near(t, "theta", theta, want.RawVector().Data, 1e-10)
}

// edgesOfPairs joins each pair of the n points in x, of two coordinates, by a Gaussian weight over
// n^2, as the term does online.
func edgesOfPairs(x []float64) (edges []batch.Edge) {
	n := len(x) / 2
	for i := range n {
		for j := range i {
			q := square(x[2*i]-x[2*j]) + square(x[2*i+1]-x[2*j+1])
			edges = append(edges, batch.Edge{I: i, J: j, Weight: math.Exp(-q/2) / float64(n*n)})
		}
	}
	return edges
}

// Online, with the whole sample as the mini-batch, the term has the fixed point of
// the batch objective, of which every pair of inputs is an edge.
func TestC8_5_OnlineTermIsThatOfTheObjective(t *testing.T) {
	const n, lambda, manifold = 6, .05, .8
	r := &fixture.Source{S: 32}
	x, y := r.Normals(2*n), r.Normals(2*n)
	m, edges := fixture.Map(), edgesOfPairs(x)
	o := fixture.Must(batch.NewObjective(batch.ObjectiveConfig{Map: m, X: x, Y: y, Lambda: lambda, Edges: edges, Manifold: manifold}))
	theta := make([]float64, m.Dims().Params)
	fixture.Must(o.SolveCG(theta, 1e-14, 0))
	l := fixture.Must(sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
		Blocks: fixture.Maps(fixture.Blocks()), Batch: n, Lambda: lambda, Rate: rates.Constant(.7), Decay: rates.DecayBlock, Manifold: manifold,
	}))
	for range 3000 {
		fixture.StepOn(l, x, y, n)
	}
	want, got := o.Predictions(theta), make([]float64, 2)
	for i := range n {
		l.PredictTo(got, x[2*i:2*i+2])
		fixture.Near(t, "predictions", got, want[2*i:2*i+2], 1e-10)
	}
}

// Over mini-batches in turn, which the term joins with all others, its mean gradient is that of
// all pairs: with small steps the weights come close to the solution for all of them, which
// those that know the pairs of their mini-batch alone do not.
func TestManifoldOfSeveralMiniBatches(t *testing.T) {
	const n, batches, lambda, manifold = 4, 5, .05, 20.
	const all = n * batches
	r := &fixture.Source{S: 34}
	x, y := r.Normals(2*all), r.Normals(2*all)
	m, edges := fixture.Map(), edgesOfPairs(x)
	o := fixture.Must(batch.NewObjective(batch.ObjectiveConfig{Map: m, X: x, Y: y, Lambda: lambda, Edges: edges, Manifold: manifold}))
	theta := make([]float64, m.Dims().Params)
	fixture.Must(o.SolveCG(theta, 1e-14, 0))
	want := append([]float64(nil), o.Predictions(theta)...)
	distance := func(batches int) (q float64) {
		l := fixture.Must(sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
			Blocks: fixture.Maps(fixture.Blocks()), Batch: n, Lambda: lambda, Rate: rates.Constant(2e-3), Decay: rates.DecayBlock,
			Manifold: manifold, ManifoldBatches: batches,
		}))
		for range 12000 {
			fixture.StepOn(l, x, y, all)
		}
		got := make([]float64, 2)
		for i := range all {
			l.PredictTo(got, x[2*i:2*i+2])
			q += square(got[0]-want[2*i]) + square(got[1]-want[2*i+1])
		}
		return math.Sqrt(q / square(norm(want)))
	}
	alone, joined := distance(1), distance(batches)
	t.Logf("relative distance %.4f with the pairs of a mini-batch, %.4f with those of all", alone, joined)
	// A constant rate has a bias of the order of the rate times the curvature.
	if !(joined <= .01) || !(alone >= 5*joined) {
		t.Errorf("relative distance %.4f with the pairs of a mini-batch, %.4f with those of all", alone, joined)
	}
}

func norm(v []float64) (q float64) {
	for _, a := range v {
		q += a * a
	}
	return math.Sqrt(q)
}

func square(v float64) float64 { return v * v }

// Two clouds, of which few points have a target: unlabelled points carry it to the
// rest of their cloud. Without the term they are dropped and counted.
func TestUnlabelledPairsHelp(t *testing.T) {
	run := func(manifold float64) (e float64, dropped uint64) {
		m := orff.NewDecomposable(fixture.Must(orff.NewFourier(spectrum.Gaussian{Sigma: .4}, 1, 40, random.New(2))), coupling.Identity(1))
		l := fixture.Must(sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
			Blocks: []sgd.Map{m}, Batch: 16, Lambda: 1e-4, Rate: rates.Constant(.9), Decay: rates.DecayBlock, Manifold: manifold,
		}))
		r := &fixture.Source{S: 33}
		draw := func() (x, side float64) {
			side = math.Copysign(1, r.Uniform()-.5)
			return 3*side + 1.2*(2*r.Uniform()-1), side
		}
		for i := range 40000 {
			x, side := draw()
			y := math.NaN()
			if i%4 < 2 && math.Abs(x-3*side) < .2 { // labels in the middle of a cloud
				y = side
			}
			l.Learn([]float64{x}, []float64{y})
		}
		h := make([]float64, 1)
		for range 500 {
			x, side := draw()
			l.PredictTo(h, []float64{x})
			e += square(h[0]-side) / 500
		}
		return e, l.Dropped()
	}
	without, dropped := run(0)
	with, none := run(1)
	t.Logf("squared error %.3f without the term, %.3f with it", without, with)
	if !(with <= without/2) || dropped == 0 || none != 0 {
		t.Errorf("squared error %.3f without the term, %.3f with it; %d and %d pairs dropped", without, with, dropped, none)
	}
}

// C8.6: λ_M = 0 is plain ridge; for λ_M → ∞ the predictions on a connected component become equal,
// as far as the features allow.
func TestC8_6_ManifoldLimits(t *testing.T) {
	// 40 features can be constant on three points.
	m := orff.NewDecomposable(fixture.Must(orff.NewFourier(spectrum.Gaussian{Sigma: .5}, 1, 20, random.New(3))), coupling.Identity(1))
	d := m.Dims()
	spread := func(manifold float64) float64 {
		o := fixture.Must(batch.NewObjective(batch.ObjectiveConfig{
			Map: m, X: []float64{0, 1, 2}, Y: []float64{1, -.2, math.NaN()}, Lambda: 1e-2,
			Edges: []batch.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}}, Manifold: manifold,
		}))
		theta := make([]float64, d.Params)
		fixture.Must(o.SolveCG(theta, 1e-13, 0))
		f := o.Predictions(theta)
		return max(f[0], f[1], f[2]) - min(f[0], f[1], f[2])
	}
	if free := spread(0); !(free >= .5) {
		t.Errorf("spread %g without the term", free)
	}
	if s := spread(1e6); !(s <= 1e-5) { // differences are O(1/manifold)
		t.Errorf("spread %g at a large weight", s)
	}

	o := fixObjective(func(c *batch.ObjectiveConfig) { c.Edges = []batch.Edge{{I: 0, J: 1, Weight: 1}} })
	theta := make([]float64, 8)
	fixture.Must(o.SolveCG(theta, 1e-14, 0))
	fixture.Near(t, "weight 0", theta, fixture.Theta, 1e-12)
}

func TestObjectiveErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for want, change := range map[string]func(*batch.ObjectiveConfig){
		"sizes":            func(c *batch.ObjectiveConfig) { c.Map = fixture.Empty{} },
		"rows":             func(c *batch.ObjectiveConfig) { c.Y = c.Y[:5] },
		"not finite":       func(c *batch.ObjectiveConfig) { c.X = []float64{nan, 0}; c.Y = c.Y[:2] },
		"infinite":         func(c *batch.ObjectiveConfig) { c.Y = []float64{1, 2, 3, inf, 5, 6} },
		"Lambda":           func(c *batch.ObjectiveConfig) { c.Lambda = -1 },
		"Manifold":         func(c *batch.ObjectiveConfig) { c.Manifold = nan },
		"edge":             func(c *batch.ObjectiveConfig) { c.Edges = []batch.Edge{{I: 0, J: 3, Weight: 1}} },
		"no known target":  func(c *batch.ObjectiveConfig) { c.Y = []float64{nan, nan, nan, nan, nan, nan} },
		"{I:1 J:1 Weight:": func(c *batch.ObjectiveConfig) { c.Edges = []batch.Edge{{I: 1, J: 1, Weight: 1}} },
	} {
		m := fixture.Map()
		cfg := batch.ObjectiveConfig{Map: m, X: fixture.X, Y: fixture.Y, Lambda: 1}
		change(&cfg)
		if _, err := batch.NewObjective(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	theta := make([]float64, 8)
	huber := fixObjective(func(c *batch.ObjectiveConfig) { c.Loss = fixture.Must(losses.NewHuber(1)) })
	if _, err := huber.SolveCG(theta, 1e-9, 0); err == nil {
		t.Error("CG accepts the Huber loss")
	}
	free := fixObjective(func(c *batch.ObjectiveConfig) { c.Lambda = 0 })
	if _, err := free.SolveCG(theta, 1e-9, 0); err == nil {
		t.Error("CG accepts Lambda = 0")
	}
	theta[0] = inf
	if _, err := fixObjective(nil).SolveCG(theta, 1e-9, 0); err == nil {
		t.Error("CG accepts an infinite start")
	}
	if _, err := huber.MinimiseLBFGS(theta, batch.LBFGS{}); err == nil {
		t.Error("L-BFGS accepts an infinite start")
	}
	if _, err := huber.MinimiseLBFGS(make([]float64, 8), batch.LBFGS{Memory: -1}); err == nil {
		t.Error("L-BFGS accepts a negative memory")
	}
}

// At the solution there is nothing to do, and the iteration limit is reported.
func TestMinimisersReport(t *testing.T) {
	o := fixObjective(nil)
	theta := fixRidge(fixture.Lambda)
	if r := fixture.Must(o.MinimiseLBFGS(theta, batch.LBFGS{})); !r.Converged || r.Iterations != 0 {
		t.Errorf("at the solution: %+v", r)
	}
	clear(theta)
	if r := fixture.Must(o.MinimiseLBFGS(theta, batch.LBFGS{MaxIterations: 2})); r.Converged || r.Iterations != 2 {
		t.Errorf("two iterations: %+v", r)
	}
	minimise := func(options batch.LBFGS) batch.Result {
		return fixture.Must(o.MinimiseLBFGS(make([]float64, len(theta)), options))
	}
	defaults := minimise(batch.LBFGS{})
	if r := minimise(batch.LBFGS{Memory: 10, Tolerance: 1e-8, MaxIterations: 1000}); r != defaults {
		t.Errorf("zero options: %+v, want %+v", defaults, r)
	}
	for _, options := range []batch.LBFGS{{Memory: 1}, {Tolerance: .1}} {
		if r := minimise(options); r == defaults {
			t.Errorf("%+v has no effect", options)
		}
	}
	clear(theta)
	if r := fixture.Must(o.SolveCG(theta, 1e-14, 1)); r.Converged || r.Iterations != 1 {
		t.Errorf("one CG iteration: %+v", r)
	}
	// A function without a minimum: the line search takes the first infinite value.
	unbounded := func(g, theta []float64) float64 {
		if g[0] = -1; theta[0] > .1 {
			g[0] = 0
			return math.Inf(-1)
		}
		return -theta[0]
	}
	if r, err := (batch.LBFGS{}).Minimise([]float64{0}, unbounded); err == nil {
		t.Errorf("without a minimum: %+v", r)
	}
}
