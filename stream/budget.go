package stream

import (
	"fmt"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/footprint"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// LighterModel is a model that a series gets instead of NewModel's when memory is short.
type LighterModel struct {
	Name string // in the event of a new series
	New  func(dim int) (eval.Model, error)
}

// budget is the memory that the series of an engine may take together. What one costs is known
// before it is made.
type budget struct {
	limit int64            // bytes; 0 = none
	used  int64            // by the series there are
	costs map[choice]int64 // bytes of a series
}

// choice is a model for a number of variables: 0 is NewModel's, i the i-th of Lighter.
type choice struct{ tier, dim int }

// reach is the share of the budget up to which a tier may fill it, so that the first series
// leave something for lighter ones: half for the best of several models, four fifths for those
// between, all of it for the lightest.
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
// costs so much, 0 for none: the first one that fits.
func (e *Engine) afford(dim int, replaced int64) (tier int, refusal *DataError) {
	if e.budget.limit == 0 {
		return 0, nil
	}
	tiers := 1 + len(e.c.Lighter)
	if e.c.Scope == Shared {
		tiers = 1
	}
	var cost int64
	for tier := range tiers {
		var err error
		if cost, err = e.costOf(choice{tier, dim}); err != nil {
			return 0, nil //nolint:nilerr // making the series reports it
		}
		if float64(e.budget.used-replaced+cost) <= reach(tier, tiers)*float64(e.budget.limit) {
			return tier, nil
		}
	}
	return 0, refuse(Memory, "one more series of %d variables takes %d KiB with the lightest model, %d of %d MiB are in use; model.memory is the limit",
		dim, cost>>10, (e.budget.used-replaced)>>20, e.budget.limit>>20)
}

// affordSeries is Assembler.afford.
func (e *Engine) affordSeries(place, dim int) *DataError {
	var replaced int64
	if place >= 0 && place < len(e.series) {
		replaced = e.series[place].cost
	}
	var refusal *DataError
	e.tier, refusal = e.afford(dim, replaced)
	return refusal
}

// measuredDim is the largest number of variables for which a series is made to know its cost.
// Beyond it the cost is extrapolated: no part grows faster than the square.
const measuredDim = 64

// costOf returns the bytes that a series costs: what it holds, its rollback copy, and its part
// of a checkpoint that is being written.
func (e *Engine) costOf(c choice) (int64, error) {
	if cost, ok := e.budget.costs[c]; ok {
		return cost, nil
	}
	cost, err := e.extrapolate(c)
	if err == nil {
		e.budget.costs[c] = cost
	}
	return cost, err
}

func (e *Engine) extrapolate(c choice) (int64, error) {
	if c.dim <= measuredDim {
		return e.measureCost(c)
	}
	// Newton's form of the parabola through d/4, d/2 and d.
	const d = measuredDim
	var at [3]float64
	for i, dim := range []int{d / 4, d / 2, d} {
		cost, err := e.costOf(choice{c.tier, dim})
		if err != nil {
			return 0, err
		}
		at[i] = float64(cost)
	}
	first, second := (at[1]-at[0])/(d/4), (at[2]-at[1])/(d/2)
	curvature := max((second-first)/(d-d/4), 0)
	x := float64(c.dim)
	return int64(at[2] + second*(x-d) + curvature*(x-d)*(x-d/2)), nil
}

// measureCost makes a series, measures it and drops it.
func (e *Engine) measureCost(c choice) (int64, error) {
	info := &Series{Name: "", Variables: numbered(c.dim)}
	shared, err := e.newModel(c.dim, c.tier)
	if err != nil {
		return 0, err
	}
	forecaster := shared.model.NewSeries()
	scored, err := newScoredSeries(&e.c, info, 0)
	if err != nil {
		return 0, err
	}
	encoder := snapshot.NewEncoder(nil)
	forecaster.State(encoder)
	scored.state(encoder)
	bytes := footprint.Of(forecaster, scored)
	if e.c.Scope == PerSeries {
		shared.model.State(encoder)
		bytes = footprint.Of(shared, forecaster, scored)
	}
	encoded := int64(len(encoder.Bytes()))
	return max(bytes, encoded) + 2*encoded, nil
}

// tierName returns the words about the model of a series in its first event.
func (e *Engine) tierName(tier int) string {
	if tier == 0 {
		return ""
	}
	return fmt.Sprintf(", model %s to save memory", e.c.Lighter[tier-1].Name)
}
