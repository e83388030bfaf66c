package engine

import (
	"fmt"
	"math"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/footprint"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
)

// LighterModel is a model that a series gets instead of NewModel's when memory is short.
type LighterModel struct {
	Name string // in the event of a new series
	New  func(dim int) (eval.Model, error)
}

// budget is the memory that the series of an engine may take together. What one costs is known
// before it is made.
type budget struct {
	limit int64 // bytes; 0 = none
	used  int64 // by the series there are
	costs map[choice]cost
}

// choice is a model for a number of variables: 0 is NewModel's, i the i-th of Lighter.
type choice struct{ tier, dim int }

// reach is the share of the budget up to which series of a tier may fill it, so that the first
// series leave memory for lighter ones: half for the best of several models, four fifths for the
// models between, the whole budget for the lightest.
func reach(tier, tiers int) float64 {
	switch tier {
	case tiers - 1:
		return 1
	case 0:
		return .5
	}
	return .8
}

// afford chooses the model of a new series of dim variables that takes the place of one which
// costs so much, 0 for none: the first one that fits, or where series grow the lightest.
func (e *Engine) afford(dim int, replaced int64) (tier int, refusal *stream.DataError) {
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
	return 0, stream.Refuse(stream.Memory, "one more series of %d variables takes %d KiB with the lightest model, %d of %d MiB are in use",
		dim, bytes>>10, (e.budget.used-replaced)>>20, e.budget.limit>>20)
}

// firstTier is the best model that a series can begin with.
func (e *Engine) firstTier() int {
	if e.grows() {
		return len(e.c.Lighter)
	}
	return 0
}

// better chooses the model that s grows into.
func (e *Engine) better(s *series) (tier int, bytes int64, fits bool) {
	return e.firstThatFits(0, s.tier, len(s.info.Variables), s.cost)
}

// firstThatFits returns the first of the models from, …, to-1 that the budget has room for in
// the place of the replaced bytes, with the bytes that it takes.
func (e *Engine) firstThatFits(from, to, dim int, replaced int64) (tier int, bytes int64, fits bool) {
	if e.budget.limit == 0 {
		return from, 0, true // shards that learn at the same time come here
	}
	for tier := from; tier < to; tier++ {
		c, err := e.costOf(choice{tier, dim})
		if err != nil {
			return tier, 0, true // making the series reports it
		}
		bytes = c.bytes()
		if float64(e.budget.used-replaced+bytes) <= reach(tier, 1+len(e.c.Lighter))*float64(e.budget.limit) {
			return tier, bytes, true
		}
	}
	return 0, bytes, false
}

// affordSeries is Assembler.Afford.
func (e *Engine) affordSeries(place, dim int) *stream.DataError {
	var replaced int64
	if place >= 0 && place < len(e.series) {
		replaced = e.series[place].cost
	}
	var refusal *stream.DataError
	e.tier, refusal = e.afford(dim, replaced)
	return refusal
}

// The cost of a series is known before it is made: one with made-up samples is measured.
const (
	measuredDim     = 64 // largest number of variables; beyond, the cost is extrapolated: no part grows faster than the square
	measuredSamples = 64 // a series that is older is measured itself

	tableBytes = 2 << 10 // what the Assembler and the tables of an engine hold per series
)

// cost is what a series takes, in bytes.
type cost struct {
	held   int64 // by its models and scores
	models int64 // by its models, encoded
}

// bytes is what the budget counts.
func (c cost) bytes() int64 { return c.held + tableBytes }

// costOf returns what a series costs.
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

// parabola returns at dim the parabola through values at a quarter, a half and the whole of
// measuredDim, by Newton's form.
func parabola(quarter, half, whole int64, dim int) int64 {
	const d = measuredDim
	first, second := float64(half-quarter)/(d/4), float64(whole-half)/(d/2)
	curvature := max((second-first)/(d-d/4), 0)
	x := float64(dim)
	return whole + int64(second*(x-d)+curvature*(x-d)*(x-d/2))
}

// measureCost makes a series, measures it and drops it. What it has in common with another one
// does not count.
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

// remeasure updates the cost of s, whose memory grows with its samples, at every doubling of
// their number: by its encoded state, which is the same in every run.
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

// remeasured reports whether a series is measured again at this number of samples.
func remeasured(samples int64) bool {
	return samples > measuredSamples && samples&(samples-1) == 0
}

// setCost changes what s takes of the budget.
func (e *Engine) setCost(s *series, bytes int64) {
	e.budget.used += bytes - s.cost
	s.cost = bytes
}

// costState transfers the cost of s. A state that was saved without a limit has none.
func (e *Engine) costState(c *snapshot.Codec, s *series) {
	bytes := s.cost
	if c.Int64(&bytes); c.Decoding() && bytes > 0 && e.budget.limit > 0 {
		e.setCost(s, bytes)
	}
}

// tierName returns the words about the model of a series in its first event.
func (e *Engine) tierName(tier int) string {
	if tier == 0 || e.grows() {
		return ""
	}
	return fmt.Sprintf(", model %s to save memory", e.c.Lighter[tier-1].Name)
}
