package kernel

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/sgd/losses"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/units"
)

// The solvers that can solve a problem agree, to their tolerances, and slow steps
// that start from their solution are ahead of others.
func TestWarmStart(t *testing.T) {
	const d = 2
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(71, 72)), 900, d, 0)
	run := func(warm int, solver Solver, loss losses.Loss, blocks int) (float64, []float64) {
		m, err := newVAR(VARConfig{
			Step: PlainSteps, Warm: warm, Solver: solver, Loss: loss, Blocks: blocks, Bandwidth: .5,
			Map: modeltest.GaussianMap(d, 1, 20/max(blocks, 1), coupling.Identity(d)),
		})
		if err != nil {
			t.Fatal(err)
		}
		f := m.NewSeries()
		modeltest.Record(t, f, x[:units.Warmup+300], d)
		l := m.(*regression.Model).Learner.(*descent)
		theta := make([]float64, l.blocks.Dims().Params)
		l.l.WeightsTo(theta)
		return modeltest.MeanSquaredError(t, m, x, 500), theta
	}
	cold, _ := run(0, AutoSolver, nil, 1)
	ridge, want := run(200, RidgeSolver, nil, 1)
	if !(ridge <= .8*cold) {
		t.Errorf("error %.3f from a batch fit, %.3f from zero", ridge, cold)
	}
	huber, err := losses.NewHuber(1e6) // the squared loss, but not in type
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		solver Solver
		loss   losses.Loss
		tol    float64
	}{{AutoSolver, nil, 0}, {CGSolver, nil, 1e-3}, {LBFGSSolver, nil, 1e-2}, {AutoSolver, huber, 1e-2}} {
		_, got := run(200, c.solver, c.loss, 1)
		for i, v := range want {
			if !(math.Abs(got[i]-v) <= c.tol*(1+math.Abs(v))) {
				t.Errorf("solver %d, loss %T: weight %d is %g, want %g", c.solver, c.loss, i, got[i], v)
				break
			}
		}
	}
	if blocks, _ := run(200, AutoSolver, nil, 2); !(blocks <= .8*cold) {
		t.Errorf("error %.3f from a batch fit of 2 blocks, %.3f from zero", blocks, cold)
	}
	for want, c := range map[string]VARConfig{
		"one block":   {Warm: 9, Solver: RidgeSolver, Blocks: 2},
		"LBFGSSolver": {Warm: 9, Solver: CGSolver, Loss: huber},
		"unknown":     {Warm: 9, Solver: 9},
		"Warm":        {Warm: -1},
	} {
		if _, err := newVAR(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %q", err, want)
		}
	}
}
