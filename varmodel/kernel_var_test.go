package varmodel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
)

// gaussianMap draws D frequencies of the decomposable Gaussian kernel with an
// exact linear part.
func gaussianMap(dim, order, D int, out orff.Output) func(orff.Rand) (orff.Map, error) {
	return func(r orff.Rand) (orff.Map, error) {
		f, err := orff.NewFourier(orff.Gaussian{Sigma: 1}, dim*order, D, r)
		if err != nil {
			return nil, err
		}
		l, err := orff.NewLinear(dim*order, 1)
		if err != nil {
			return nil, err
		}
		s, err := orff.NewScalarSum([]float64{1, 1}, l, f)
		if err != nil {
			return nil, err
		}
		return orff.NewDecomposable(s, out), nil
	}
}

// curlMap draws D frequencies of the curl-free kernel.
func curlMap(dim, D int) func(orff.Rand) (orff.Map, error) {
	return func(r orff.Rand) (orff.Map, error) { return orff.NewCurlFree(1, dim, D, orff.Bounded, r) }
}

// divergenceMap draws D frequencies of the divergence-free kernel.
func divergenceMap(dim, D int) func(orff.Rand) (orff.Map, error) {
	return func(r orff.Rand) (orff.Map, error) {
		return orff.NewDivergenceFree(1, dim, D, orff.Bounded, false, r)
	}
}

// schurMap is the random feature map of the kernel of OKVAR.
func schurMap(dim, D int) func(orff.Rand) (orff.Map, error) {
	return func(r orff.Rand) (orff.Map, error) {
		f, err := orff.NewFourier(orff.Gaussian{Sigma: 1}, dim, D, r)
		if err != nil {
			return nil, err
		}
		one, err := orff.NewFourier(orff.Gaussian{Sigma: 1}, 1, D, orff.BlockRand(r.Uint64(), 1))
		if err != nil {
			return nil, err
		}
		each, err := orff.NewTransformable(one, orff.Coordinates(dim))
		if err != nil {
			return nil, err
		}
		return orff.NewSchur(orff.NewDecomposable(f, orff.Identity(dim)), each)
	}
}

func kernelVAR(cfg KernelVARConfig) func(d, h int) (eval.Model, error) {
	return func(d, h int) (eval.Model, error) {
		c := cfg
		c.Dim, c.Horizon, c.Seed = d, h, 1
		setDefault(&c.Order, 1)
		if c.Map == nil {
			c.Map = gaussianMap(d, c.Order, 20, orff.Identity(d))
		}
		if g, ok := c.Proximal.(sgd.GroupLasso); ok {
			g.Columns.Inner = d
			c.Proximal = g
		}
		return NewKernelVAR(c)
	}
}

// The contract of all models (model_test.go) holds for these as well.
func init() {
	huber, err := sgd.NewHuber(2)
	if err != nil {
		panic(err)
	}
	models["kernelvar"] = kernelVAR(KernelVARConfig{Order: 2, Blocks: 2})
	models["kernelvar-plain"] = kernelVAR(KernelVARConfig{Step: PlainSteps, Decay: sgd.DecayAll, Average: true, Loss: huber})
	models["kernelvar-adagrad"] = kernelVAR(KernelVARConfig{Step: AdaGradSteps, Decay: sgd.DecayBlock, Blocks: 3})
	models["kernelvar-correlations"] = kernelVAR(KernelVARConfig{Step: PlainSteps, Gamma: LearntGamma{From: Correlations}})
	models["kernelvar-graph"] = kernelVAR(KernelVARConfig{Step: PlainSteps, Gamma: LearntGamma{From: CorrelationGraph}})
	models["kernelvar-residuals"] = kernelVAR(KernelVARConfig{Step: AdaGradSteps, Gamma: LearntGamma{From: ResidualGamma}})
	models["kernelvar-curl"] = func(d, h int) (eval.Model, error) {
		return NewKernelVAR(KernelVARConfig{Dim: d, Order: 1, Horizon: h, Map: curlMap(d, 20), Blocks: 2, Seed: 1})
	}
	models["kernelvar-divergence"] = func(d, h int) (eval.Model, error) {
		return NewKernelVAR(KernelVARConfig{Dim: d, Order: 1, Horizon: h, Map: divergenceMap(d, 10), Seed: 1, Step: PlainSteps})
	}
	models["kernelvar-manifold"] = kernelVAR(KernelVARConfig{Step: PlainSteps, Manifold: .1})
	models["kernelvar-manifold-batches"] = kernelVAR(KernelVARConfig{Step: PlainSteps, Manifold: .1, ManifoldBatches: 3})
	models["kernelvar-warm"] = kernelVAR(KernelVARConfig{Step: AdaGradSteps, Blocks: 2, Warm: 30})
	models["kernelvar-redraw"] = kernelVAR(KernelVARConfig{Step: AdaGradSteps, Blocks: 3, Redraw: 5})
	models["kernelvar-grow"] = kernelVAR(KernelVARConfig{Blocks: 2, Grow: 3, MostBlocks: 4})
	models["kernelvar-grow-steered"] = kernelVAR(KernelVARConfig{Step: AdaGradSteps, Grow: 3, MostBlocks: 3, Average: true, Gamma: LearntGamma{From: ResidualGamma}})
	models["kernelvar-schur"] = func(d, h int) (eval.Model, error) {
		return NewKernelVAR(KernelVARConfig{Dim: d, Order: 1, Horizon: h, Map: schurMap(d, 4), Seed: 1, Step: AdaGradSteps})
	}
	models["kernelvar-sparse"] = func(d, h int) (eval.Model, error) {
		return NewKernelVAR(KernelVARConfig{
			Dim: d, Order: 1, Horizon: h, Seed: 1, Step: PlainSteps,
			Map: func(r orff.Rand) (orff.Map, error) {
				f, err := orff.NewFourier(orff.Gaussian{Sigma: 1}, d, 20, r)
				return orff.NewDecomposable(f, orff.Identity(d)), err
			},
			Proximal: sgd.GroupLasso{Columns: sgd.Columns{Inner: d, D: 20, Rows: true}, Mu: 1e-3},
		})
	}
}

