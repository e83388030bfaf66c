package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/event"
)

// series is the models' part of a series. The Assembler and the scorer have their own parts.
type series struct {
	info       *stream.Series
	tier       int          // see choice
	cost       int64        // bytes counted in budget.used
	shared     *sharedModel // not shared with scope PerSeries
	forecaster forecaster
	scored     *scoredSeries // belongs to the scorer; here it is only passed on in step results
	shard      *shard

	unseen []bool  // true: the variable was never observed; nil: all were observed
	growth *growth // nil: the series does not grow, or has grown
	broken bool    // the lags were dropped after the last sample; used only by growth

	waiting     int   // number of samples that wait for Engine.Settle
	first, last int32 // indices in Engine.queue of the first and last waiting sample

	changed bool // a sample came after Engine.Saved
}

func (s *series) Changed() bool { return s.changed }

// see notes which variables the sample y observes.
func (s *series) see(y []float64) {
	for j := range s.unseen {
		s.unseen[j] = s.unseen[j] && y[j] != y[j]
	}
	if !slices.Contains(s.unseen, true) {
		s.unseen = nil
	}
}

// hide sets the numbers in v, rows of one number per variable, to NaN where the variable was never observed: the 0 of a
// model would be an invention.
func (s *series) hide(v []float64) {
	if s.unseen == nil {
		return
	}
	for i := range v {
		if s.unseen[i%len(s.unseen)] {
			v[i] = math.NaN()
		}
	}
}

func (s *series) unseenState(c *snapshot.Codec) {
	n := len(s.unseen)
	if c.Len(&n, len(s.info.Variables)); c.Decoding() {
		if s.unseen = nil; n > 0 {
			s.unseen = make([]bool, len(s.info.Variables))
		}
		if n != len(s.unseen) {
			c.Fail("%d of %d variables of series %q", n, len(s.unseen), s.info.Name)
			return
		}
	}
	for j := range s.unseen {
		c.Bool(&s.unseen[j])
	}
}

// sharedModel is a model of dim variables. With scope Shared several series share it, and each
// has its own forecaster.
type sharedModel struct {
	dim   int
	model eval.Model
}

// seriesOf returns the series of a sample. It makes the series, with a new model, for the first sample and for the
// first one with new variables.
func (e *Engine) seriesOf(dst *Results, in *assemble.Sample) (*series, error) {
	isNew := in.Place == len(e.series)
	if !isNew && e.series[in.Place].info == in.Series {
		return e.series[in.Place], nil
	}
	if !isNew { // results of the old variables must precede resultBegin
		if err := e.Settle(dst); err != nil {
			return nil, err
		}
	}
	s, err := e.newSeries(in.Series, in.Place, e.tier)
	if err != nil {
		return nil, err
	}
	begins, err := e.inherit(dst, s, in.Time)
	if err != nil {
		return nil, err
	}
	e.tier = e.firstTier()
	dst.arrive()
	dst.add(stepResult{kind: resultBegin, series: s.scored})
	e.budget.used += s.cost
	if isNew {
		e.series = append(e.series, s)
		s.event(dst, in.Time, event.Series, "new series of %s%s%s", plural.Count(len(in.Y), "variable"), e.tierName(s.tier), begins)
	} else {
		e.budget.used -= e.series[in.Place].cost
		e.kin.remove(e.series[in.Place].info, in.Place)
		e.series[in.Place] = s
		s.event(dst, in.Time, event.SchemaChange, "a new model of %s after %s of them%s%s", plural.Count(len(in.Y), "variable"), plural.Count(e.c.SchemaChangeAfter, "record"), e.tierName(s.tier), begins)
	}
	e.kin.add(s.info, in.Place)
	return s, nil
}

// newSeries makes the series at a place in the order of appearance.
func (e *Engine) newSeries(info *stream.Series, place, tier int) (*series, error) {
	h := e.shards[place%len(e.shards)]
	m, err := e.modelFor(h, len(info.Variables), tier)
	if err != nil {
		return nil, err
	}
	s := &series{info: info, tier: tier, shared: m, forecaster: newForecaster(m.model), shard: h, changed: true}
	s.unseen = slices.Repeat([]bool{true}, len(info.Variables))
	if e.grows() && tier == len(e.c.Lighter) {
		s.growth = new(growth)
	}
	if s.scored, err = newScoredSeries(&e.c, info, place); err != nil {
		return nil, err
	}
	if e.budget.limit > 0 {
		c, err := e.costOf(choice{tier, len(info.Variables)})
		s.cost = c.bytes()
		return s, err
	}
	return s, nil
}

// modelFor returns the model for a series of dim variables: with scope Shared an existing model if possible, else a
// new model of the shard.
func (e *Engine) modelFor(h *shard, dim, tier int) (*sharedModel, error) {
	if e.c.Scope == Shared {
		for _, m := range e.shared {
			if m.dim == dim {
				return m, nil
			}
		}
	}
	m, err := h.newModel(&e.c, dim, tier)
	if err == nil && e.c.Scope == Shared {
		e.shared = append(e.shared, m)
	}
	return m, err
}

func (h *shard) newModel(c *Config, dim, tier int) (*sharedModel, error) {
	construct := h.NewModel
	if tier > 0 {
		construct = h.Lighter[tier-1].New
	}
	m, err := construct(dim)
	if err != nil {
		return nil, fmt.Errorf("stream: model %s of %s: %w", c.Model, plural.Count(dim, "variable"), err)
	}
	return &sharedModel{dim: dim, model: m}, nil
}

// event appends an event of s to dst.
func (s *series) event(dst *Results, time int64, kind, format string, args ...any) {
	s.addEvent(dst, stream.Event{Series: s.info.Name, Tags: s.info.Tags, Time: time, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

func (s *series) addEvent(dst *Results, e stream.Event) {
	dst.add(stepResult{kind: resultEvent, series: s.scored, event: &e})
}
