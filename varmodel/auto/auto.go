package auto

import (
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/check"
)

// Config describes the default model.
type Config struct {
	Dim       int      // d, coordinates of a sample
	Horizon   int      // H, forecasts 1 … H steps ahead
	Seed      uint64   // seed of the random frequencies
	Experts   []string // names of the experts beside persistence, see ExpertNames; empty means all of ExpertNames
	Shared    bool     // several series share the weights
	Season    int      // samples per season; 0: seasons are found in the data
	Exogenous int      // K, exogenous inputs; see eval.InputTaker

	Tier    Tier         // cost of the model; "" means TierFull
	Without []Ingredient // parts left out, to measure their effect; see Ingredients

	Workspace *Workspace // shared with other models; nil: its own
}

// Ingredient is a part of the default model that can be left out.
type Ingredient string

// Ingredients lists the Ingredients, beside the experts:
//
//   - refit: refits of the experts at 50, 100, 400 and 3200 samples
//   - long: forecasts of ar96 as inputs of the other experts
//   - stack: linear correction of the aggregate
//   - hold: factors by the time since the last change, where values repeat
//   - seasons: cycles of the clock and of the search, and forecasts of the remainder
//   - season-step: the season around its mean as an expert of one step
//   - early: shrinkage of the one-step forecasts of young series
//   - exact: least squares where there is little noise
//   - cross: far lags of other coordinates
//   - own: regression of each coordinate on its own past, beyond one step
//   - iterate: the mixture iterated on its own forecasts, beyond one step
//   - rounds: rounds by the variance ratio, not by the horizon
//   - trend: forecasts beyond one step start from the trend
//   - calendar: corrections by waves of hour and weekday times level
var Ingredients = []Ingredient{
	partRefit, partLong, partStack, partHold, partSeasons, partSeasonStep, partEarly,
	partExact, partCross, partOwn, partIterate, partRounds, partTrend, partCalendar,
}

const (
	partRefit      Ingredient = "refit"
	partLong       Ingredient = "long"
	partStack      Ingredient = "stack"
	partHold       Ingredient = "hold"
	partSeasons    Ingredient = "seasons"
	partSeasonStep Ingredient = "season-step"
	partEarly      Ingredient = "early"
	partExact      Ingredient = "exact"
	partCross      Ingredient = "cross"
	partOwn        Ingredient = "own"
	partIterate    Ingredient = "iterate"
	partRounds     Ingredient = "rounds"
	partTrend      Ingredient = "trend"
	partCalendar   Ingredient = "calendar"
)

// ExpertNames lists the experts of the default model beside persistence. Config
// also accepts, for any number N of lags, arN (a coordinate's own lags), varN (lags
// of all coordinates, linear) and orffN (lags of all coordinates, random features).
func ExpertNames() []string { return TierFull.experts() }

// New returns the default model: an online mixture of experts around
// ORFFVAR, with no parameter to choose. See the package comment. Its
// forecasters are eval.Mixtures.
func New(cfg Config) (eval.Model, error) {
	if err := check.Shape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if cfg.Tier == "" {
		cfg.Tier = TierFull
	}
	tier, ok := tiers[cfg.Tier]
	if !ok {
		return nil, fmt.Errorf("varmodel: Tier must be one of %v, got %q", Tiers, cfg.Tier)
	}
	names := cfg.Experts
	if len(names) == 0 {
		names = cfg.Tier.experts()
	}
	if err := check.Range("Season", cfg.Season, 0, check.MaxPeriod); err != nil {
		return nil, err
	}
	for _, w := range cfg.Without {
		if !slices.Contains(Ingredients, w) {
			return nil, fmt.Errorf("varmodel: Without must be names of %v, got %q", Ingredients, w)
		}
	}
	if err := check.Exogenous(cfg.Exogenous); err != nil {
		return nil, err
	}
	specs, err := expertSpecs(names, tier.pool)
	if err != nil {
		return nil, err
	}
	return newMixtureModel(cfg, tier, specs)
}

// newMixtureModel returns the mixture of persistence and the experts of specs. cfg is valid.
func newMixtureModel(cfg Config, tier tierSpec, specs []expertSpec) (eval.Model, error) {
	work := cfg.Workspace
	if work == nil {
		work = &Workspace{alone: true}
	}
	m := &auto{cfg: cfg, tier: tier, work: work, memory: tier.memory, names: []string{"persistence"}}
	for _, spec := range specs {
		spec.long = spec.long && m.has(partLong)
		e, err := newExpert(spec, cfg.Dim, cfg.Exogenous, cfg.Seed, work)
		if err != nil {
			return nil, err
		}
		m.experts, m.names = append(m.experts, e), append(m.names, e.name)
		if e.source {
			m.source = e
		}
		m.long = m.long || e.long
		if !slices.Contains(m.targets, e.target) {
			m.targets = append(m.targets, e.target)
		}
		m.depth = max(m.depth, e.depth())
		if e.target != localTarget {
			m.order = max(m.order, e.order)
		}
		if e.yuleWalker != nil && cfg.Shared {
			e.yuleWalker.batch = 1 // the next sample may belong to another series
		}
	}
	if m.repeats = m.seasonal() && m.has(partSeasonStep) && len(cfg.Experts) == 0; m.repeats {
		m.names = append(m.names, "season")
	}
	m.depth, m.order = max(m.depth, directOrder), max(m.order, 1)
	if cfg.Horizon > 1 {
		var err error
		if m.direct, err = newDirectLearners(cfg.Dim, cfg.Exogenous, anchors(cfg.Horizon), &work.newton); err != nil {
			return nil, err
		}
		m.long = true
	}
	return m, nil
}

// auto owns the weights of the experts.
type auto struct {
	cfg     Config
	tier    tierSpec
	work    *Workspace
	experts []*expert
	names   []string        // persistence, then the experts, then the season if repeats
	repeats bool            // the season is an expert, see autoSeries.forecastSeason
	depth   int             // largest number of lags that an expert uses
	order   int             // lags in frame.lags: the largest order of an expert without localTarget
	memory  int             // samples that a refit learns
	targets []target        // distinct targets of the experts
	source  *expert         // expert whose forecasts are inputs of the others; nil without one
	long    bool            // some expert or direct learner uses the source's forecasts
	direct  *directLearners // nil for a horizon of one
}

// has reports whether the model contains an ingredient.
func (m *auto) has(i Ingredient) bool {
	return !slices.Contains(m.cfg.Without, i) && !slices.Contains(m.tier.without, i)
}

// recent returns the number of increments that a series keeps.
func (m *auto) recent() int { return yuleWalkerDepth(m.depth) }

// refits reports whether the experts are refitted. Shared weights are not, because one series has
// only a part of their samples.
func (m *auto) refits() bool { return !m.cfg.Shared && m.has(partRefit) }

// seasonal reports whether series have seasons. They need a source of their own, which learns
// their remainder again.
func (m *auto) seasonal() bool { return m.refits() && m.has(partSeasons) }

func (m *auto) State(c *snapshot.Codec) {
	c.Section("auto")
	for _, e := range m.experts {
		e.State(c)
	}
	if m.direct != nil {
		c.Optional("direct", func() { m.direct.State(c) })
	}
}
