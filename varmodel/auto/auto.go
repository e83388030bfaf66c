// Package auto has the default model, an online mixture of experts around ORFFVAR, and ORFFVAR itself. New returns the
// default model, NewORFFVAR returns ORFFVAR. Both learn from each sample as it arrives, and forecast 1 … H steps ahead.
//
// A series passes each sample through stages, see stages: the gate holds odd samples back, the panel of experts makes
// one-step forecasts, and multihorizon makes forecasts of more than one step.
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
	Seed      uint64   // seed for the random frequencies
	Experts   []string // names of the experts beside persistence, see ExpertNames; empty: all experts of the Tier
	Shared    bool     // true: all series of the model share the weights
	Season    int      // samples per season; 0: the model finds seasons in the data
	Exogenous int      // K, exogenous inputs; see eval.InputTaker

	Tier    Tier         // trade of accuracy for time and memory; "": TierFull
	Without []Ingredient // ingredients to leave out, for measuring their effect; see Ingredients

	Workspace *Workspace // memory shared with other models; nil: a workspace of its own
}

// Ingredient is a part of the default model that can be left out.
type Ingredient string

// Ingredients lists the parts of the default model that Config.Without accepts:
//
//   - refit: refits of the experts at 50, 100, 400 and 3200 samples
//   - long: forecasts of the source (ar96 in TierFull) as inputs of the other experts
//   - stack: linear correction of the aggregate of the experts
//   - hold: factors by the time since the last change, for variables that repeat values
//   - seasons: cycles of the clock and cycles found by the search, and forecasts of the remainder
//   - season-step: mean of the remainder plus season, as an expert for one step
//   - early: shrinkage of the one-step forecasts of young series
//   - exact: least squares for coordinates with little noise
//   - cross: long lags of other coordinates, as inputs of the least squares
//   - own: regression of each coordinate on its own past, for more than one step
//   - iterate: the mixture iterated on its own forecasts, for more than one step
//   - rounds: length of a round by the variance ratio; without it: the horizon
//   - trend: the trend as the start of forecasts of more than one step
//   - calendar: corrections by products of the phases of the cycles with the level
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

// ExpertNames lists the experts of TierFull beside persistence. Config.Experts also accepts arN (N own lags
// of each coordinate, linear), varN (N lags of all coordinates, linear) and orffN (N lags of all coordinates,
// random features), for 1 <= N <= 999.
func ExpertNames() []string { return TierFull.experts() }

// New returns the default model: an online mixture of experts around ORFFVAR. Only Dim and Horizon are
// required. Its series implement eval.Mixture. New returns an error if a field of cfg is out of range, or
// names an unknown tier, expert or ingredient.
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

// auto is the default model. It owns the weights of the experts; an autoSeries owns the rest.
type auto struct {
	cfg     Config
	tier    tierSpec
	work    *Workspace
	experts []*expert
	names   []string        // names of the experts in the mixture: persistence, then experts, then "season" if repeats
	repeats bool            // true: the season is an expert, see autoSeries.forecastSeason
	depth   int             // largest number of lags of an expert, at least directOrder
	order   int             // lags in frame.lags: largest order of an expert without localTarget, at least 1
	memory  int             // largest number of samples that a refit learns
	targets []target        // distinct targets of the experts
	source  *expert         // expert whose forecasts are inputs of the others; nil without one
	long    bool            // some expert or direct learner uses the source's forecasts
	direct  *directLearners // nil for a horizon of one
}

// has reports whether the model contains ingredient i.
func (m *auto) has(i Ingredient) bool {
	return !slices.Contains(m.cfg.Without, i) && !slices.Contains(m.tier.without, i)
}

// recent returns the number of increments in the frame of a series.
func (m *auto) recent() int { return yuleWalkerDepth(m.depth) }

// refits reports whether the experts are refitted. Shared weights are not refitted, because one series holds
// only a part of the samples that they learnt.
func (m *auto) refits() bool { return !m.cfg.Shared && m.has(partRefit) }

// seasonal reports whether series have seasons. Seasons exclude shared weights, because the source learns the
// remainder of one series again.
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
