package auto

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/footprint"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// Models that share a Workspace forecast, bit for bit, what models of their own do, in
// whatever order their samples come; and the second of them holds less.
func TestSharedWorkspaceChangesNothing(t *testing.T) {
	const rows, horizon = 700, 3
	for _, tier := range Tiers {
		var work Workspace
		var together, alone []eval.Forecaster
		var x [][][]float64
		for i, d := range []int{2, 3, 3, 9} {
			cfg := Config{Dim: d, Horizon: horizon, Tier: tier, Seed: uint64(1 + i/3)}
			alone = append(alone, newAuto(t, cfg).NewSeries())
			cfg.Workspace = &work
			together = append(together, newAuto(t, cfg).NewSeries())
			x = append(x, modeltest.RandomSeries(rand.New(rand.NewPCG(71, uint64(i))), rows, d, .02))
		}
		for i := range rows {
			for k, f := range together {
				d := len(x[k][i])
				a, b := make([]float64, horizon*d), make([]float64, horizon*d)
				if f.Observe(x[k][i]) != nil || alone[k].Observe(x[k][i]) != nil {
					t.Fatal("refused")
				}
				if f.ForecastTo(a) != alone[k].ForecastTo(b) || modeltest.Same([][]float64{a}, [][]float64{b}) != nil {
					t.Fatalf("%s, series %d, sample %d: %v, alone %v", tier, k, i, a, b)
				}
			}
		}
		if one, two := footprint.Of(together[1]), footprint.Of(together[1], together[2]); two-one >= one {
			t.Errorf("%s: two series hold %d bytes, one %d", tier, two, one)
		}
	}
}
