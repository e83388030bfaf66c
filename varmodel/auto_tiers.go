package varmodel

import "github.com/orffvar/forecaster/internal/snapshot"

// Tier says how much the default model may cost: the table of package bench and
// TestProtocolTiers give time, memory and accuracy of each.
type Tier string

// The tiers.
const (
	TierFull  Tier = "full"  // all experts
	TierLight Tier = "light" // the few that give most of the gain
	TierTiny  Tier = "tiny"  // those that need the least memory
)

// Tiers lists the tiers, the most accurate first.
var Tiers = []Tier{TierFull, TierLight, TierTiny}

// tierSpec is what a tier consists of.
type tierSpec struct {
	pool    []expertSpec // beside persistence
	memory  int          // samples that a rebuild learns from again
	without []Ingredient
}

var tiers = map[Tier]tierSpec{
	TierFull: {pool: pool, memory: 2000},
	TierLight: {memory: 500, without: []Ingredient{Stacking, LongInputs}, pool: []expertSpec{
		{name: "ar48", own: 48, source: true, ridge: 100, forgetting: 0.9998, every: 1024},
		{name: "orff3-local", target: local, order: 3, linear: 1, frequencies: 20, bandwidth: 1, ridge: 100, forgetting: 0.9995, every: 16},
	}},
	TierTiny: {memory: 200, without: []Ingredient{Stacking, LongInputs}, pool: []expertSpec{
		{name: "ar24", own: 24, source: true, ridge: 100, forgetting: 0.9995, every: 1024},
		{name: "orff2-local", target: local, order: 2, linear: 1, frequencies: 12, bandwidth: 1, ridge: 100, forgetting: 0.9995, every: 16},
	}},
}

func (t Tier) experts() []string {
	var names []string
	for _, e := range tiers[t].pool {
		names = append(names, e.name)
	}
	return names
}

// AutoMemory returns the memory of a series of its own of the default model, in
// bytes: its state, and what is computed with.
func AutoMemory(cfg AutoConfig) (int64, error) {
	m, err := NewAuto(cfg)
	if err != nil {
		return 0, err
	}
	c := snapshot.NewEncoder(nil)
	m.State(c)
	m.NewSeries().State(c)
	return int64(len(c.Bytes()))*5/4 + 24<<10, nil
}
