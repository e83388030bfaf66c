package study

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/ridge"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// fitSeries is a nonlinear autoregression of four variables that move in pairs.
func fitSeries(rows int) [][]float64 {
	rng := rand.New(rand.NewPCG(5, 6))
	x, all := make([]float64, 4), make([][]float64, rows)
	for t := range all {
		u, v := math.Sin(2*x[0]+x[2]), math.Cos(x[0]-2*x[2])
		for j := range x {
			x[j] = map[bool]float64{true: u, false: v}[j < 2] + .3*rng.NormFloat64()
		}
		all[t] = append([]float64(nil), x...)
	}
	return all
}

func fitConfig() config.Model {
	c := config.Default().Model
	c.Order, c.Frequencies = 1, 20
	return c
}

// Algorithm 4 with steps of its blocks that decay alone has the ridge solution as its fixed
// point: the distance falls with the iterations, to a thousandth of the error of no change
// for preconditioned steps.
func TestAlgorithm4ComesToTheClosedForm(t *testing.T) {
	rows := fitSeries(800)
	for _, step := range []string{"newton", "plain", "adagrad"} {
		for _, blocks := range []int{1, 4} {
			c := fitConfig()
			c.Optimiser.Step, c.Optimiser.Blocks, c.Kernel.Lambda = step, blocks, 1e-2
			all, err := FitFile(c, &Series{Rows: rows}, FitOptions{Iterations: 3000}, continues)
			if err != nil {
				t.Fatal(err)
			}
			fits := all.Results
			first, mid, last := fits[0], fits[len(fits)-3], fits[len(fits)-1]
			if want := map[bool]string{true: "closed form", false: "conjugate gradients"}[blocks == 1]; first.Method != want || first.Gap != 0 {
				t.Errorf("%s, %d blocks: the first line is %+v", step, blocks, first)
			}
			if last.Iterations != 3000 || mid.Iterations != 30 || !(last.Gap < mid.Gap) || !(last.Gap <= map[bool]report.Number{true: 1e-3, false: .05}[step == "newton"]) {
				t.Errorf("%s, %d blocks: a gap of %g after 30 iterations, %g after 3000", step, blocks, mid.Gap, last.Gap)
			}
			if !(first.Test <= .8) {
				t.Errorf("%s: nmse %g", step, first.Test)
			}
		}
	}
}

// Learning Gamma in turn with the weights lowers the objective at every round, and finds
// that the variables are two pairs.
func TestGammaIsLearntInTurnWithTheWeights(t *testing.T) {
	c := fitConfig()
	s, err := newFixedSet(fitSeries(200), c)
	if err != nil {
		t.Fatal(err)
	}
	scalar, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, s.in, 30, random.New(1))
	if err != nil {
		t.Fatal(err)
	}
	const lambda = 1e-2
	start := orff.NewDecomposable(scalar, coupling.Identity(s.out))
	x, y := s.part(0, s.train)
	objective := func(m *orff.Decomposable, theta []float64) (r float64) {
		h := s.forecasts(predictWith(m, theta), x)
		for i, v := range y {
			r += (h[i] - v) * (h[i] - v) / float64(2*s.train)
		}
		for _, v := range theta { // tr(H^T Gamma^-1 H) is ||Theta||^2
			r += lambda / 2 * v * v
		}
		return r
	}
	theta, err := ridge.Solve(start, x, y, lambda)
	if err != nil {
		t.Fatal(err)
	}
	last := objective(start, theta)
	for rounds := 1; rounds <= gammaRounds; rounds++ {
		m, theta, err := ridge.LearnOutput(start, x, y, lambda, rounds)
		if err != nil {
			t.Fatal(err)
		}
		// The floor of Gamma is a millionth of its mean.
		now := objective(m, theta)
		if !(now <= last*(1+1e-5)) {
			t.Errorf("round %d raises the objective from %g to %g", rounds, last, now)
		}
		if rounds == gammaRounds {
			g := m.Output().Gamma()
			if !(g[1] >= .7*g[0]) || !(g[11+3] >= .7*g[15]) || !(math.Abs(g[2]) <= .4*g[0]) {
				t.Errorf("Gamma %v, not two pairs", g)
			}
			if tr := g[0] + g[5] + g[10] + g[15]; !(math.Abs(tr-4) <= 1e-9) {
				t.Errorf("trace %g", tr)
			}
		}
		last = now
	}
}

// The test rows have no part in scales, bandwidth and lambda.
func TestFitDoesNotLookAhead(t *testing.T) {
	rows := fitSeries(200)
	c := fitConfig()
	c.Order = 2
	a, err := newFixedSet(rows, c)
	if err != nil {
		t.Fatal(err)
	}
	if a.in != 2*len(rows[0]) || len(a.x) != (a.train+a.test)*a.in {
		t.Fatalf("%d inputs of two rows with %d values, %d of all pairs", a.in, len(rows[0]), len(a.x))
	}
	for i := a.train + c.Order; i < len(rows); i++ {
		for j := range rows[i] {
			rows[i][j] *= 10
		}
	}
	b, err := newFixedSet(rows, c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.train * a.in {
		if a.x[i] != b.x[i] {
			t.Fatalf("input %d changes from %g to %g", i, a.x[i], b.x[i])
		}
	}
	if _, err := newFixedSet(rows[:30], c); err == nil {
		t.Error("30 rows were accepted")
	}
}

// A gradient of variables in several units gets a hint, a gradient in one unit none.
func TestFitHintsAtSeveralUnits(t *testing.T) {
	for _, test := range []struct {
		factor float64
		inputs string
		hint   bool
	}{{1, "auto", false}, {1000, "auto", true}, {1000, "standardised", false}} {
		rows, c := fitSeries(100), fitConfig()
		for _, row := range rows {
			row[2] *= test.factor
		}
		c.Kernel.Operator.Name, c.Kernel.Inputs = "curl_free", test.inputs
		f, err := FitFile(c, &Series{Rows: rows}, FitOptions{Iterations: 1}, continues)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(f.Table().Caption, "--set model.kernel.inputs=standardised") != test.hint {
			t.Errorf("scales %g:1, inputs %s: hint %q", test.factor, test.inputs, f.Hint)
		}
	}
}

func continues() error { return nil } // not interrupted