// meanSquaredError runs a model over x and returns its error from row first on.
func meanSquaredError(t testing.TB, m eval.Model, x [][]float64, first int) float64 {
	t.Helper()
	d := len(x[0])
	all := record(t, m.NewSeries(), x, d)
	var s, n float64
	for i := first; i < len(x); i++ {
		for j, v := range all[i-1] {
			s += (v - x[i][j]) * (v - x[i][j])
			n++
		}
	}
	return s / n
}

// randomSeries is .7 x + sin(2 x_next) with noise .3: the least possible error is
// .09, and no linear model comes near it. Newton steps that remember 1600 samples
// of 103 features add 2 x 103/1600 of it, and what 50 frequencies cannot express.
// Of the slower steps is asserted what a linear model cannot do.
func TestKernelVARLearnsANonlinearSeries(t *testing.T) {
	const d = 2
	x := randomSeries(rand.New(rand.NewPCG(23, 24)), 6000, d, 0)
	linear := meanSquaredError(t, newModel(t, "var", d, 1), x, 3000)
	for _, c := range []struct {
		name string
		most float64
		cfg  KernelVARConfig
	}{
		{"newton", .125, KernelVARConfig{}},
		{"plain", .8 * linear, KernelVARConfig{Step: PlainSteps, Lambda: 1e-5, Rate: sgd.Constant(.5)}},
		{"adagrad", .8 * linear, KernelVARConfig{Step: AdaGradSteps, Lambda: 1e-5}},
		{"correlations", .8 * linear, KernelVARConfig{Step: PlainSteps, Lambda: 1e-5, Rate: sgd.Constant(.5), Gamma: LearntGamma{From: Correlations}}},
		{"graph", .8 * linear, KernelVARConfig{Step: PlainSteps, Lambda: 1e-5, Rate: sgd.Constant(.5), Gamma: LearntGamma{From: CorrelationGraph}}},
		{"residuals", .8 * linear, KernelVARConfig{Step: PlainSteps, Lambda: 1e-5, Rate: sgd.Constant(.5), Gamma: LearntGamma{From: ResidualGamma}}},
	} {
		c.cfg.Bandwidth, c.cfg.Map = .5, gaussianMap(d, 1, 50, orff.Identity(d))
		m, err := kernelVAR(c.cfg)(d, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := meanSquaredError(t, m, x, 3000); !(got <= c.most) {
			t.Errorf("%s: error %.4f, want at most %.4f (VAR %.4f)", c.name, got, c.most, linear)
		}
	}
}

// A step of Algorithm 4 for k Gamma on Theta and the steered step on the
// prediction matrix H = B Theta are the same step.
func TestSteeredStepsAreThoseOfTheOperator(t *testing.T) {
	const d = 2
	gamma := []float64{1, .6, .6, .8}
	out, err := orff.NewOutput(d, gamma)
	if err != nil {
		t.Fatal(err)
	}
	for _, decay := range []sgd.Decay{sgd.DecayAll, sgd.DecayBlock} {
		learner := func(out orff.Output, s *gammaLearner) *sgd.DoublyStochastic {
			blocks, err := orff.NewBlocks(2, 3, true, gaussianMap(d, 1, 10, out))
			if err != nil {
				t.Fatal(err)
			}
			maps := []sgd.Map{blocks.Block(0), blocks.Block(1)}
			if s != nil {
				maps = []sgd.Map{&gammaMap{maps[0], s}, &gammaMap{maps[1], s}}
			}
			l, err := sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
				Blocks: maps, Batch: 2, Lambda: .01, Rate: sgd.Constant(.1), Decay: decay,
			})
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		given := learner(out, nil)
		steered := learner(orff.Identity(d), &gammaLearner{gamma: gamma, r: make([]float64, d)})
		rng := rand.New(rand.NewPCG(25, 26))
		x, y, p, q := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		for range 500 {
			for j := range x {
				x[j], y[j] = rng.NormFloat64(), rng.NormFloat64()
			}
			given.Learn(x, y)
			steered.Learn(x, y)
			given.PredictTo(p, x)
			steered.PredictTo(q, x)
			for j := range p {
				// Two orders of summation over some hundred contracting steps.
				if !(math.Abs(p[j]-q[j]) <= 1e-12) {
					t.Fatalf("decay %d: %v and %v", decay, p, q)
				}
			}
		}
	}
}

