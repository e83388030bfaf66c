package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// Every so many steps one block in turn is drawn again and begins at zero; the others stay as
// they are.
func TestBlocksAreDrawnAgainInTurn(t *testing.T) {
	const dim, blocks, redraw = 2, 3, 5
	d, err := newDescent(VARConfig{
		Dim: dim, Horizon: 1, Order: 1, Blocks: blocks, Batch: 1, Lambda: 1e-3, Forgetting: .99, Epsilon: 1e-4, Clip: 5,
		Redraw: redraw, Step: PlainSteps, Seed: 1, Map: modeltest.GaussianMap(dim, 1, 4, coupling.Identity(dim)),
	})
	if err != nil {
		t.Fatal(err)
	}
	probe := []float64{.3, -.7}
	features := func() (all [][]float64) {
		for i := range blocks {
			phi := make([]float64, d.blocks.Block(i).Dims().Features)
			d.blocks.Block(i).FeaturesTo(phi, probe)
			all = append(all, phi)
		}
		return all
	}
	weights := func() (all [][]float64) {
		d.l.WeightsTo(d.theta)
		n := len(d.theta) / blocks
		for i := range blocks {
			all = append(all, slices.Clone(d.theta[i*n:(i+1)*n]))
		}
		return all
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for step := 1; step <= 6*redraw; step++ {
		before := features()
		d.Update([]float64{rng.NormFloat64(), rng.NormFloat64()}, []float64{1 + rng.Float64(), -1 - rng.Float64()})
		if d.l.Steps() != step {
			t.Fatalf("%d steps after %d samples", d.l.Steps(), step)
		}
		after, theta := features(), weights()
		for i := range blocks {
			drawn := step%redraw == 0 && (step/redraw-1)%blocks == i
			if same := slices.Equal(before[i], after[i]); same == drawn {
				t.Fatalf("step %d, block %d: drawn again %v, want %v", step, i, !same, drawn)
			}
			if zero := !slices.ContainsFunc(theta[i], func(v float64) bool { return v != 0 }); drawn && !zero {
				t.Fatalf("step %d: block %d begins at %v", step, i, theta[i])
			}
		}
	}
}
