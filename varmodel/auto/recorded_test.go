package auto

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// What each model says of a hostile series, with its influences, is that of a run which is saved and restored before every
// sample, and that of testdata/models.txt, which UPDATE_GATES=1 writes. A change on purpose comes with that of the gates.
func TestModelsAsRecorded(t *testing.T) {
	const d, h = modeltest.HostileDim, 8
	builds := modeltest.Builds{}
	for name, c := range map[string]Config{
		"auto":             {},
		"auto, season":     {Season: 6, Seed: 1},
		"auto, light":      {Tier: TierLight},
		"auto, tiny":       {Tier: TierTiny},
		"auto, shared":     {Shared: true},
		"auto, experts":    {Experts: []string{"ar3", "var2", "orff1"}},
		"auto, no seasons": {Without: []Ingredient{partSeasons, partStack, partIterate}},
	} {
		builds[name] = func() (eval.Model, error) {
			c := c
			c.Dim, c.Horizon = d, h
			m, err := New(c)
			if err != nil || c.Tier != "" || c.Experts != nil {
				return m, err
			}
			return interval.NewInfluence(m, d, 0)
		}
	}
	for name, c := range map[string]ORFFVARConfig{
		"orffvar":         {Order: 2, Frequencies: 20},
		"orffvar, rls":    {Order: 1, Frequencies: 15, Optimiser: RLS},
		"orffvar, nlms":   {Order: 1, Frequencies: 20, Optimiser: NLMS},
		"orffvar, blocks": {Order: 3, Frequencies: 600, Optimiser: NLMS}, // too large for the first cache
	} {
		builds[name] = func() (eval.Model, error) {
			c := c
			c.Dim, c.Horizon, c.Seed = d, h, 1
			return NewORFFVAR(c)
		}
	}
	modeltest.CheckRecorded(t, "testdata/models.txt", h, 0, 480, builds)
}
