package engine

import (
	"fmt"
	"math"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/footprint"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/refuse"
)

// LighterModel is a model for series whose NewModel does not fit into memory.
type LighterModel struct {
	Name string // name in the event of a new series
	New  func(dim int) (eval.Model, error)
}

// budget is the memory for all series of an engine.
type budget struct {
	limit int64 // bytes; 0 = none
	used  int64 // sum of series.cost
	costs map[choice]cost
}

// choice is a model for dim variables. Tier 0 is the model of NewModel, tier i is Lighter[i-1].
type choice struct{ tier, dim int }

// reach returns the share of the budget that new series of a tier may fill. A share below 1 leaves memory for later
// series with lighter models.
func reach(tier, tiers int) float64 {
	switch tier {
	case tiers - 1:
		return 1
	case 0:
		return .5
	}
	return .8
}

// afford returns the tier of a new series of dim variables: the lightest if series grow, else the first that fits
// into the budget. replaced is the cost of the series that it replaces, which counts as free.
func (e *Engine) afford(dim int, replaced int64) (tier int, refusal *refuse.Error) {
	first, tiers := e.firstTier(), 1+len(e.c.Lighter)
	if e.budget.limit == 0 {
		return first, nil
	}
	if e.c.Scope == Shared {
		tiers = 1
	}
	tier, bytes, fits := e.firstThatFits(first, tiers, dim, replaced)
	if fits {
		return tier, nil
	}
	return 0, refuse.New(refuse.Memory, "one more series of %s takes %d KiB with the lightest model, %d of %d KiB are in use",
		plural.Count(dim, "variable"), bytes>>10, (e.budget.used-replaced)>>10, e.budget.limit>>10)
}

// firstTier returns the best tier in which a series can begin.
func (e *Engine) firstTier() int {
	if e.grows() {
		return len(e.c.Lighter)
	}
	return 0
}

// better returns the tier into which s grows.
func (e *Engine) better(s *series) (tier int, bytes int64, fits bool) {
	return e.firstThatFits(0, s.tier, len(s.info.Variables), s.cost)
}

// firstThatFits returns the first tier in [from, to) for which
// used - replaced + bytes <= reach * limit, and its bytes.
func (e *Engine) firstThatFits(from, to, dim int, replaced int64) (tier int, bytes int64, fits bool) {
	if e.budget.limit == 0 {
		return from, 0, true // needs no costs, which several shards must not compute at once
	}
	for tier := from; tier < to; tier++ {
		c, err := e.costOf(choice{tier, dim})
		if err != nil {
			return tier, 0, true // the error comes again when the series is made
		}
		bytes = c.bytes()
		if float64(e.budget.used-replaced+bytes) <= reach(tier, 1+len(e.c.Lighter))*float64(e.budget.limit) {
			return tier, bytes, true
		}
	}
	return 0, bytes, false
}

// affordSeries implements Assembler.Afford.
func (e *Engine) affordSeries(place, dim int) *refuse.Error {
	var replaced int64
	if place >= 0 && place < len(e.series) {
		replaced = e.series[place].cost
	}
	var refusal *refuse.Error
	e.tier, refusal = e.afford(dim, replaced)
	return refusal
}

// The cost of a series must be known before the series exists. It is therefore measured on a series of synthetic
// samples.
const (
	measuredDim      = 64 // largest number of variables measured; beyond it the cost is extrapolated
	measuredSamples  = 8  // number of synthetic samples: models have made their buffers after so many
	remeasuredBeyond = 64 // number of samples beyond which the series itself is measured

	tableBytes = 2 << 10 // estimated size of the entries per series in the Assembler and in tables
)

// cost is the memory of a series in bytes.
type cost struct {
	held   int64 // memory of models and scores
	models int64 // size of the encoded models
}

// bytes returns the memory that the budget counts.
func (c cost) bytes() int64 { return c.held + tableBytes }

// costOf returns the cost of a new series.
func (e *Engine) costOf(c choice) (cost, error) {
	if known, ok := e.budget.costs[c]; ok {
		return known, nil
	}
	result, err := e.extrapolate(c)
	if err == nil {
		e.budget.costs[c] = result
	}
	return result, err
}