// A sample without any value reaches the semi-supervised term, and nothing else.
func TestUnlabelledSamplesAreLearntFrom(t *testing.T) {
	for _, manifold := range []float64{0, .1} {
		m, err := kernelVAR(KernelVARConfig{Step: PlainSteps, Manifold: manifold, Batch: 1})(2, 1)
		if err != nil {
			t.Fatal(err)
		}
		f := m.NewSeries()
		record(t, f, randomSeries(rand.New(rand.NewPCG(28, 29)), 300, 2, 0), 2)
		l := m.(*regression).learner.(*descent).l
		before := l.Steps()
		for range 3 {
			if err := f.Observe([]float64{math.NaN(), math.NaN()}); err != nil {
				t.Fatal(err)
			}
		}
		if got := l.Steps() - before; got != map[float64]int{0: 0, .1: 3}[manifold] {
			t.Errorf("manifold %g: %d steps on 3 samples without a value", manifold, got)
		}
	}
}

// The larger the penalty, the fewer frequencies are left.
func TestGroupLassoRemovesFrequencies(t *testing.T) {
	const d = 2
	count := func(mu float64) (n int) {
		m, err := NewKernelVAR(KernelVARConfig{
			Dim: d, Order: 1, Horizon: 1, Seed: 1, Step: PlainSteps,
			Map: func(r orff.Rand) (orff.Map, error) {
				f, err := orff.NewFourier(orff.Gaussian{Sigma: 1}, d, 40, r)
				return orff.NewDecomposable(f, orff.Identity(d)), err
			},
			Proximal: sgd.GroupLasso{Columns: sgd.Columns{Inner: d, D: 40, Rows: true}, Mu: mu},
		})
		if err != nil {
			t.Fatal(err)
		}
		record(t, m.NewSeries(), randomSeries(rand.New(rand.NewPCG(27, 28)), 2000, d, 0), d)
		theta := make([]float64, 2*40*d)
		m.(*regression).learner.(*descent).l.WeightsTo(theta)
		for j := range 40 {
			if theta[j] != 0 || theta[40+j] != 0 {
				n++
			}
		}
		return n
	}
	if all, few := count(0), count(.08); all != 40 || few == 0 || few > 30 {
		t.Errorf("%d of 40 frequencies in use without penalty, %d with", all, few)
	}
}

