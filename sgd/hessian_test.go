package sgd_test

import (
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/rates"
)

// C5.9: Hessian preconditioner: θ_i ← θ_i − γ H_i^−1 (g + λθ_i), H_i = 1/n Σ Φ_i Φ_iᵀ + λI; with
// full batches and γ = 1 each step minimises over its block.
func TestC5_9_HessianStepsMinimiseBlocks(t *testing.T) {
	for name, p := range map[string]sgd.Hessian{"factors": {Output: fixture.B}, "any map": {}} {
		cfg := fixture.Config()
		cfg.Batch, cfg.Rate, cfg.Preconditioner = 3, rates.Constant(1), p
		l := fixture.Must(sgd.NewDoublyStochastic(cfg))
		fixture.StepOn(l, fixture.X, fixture.Y, len(fixture.X)/2)
		fixture.StepOn(l, fixture.X, fixture.Y, len(fixture.X)/2)
		fixture.Near(t, name, fixture.Matrix(weights(l, 8)), []float64{
			0.46458430688753843, 0.1545396919508697, 0.2891030603733717, 0.3278205088053041,
			-0.38205304132172796, -0.22219505962258707, 0.6232057599046782, -0.9263704724503672,
		}, fixture.Golden)
		for range 398 {
			fixture.StepOn(l, fixture.X, fixture.Y, len(fixture.X)/2)
		}
		fixture.Near(t, name, fixture.Matrix(weights(l, 8)), fixture.Theta, 1e-14)
	}
}

// With one block and the full batch one Hessian step is the closed form.
func TestHessianStepOfOneBlockIsRidge(t *testing.T) {
	m := fixture.Map()
	for name, p := range map[string]sgd.Hessian{"factors": {Output: fixture.B}, "any map": {}} {
		l := fixture.Must(sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
			Blocks: []sgd.Map{m}, Batch: 3, Lambda: fixture.Lambda,
			Rate: rates.Constant(1), Decay: rates.DecayBlock, Preconditioner: p,
		}))
		fixture.StepOn(l, fixture.X, fixture.Y, len(fixture.X)/2)
		fixture.Near(t, name, weights(l, 8), fixture.Theta, fixture.Golden)
	}
}

// A rank-one output operator leaves directions of Theta that no gradient
// reaches, and an inner dimension above the rank: both forms of the Hessian
// must still agree.
func TestHessianWithSingularOutput(t *testing.T) {
	b := []float64{1, 2, .5, 1} // rank 1
	m := orff.NewDecomposable(orff.FourierOf(fixture.W, 2), fixture.Must(coupling.FromFactor(2, 2, b)))
	var w [][]float64
	for _, p := range []sgd.Hessian{{Output: b}, {}} {
		l := fixture.Must(sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
			Blocks: []sgd.Map{m}, Batch: 3, Lambda: fixture.Lambda,
			Rate: rates.Constant(.5), Decay: rates.DecayBlock, Preconditioner: p,
		}))
		for range 5 {
			fixture.StepOn(l, fixture.X, fixture.Y, len(fixture.X)/2)
		}
		w = append(w, weights(l, 8))
	}
	fixture.Near(t, "weights", w[0], w[1], 1e-13)
}

// One sample has a Hessian of rank two of eight, and lambda is below rounding: the diagonal is raised, and the step explains
// the sample.
func TestHessianOfOneSample(t *testing.T) {
	l := fixture.Must(sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
		Blocks: []sgd.Map{fixture.Map()}, Batch: 1, Lambda: 1e-300, Rate: rates.Constant(1), Decay: rates.DecayBlock, Preconditioner: sgd.Hessian{},
	}))
	x, y := fixture.X[:2], fixture.Y[:2]
	fixture.StepOn(l, x, y, 1)
	got := make([]float64, 2)
	l.PredictTo(got, x)
	fixture.Near(t, "prediction", got, y, 1e-6)
}

// A small mini-batch alone is a poor Hessian; its running average is a good one.
func TestDampedHessianLearnsFromSmallBatches(t *testing.T) {
	m := fixture.Maps(gaussianBlocks(4, 10, 1, true))
	l := fixture.Must(sgd.NewDoublyStochastic(sgd.DoublyStochasticConfig{
		Blocks: m, Batch: 8, Lambda: 1e-3, Decay: rates.DecayBlock,
		Rate:           rates.InverseScaling{Gamma0: .2, Gamma1: .01, Power: .5},
		Preconditioner: sgd.Hessian{Forgetting: .99, Output: fixture.B},
	}))
	mse := trainOnCurve(l, 16000)
	// The noise alone is .01 a coordinate; the variance of the targets .5 and 1.
	if !(mse <= .02) {
		t.Errorf("mean squared error %g, want <= .02", mse)
	}
}
