package kernel

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// Features that are drawn again at each use give the bits of features that are kept, with steps of every kind.
func TestDrawnAtUseIsTheSame(t *testing.T) {
	const dim = 2
	for _, step := range []Step{NewtonSteps, PlainSteps, AdaGradSteps} {
		var both [2]*descent
		for i := range both {
			m, err := newVAR(VARConfig{
				Blocks: 5, Batch: 2, Forgetting: .99, Clip: 5, Redraw: 7, DrawAtUse: i == 1, Step: step,
				Map: modeltest.GaussianMap(dim, 1, 4, coupling.Identity(dim)),
			})
			if err != nil {
				t.Fatal(err)
			}
			both[i] = m.(*regression.Model).Learner.(*descent)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		var y [2][dim]float64
		for n := range 200 {
			x, e := []float64{rng.NormFloat64(), rng.NormFloat64()}, []float64{rng.NormFloat64(), rng.NormFloat64()}
			for i, d := range both {
				d.Update(x, e)
				d.PredictTo(y[i][:], []float64{e[0], x[1]})
			}
			if y[0] != y[1] {
				t.Fatalf("%v, sample %d: kept %v, drawn at use %v", step, n, y[0], y[1])
			}
		}
	}
}

// 100,000 frequencies of 40 inputs are 32 MB. Drawn at use, those of one block of 100 are there alone:
// what remains are vectors of a number per weight, 400,000 of them, or per feature, 200,000.
func TestDrawnAtUseTakesTheMemoryOfTheWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("allocates 80 MB; run without -short")
	}
	const dim, order, draws, blocks = 2, 20, 100_000, 1000
	size := func(drawAtUse bool) float64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d, err := newDescent(VARConfig{
			Dim: dim, Horizon: 1, Order: order, Blocks: blocks, Batch: 1, Lambda: 1e-3, Clip: 5, Step: PlainSteps, Seed: 1,
			DrawAtUse: drawAtUse, Map: modeltest.GaussianMap(dim*order, 1, draws/blocks, coupling.Identity(dim)),
		})
		if err != nil {
			t.Fatal(err)
		}
		d.Update(make([]float64, dim*order), []float64{1, -1})
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(d)
		return float64(after.HeapAlloc) - float64(before.HeapAlloc)
	}
	kept, drawn := size(false), size(true)
	t.Logf("kept %.1f MB, drawn at use %.1f MB", kept/1e6, drawn/1e6)
	const frequencies, weights, features = 8 * draws * dim * order, 8 * 2 * draws * dim, 8 * 2 * draws
	if !(kept >= frequencies) || !(drawn <= 3*weights+3*features) || !(kept-drawn >= .9*frequencies) {
		t.Errorf("kept %.1f MB, drawn at use %.1f MB", kept/1e6, drawn/1e6)
	}
}
