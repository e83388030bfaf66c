package kernel

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/tools/recorded"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/sgd/penalties"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// newVAR returns a model with lag 1 and horizon 1, of two variables and with a Gaussian map, unless c has others.
func newVAR(c VARConfig) (eval.Model, error) {
	check.SetDefault(&c.Dim, 2)
	c.Order, c.Horizon, c.Seed = 1, 1, 1
	if c.Map == nil {
		c.Map = modeltest.GaussianMap(c.Dim, c.Order, 20, coupling.Identity(c.Dim))
	}
	return NewVAR(c)
}

// A step of Algorithm 4 for k Gamma on Theta and the steered step on the
// prediction matrix H = B Theta are the same step.
func TestSteeredStepsAreThoseOfTheOperator(t *testing.T) {
	const d = 2
	gamma := []float64{1, .6, .6, .8}
	out, err := coupling.New(d, gamma)
	if err != nil {
		t.Fatal(err)
	}
	for _, decay := range []rates.Decay{rates.DecayAll, rates.DecayBlock} {
		learner := func(out coupling.Operator, s *gammaLearner) *sgd.DoublyStochastic {
			blocks, err := orff.NewBlocks(2, 3, true, modeltest.GaussianMap(d, 1, 10, out))
			if err != nil {
				t.Fatal(err)
			}
			maps := []sgd.Map{blocks.Block(0), blocks.Block(1)}
			if s != nil {
				maps = []sgd.Map{&gammaMap{maps[0], s}, &gammaMap{maps[1], s}}
			}
			l, err := sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
				Blocks: maps, Batch: 2, Lambda: .01, Rate: rates.Constant(.1), Decay: decay,
			})
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		given := learner(out, nil)
		steered := learner(coupling.Identity(d), &gammaLearner{gamma: gamma, r: make([]float64, d)})
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
		m, err := newVAR(VARConfig{Dim: 1, Step: PlainSteps, Manifold: manifold, Batch: 1})
		if err != nil {
			t.Fatal(err)
		}
		f := m.NewSeries()
		modeltest.Record(t, f, modeltest.RandomSeries(rand.New(rand.NewPCG(28, 29)), 300, 1, 0), 1)
		l := m.(*regression.Model).Learner.(*descent).l
		before := l.Steps()
		for range 3 {
			if err := f.Observe([]float64{math.NaN()}); err != nil {
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
		m, err := NewVAR(VARConfig{
			Dim: d, Order: 1, Horizon: 1, Seed: 1, Step: PlainSteps,
			Map: func(r random.Rand) (orff.Map, error) {
				f, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, d, 40, r)
				return orff.NewDecomposable(f, coupling.Identity(d)), err
			},
			Proximal: penalties.GroupLasso{Columns: penalties.Columns{Inner: d, D: 40, Rows: true}, Mu: mu},
		})
		if err != nil {
			t.Fatal(err)
		}
		modeltest.Record(t, m.NewSeries(), modeltest.RandomSeries(rand.New(rand.NewPCG(27, 28)), 2000, d, 0), d)
		theta := make([]float64, 2*40*d)
		m.(*regression.Model).Learner.(*descent).l.WeightsTo(theta)
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
	draws, draw := 100, modeltest.GaussianMap(dim, 1, 20, coupling.Identity(dim))
	m, err := newVAR(VARConfig{Blocks: 2, Grow: 3, MostBlocks: 4, Batch: 2, Map: func(r random.Rand) (orff.Map, error) {
		if draws--; draws < 0 {
			return nil, errors.New("no draw")
		}
		return draw(r)
	}})
	if err != nil {
		t.Fatal(err)
	}
	d := m.(*regression.Model).Learner.(*descent)
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
	draws = 2 // of the three blocks
	c := snapshot.NewDecoder(young)
	if d.State(c); c.Finish() == nil {
		t.Error("a state with a block that cannot be drawn was restored")
	}
}

// A prediction has the current weights, also at the input of the prediction before: after a sample, and after a restored
// state.
func TestPredictionsFollowTheWeights(t *testing.T) {
	m, err := newVAR(VARConfig{Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := m.(*regression.Model).Learner.(*descent)
	x, e := []float64{.3, -.7}, []float64{1, -1}
	predict := func() []float64 {
		y := make([]float64, 2)
		d.PredictTo(y, x)
		return y
	}
	if d.Update(x, e); slices.Equal(predict(), []float64{0, 0}) {
		t.Error("the first sample has not changed the prediction")
	}
	first := predict()
	c := snapshot.NewEncoder(nil)
	d.State(c)
	if d.Update(x, e); slices.Equal(predict(), first) {
		t.Error("the second sample has not changed the prediction")
	}
	c = snapshot.NewDecoder(c.Bytes())
	if d.State(c); c.Finish() != nil || !slices.Equal(predict(), first) {
		t.Errorf("restored: prediction %v, want %v: %v", predict(), first, c.Finish())
	}
}

func TestKernelVARRefusesWithTheReason(t *testing.T) {
	huber, err := losses.NewHuber(2)
	if err != nil {
		t.Fatal(err)
	}
	zero, err := coupling.FromFactor(2, 1, []float64{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	identity := modeltest.GaussianMap(2, 1, 5, coupling.Identity(2))
	for _, c := range []struct {
		what string
		cfg  VARConfig
	}{
		{"Map", VARConfig{Dim: 2, Order: 1, Horizon: 1}},
		{"Order 1", VARConfig{Dim: 2, Order: 2, Horizon: 1, Map: modeltest.CurlMap(2, 5)}},
		{"NewtonSteps", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Gamma: LearntGamma{From: Correlations}}},
		{"decomposable", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: modeltest.CurlMap(2, 5), Step: PlainSteps, Gamma: LearntGamma{From: Correlations}}},
		{"Preconditioner", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Proximal: penalties.GroupLasso{Columns: penalties.Columns{Inner: 2, D: 5}}}},
		{"Inputs", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Inputs: 7}},
		{"Step", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Step: 9}},
		{"Forgetting", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Forgetting: 1}},
		{"Bandwidth", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Bandwidth: -1}},
		{"Redraw", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Redraw: 1}},
		{"Redraw", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Redraw: -1, Blocks: 2}},
		{"Grow", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Grow: -1}},
		{"MostBlocks", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Grow: 1, MostBlocks: 1}},
		{"Warm", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Grow: 1, MostBlocks: 2, Warm: 1}},
		{"Manifold", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Manifold: .1}},
		{"Manifold", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Manifold: -1, Step: PlainSteps}},
		{"Blocks", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Blocks: -1}},
		{"Shrink", VARConfig{Dim: 2, Order: 1, Horizon: 1, Step: PlainSteps, Map: identity, Gamma: LearntGamma{From: Correlations, Shrink: 2}}},
		{"Dim", VARConfig{Dim: 1025, Order: 1, Horizon: 1, Map: identity}},
		{"Horizon", VARConfig{Dim: 2, Order: 1, Horizon: 10001, Map: identity}},
		{"Order", VARConfig{Dim: 2, Horizon: 1, Map: identity}},
		{"Order", VARConfig{Dim: 2, Order: 10001, Horizon: 1, Map: identity}},
		{"Map", VARConfig{Dim: 3, Order: 1, Horizon: 1, Map: identity}},
		{"Map", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: func(random.Rand) (orff.Map, error) { return nil, errors.New("of a map") }}},
		{"Blocks", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Blocks: 100001}},
		{"Grow", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Grow: 1, MostBlocks: 2, DrawAtUse: true}},
		{"Grow", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Blocks: 2, Grow: 1, MostBlocks: 3, Redraw: 1}},
		{"MostBlocks", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Grow: 9, MostBlocks: 100001}},
		{"Warm", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Warm: 100001}},
		{"Solver", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Warm: 9, Solver: 9}},
		{"Solver", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Blocks: 2, Warm: 9, Solver: RidgeSolver}},
		{"Solver", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: modeltest.CurlMap(2, 5), Warm: 9, Solver: RidgeSolver}},
		{"Solver", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Step: PlainSteps, Warm: 9, Solver: CGSolver, Loss: huber}},
		{"Forgetting", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Forgetting: -.5}},
		{"Gamma", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Step: PlainSteps, Gamma: LearntGamma{From: 9}}},
		{"Gamma", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: modeltest.GaussianMap(2, 1, 5, modeltest.Coupled(2)), Step: PlainSteps, Gamma: LearntGamma{From: Correlations}}},
		{"Decay", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Step: PlainSteps, Gamma: LearntGamma{From: Correlations, Decay: 2}}},
		{"Shrink", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: identity, Step: PlainSteps, Gamma: LearntGamma{From: Correlations, Shrink: -1}}},
		{"Gamma", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: modeltest.GaussianMap(2, 1, 5, zero), Step: PlainSteps}},
		{"curvature", VARConfig{Dim: 2, Order: 1, Horizon: 1, Map: modeltest.GaussianMap(2, 1, 2001, coupling.Identity(2))}},
	} {
		_, err := NewVAR(c.cfg)
		if err == nil {
			t.Errorf("%s: %+v was accepted", c.what, c.cfg)
		}
		fmt.Fprintf(&text, "%s: %v\n", c.what, err)
	}
	recorded.Check(t, "testdata/refused_vars.txt", text.String())
}

// A vector field that is a gradient: the rows of increments follow the slope of
// a potential, which a curl-free kernel knows and others have to learn.
func ExampleNewVAR() {
	const d = 2
	m, err := NewVAR(VARConfig{
		Dim: d, Order: 1, Horizon: 1, Seed: 1,
		Map: func(r random.Rand) (orff.Map, error) {
			return vectorfield.NewCurlFree(1, d, 100, vectorfield.Bounded, r)
		},
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