func (e *Engine) extrapolate(c choice) (cost, error) {
	if c.dim <= measuredDim {
		return e.measureCost(c)
	}
	var at [3]cost
	for i, dim := range []int{measuredDim / 4, measuredDim / 2, measuredDim} {
		var err error
		if at[i], err = e.costOf(choice{c.tier, dim}); err != nil {
			return cost{}, err
		}
	}
	return cost{
		held:   parabola(at[0].held, at[1].held, at[2].held, c.dim),
		models: parabola(at[0].models, at[1].models, at[2].models, c.dim),
	}, nil
}

// parabola evaluates at dim the parabola through the values at measuredDim / 4, measuredDim / 2
// and measuredDim, in Newton's form. No part of a model grows faster than dim².
func parabola(quarter, half, whole int64, dim int) int64 {
	const d = measuredDim
	first, second := float64(half-quarter)/(d/4), float64(whole-half)/(d/2)
	curvature := max((second-first)/(d-d/4), 0)
	x := float64(dim)
	return whole + int64(second*(x-d)+curvature*(x-d)*(x-d/2))
}

// measureCost makes a series, measures it and drops it. Memory shared by two series does not count.
func (e *Engine) measureCost(c choice) (cost, error) {
	info := &stream.Series{Name: "", Variables: assemble.Numbered(c.dim)}
	other, err := e.shards[0].newModel(&e.c, c.dim, c.tier)
	if err != nil {
		return cost{}, err
	}
	shared, err := e.shards[0].newModel(&e.c, c.dim, c.tier)
	if err != nil {
		return cost{}, err
	}
	f := newForecaster(shared.model)
	y := make([]float64, c.dim)
	for i := range measuredSamples {
		for j := range y {
			y[j] = math.Sin(float64(i*i + j))
		}
		if err := f.show(int64(i+1)*int64(time.Minute), y, nil); err != nil {
			return cost{}, err
		}
	}
	scored, err := newScoredSeries(&e.c, info, 0)
	if err != nil {
		return cost{}, err
	}
	beside := footprint.Of(other)
	result := cost{held: footprint.Of(other, f.Forecaster, scored) - beside}
	if e.c.Scope == PerSeries {
		result.held = footprint.Of(other, shared, f.Forecaster, scored) - beside
		result.models = int64(snapshot.Length(shared.model))
	}
	result.models += int64(snapshot.Length(f))
	return result, nil
}

// remeasure updates the cost of s whenever its number of samples doubles, because memory grows with the samples. It
// measures the encoded state, whose size is the same in every run.
func (e *Engine) remeasure(s *series, samples int64) error {
	if e.budget.limit == 0 || !remeasured(samples) || s.growth != nil {
		return nil
	}
	c, err := e.costOf(choice{s.tier, len(s.info.Variables)})
	if err != nil {
		return err
	}
	now := int64(snapshot.Length(s.forecaster))
	if e.c.Scope == PerSeries {
		now += int64(snapshot.Length(s.shared.model))
	}
	e.setCost(s, c.bytes()+max(now-c.models, 0))
	return nil
}

// remeasured reports whether a series is measured again after this number of samples.
func remeasured(samples int64) bool {
	return samples > remeasuredBeyond && samples&(samples-1) == 0
}

// setCost sets the cost of s and updates the total of the budget.
func (e *Engine) setCost(s *series, bytes int64) {
	e.budget.used += bytes - s.cost
	s.cost = bytes
}

// costState transfers the cost of s. It is 0 if the state was saved without a memory limit.
func (e *Engine) costState(c *snapshot.Codec, s *series) {
	bytes := s.cost
	if c.Int64(&bytes); c.Decoding() && bytes > 0 && e.budget.limit > 0 {
		e.setCost(s, bytes)
	}
}

// tierName returns the name of the tier for the event of a new series, "" if memory did not decide it.
func (e *Engine) tierName(tier int) string {
	if tier == 0 || e.grows() {
		return ""
	}
	return fmt.Sprintf(", model %s to save memory", e.c.Lighter[tier-1].Name)
}
