package auto

import "github.com/orffvar/forecaster/varmodel/internal/check"

// Tier names a trade of accuracy for time and memory of the default model. Package internal/tools/bench and
// TestProtocolTiers measure time, memory and accuracy of each tier.
type Tier string

// The tiers.
const (
	TierFull  Tier = "full"  // all experts
	TierLight Tier = "light" // the two experts with most of the gain
	TierTiny  Tier = "tiny"  // two experts that need the least memory
)

// TierYoung is the tier of a young series that changes to TierFull later. Before about 50 samples, outcomes cannot
// distinguish more experts, and random features have no bandwidth. Later, TierYoung is less accurate than TierFull
// and more accurate than the other tiers.
const TierYoung Tier = "young"

// Tiers lists the tiers that a configuration can name, by descending accuracy.
var Tiers = []Tier{TierFull, TierLight, TierTiny}

// tierSpec describes a tier.
type tierSpec struct {
	pool    []expertSpec // experts beside persistence
	memory  int          // largest number of samples that a refit learns
	season  int          // longest season of the clock, in samples
	without []Ingredient
}

var tiers = map[Tier]tierSpec{
	TierFull: {pool: pool, memory: 2000, season: check.MaxPeriod},
	TierLight: {memory: 500, season: 2016, without: []Ingredient{partStack, partLong, partCalendar}, pool: []expertSpec{
		{name: "ar48", own: 48, source: true, ridge: 100, forgetting: 0.9998, every: 1024},
		{name: "orff3-local", target: localTarget, order: 3, linear: 1, frequencies: 20, bandwidth: 1, ridge: 100, forgetting: 0.9995, every: 16},
	}},
	TierYoung: {memory: 200, season: 288, without: []Ingredient{partLong, partCalendar}, pool: []expertSpec{
		{name: "ar24", own: 24, source: true, ridge: 100, forgetting: 0.9995, every: 1024},
		{name: "ar6", own: 6, ridge: 10, forgetting: 0.998, every: 16},
		{name: "var1", order: 1, linear: 1, ridge: 1, forgetting: 1},
		{name: "var4", order: 4, linear: 10, ridge: 100, forgetting: 0.998},
		{name: "var2-local", target: localTarget, order: 2, linear: 1, ridge: 100, forgetting: 0.9995, every: 16},
	}},
	TierTiny: {memory: 200, season: 1440, without: []Ingredient{partStack, partLong, partCalendar}, pool: []expertSpec{
		{name: "ar24", own: 24, source: true, ridge: 100, forgetting: 0.9995, every: 1024},
		{name: "orff2-local", target: localTarget, order: 2, linear: 1, frequencies: 12, bandwidth: 1, ridge: 100, forgetting: 0.9995, every: 16},
	}},
}

// experts returns the names of a tier's experts.
func (t Tier) experts() []string {
	var names []string
	for _, e := range tiers[t].pool {
		names = append(names, e.name)
	}
	return names
}