// One block more every 3 steps up to 4. None of them moves a forecast as it comes, and
// an older state, of fewer blocks, comes back in a model that has grown since.
func TestGrowingKeepsTheForecast(t *testing.T) {
	const dim = 2
	m, err := kernelVAR(KernelVARConfig{Blocks: 2, Grow: 3, MostBlocks: 4, Batch: 2})(dim, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := m.(*regression).learner.(*descent)
	r := rand.New(rand.NewPCG(1, 2))
	x, e, before, after := make([]float64, dim), make([]float64, dim), make([]float64, dim), make([]float64, dim)
	var young []byte
	var count []int
	for step := 1; step <= 12; step++ {
		for range 2 {
			for k := range x {
				x[k], e[k] = r.NormFloat64(), r.NormFloat64()
			}
			d.Update(x, e)
		}
		count = append(count, d.blocks.Blocks())
		if step == 4 {
			c := snapshot.NewEncoder(nil)
			d.State(c)
			young = c.Bytes()
			d.PredictTo(before, x)
			if err := d.grow(); err != nil {
				t.Fatal(err)
			}
			d.valid = false
			d.PredictTo(after, x)
			for k := range before { // rounding of the factor of weights of size 1
				if !(math.Abs(before[k]-after[k]) <= 1e-12) {
					t.Errorf("growing moves %v to %v", before, after)
				}
			}
			c = snapshot.NewDecoder(young)
			if d.State(c); c.Finish() != nil || d.blocks.Blocks() != 3 {
				t.Fatalf("%d blocks came back: %v", d.blocks.Blocks(), c.Finish())
			}
			d.PredictTo(after, x)
			if !slices.Equal(before, after) {
				t.Errorf("the state of %v is that of %v", before, after)
			}
		}
	}
	if want := []int{2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4}; !slices.Equal(count, want) {
		t.Errorf("%v blocks after each step, want %v", count, want)
	}
}

func TestKernelVARRefusesWithTheReason(t *testing.T) {
	identity := gaussianMap(2, 1, 5, orff.Identity(2))
	for _, c := range []struct {
		cfg  KernelVARConfig
		want string
	}{
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1}, "Map"},
		{KernelVARConfig{Dim: 2, Order: 2, Horizon: 1, Map: curlMap(2, 5)}, "Order 1"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Gamma: LearntGamma{From: Correlations}}, "NewtonSteps"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: curlMap(2, 5), Step: PlainSteps, Gamma: LearntGamma{From: Correlations}}, "decomposable"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Proximal: sgd.GroupLasso{Columns: sgd.Columns{Inner: 2, D: 5}}}, "Preconditioner"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Inputs: 7}, "Inputs"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Step: 9}, "Step"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Forgetting: 1}, "Forgetting"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Bandwidth: -1}, "Bandwidth"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Redraw: 9}, "Redraw"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Grow: -1}, "Grow"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Grow: 9}, "MostBlocks"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Grow: 9, MostBlocks: 2, Warm: 9}, "Warm"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Manifold: .1}, "Manifold"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Manifold: -1, Step: PlainSteps}, "Manifold"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Blocks: -1}, "Blocks"},
		{KernelVARConfig{Dim: 2, Order: 1, Horizon: 1, Step: PlainSteps, Map: identity, Gamma: LearntGamma{From: Correlations, Shrink: 2}}, "Shrink"},
	} {
		if _, err := NewKernelVAR(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v does not mention %s", err, c.want)
		}
	}
}

// A vector field that is a gradient: the rows of increments follow the slope of
// a potential, which a curl-free kernel knows and others have to learn.
func ExampleNewKernelVAR() {
	const d = 2
	m, err := NewKernelVAR(KernelVARConfig{
		Dim: d, Order: 1, Horizon: 1, Seed: 1,
		Map: func(r orff.Rand) (orff.Map, error) { return orff.NewCurlFree(1, d, 100, orff.Bounded, r) },
	})
	if err != nil {
		panic(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	f := m.NewSeries()
	x, forecast := []float64{0, 0}, make([]float64, d)
	var errors, noise float64
	for t := range 5000 {
		// x <- x - grad U(x)/4 + noise, U = cos(2 x_1) sin(x_2) + |x|^2/4
		gx := -2*math.Sin(2*x[0])*math.Sin(x[1]) + x[0]/2
		gy := math.Cos(2*x[0])*math.Cos(x[1]) + x[1]/2
		next := []float64{x[0] - gx/4 + .3*rng.NormFloat64(), x[1] - gy/4 + .3*rng.NormFloat64()}
		if t >= 2500 {
			f.ForecastTo(forecast)
			errors += (next[0]-forecast[0])*(next[0]-forecast[0]) + (next[1]-forecast[1])*(next[1]-forecast[1])
			noise += 2 * .09
		}
		if err := f.Observe(next); err != nil {
			panic(err)
		}
		x = next
	}
	fmt.Printf("squared error %.1f times that of the noise\n", errors/noise)
	// Output: squared error 1.0 times that of the noise
}
