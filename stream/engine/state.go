package engine

import (
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// Saved marks the present state as saved. Encoded(false) then returns the changes since this call.
func (e *Engine) Saved() {
	e.assembler.Saved()
	for _, s := range e.series {
		s.changed = false
	}
	for _, s := range e.scorer.series {
		s.changed = false
	}
}

// Restore replaces the state by a whole state of Encoded, then applies the changes in order. After an error the
// Engine is unchanged. Horizon, Emit, Levels, Joint, Intervals, Baselines, Anomalies and MetricsWindow may differ
// from the saved Engine. The models are then restored, and scores, intervals and baselines that do not fit begin
// empty.
func (e *Engine) Restore(whole checkpoint.State, changes ...checkpoint.State) error {
	fresh, err := New(e.c)
	if err != nil {
		return err
	}
	for i, s := range append([]checkpoint.State{whole}, changes...) {
		if err := fresh.read(s, i == 0); err != nil {
			return fmt.Errorf("stream: a state does not read back: %w", err)
		}
	}
	fresh.Saved()
	*e = *fresh
	e.assembler.Afford = e.affordSeries
	return nil
}

// read decodes s: the whole state, or changes to the present one.
func (e *Engine) read(s checkpoint.State, all bool) error {
	src, err := s.Reader()
	if err != nil {
		return err
	}
	c := snapshot.NewReader(src, s.Size)
	e.stateOfAll(c, all)
	return errors.Join(c.Finish(), src.Close())
}

// Warm is Restore for another log. It sets Next to 0, so that every offset is new.
func (e *Engine) Warm(whole checkpoint.State, changes ...checkpoint.State) error {
	err := e.Restore(whole, changes...)
	if err == nil {
		e.next = 0
	}
	return err
}

func (e *Engine) stateOfAll(c *snapshot.Codec, all bool) {
	if len(e.queue) > 0 {
		panic("stream: the state is asked for while samples wait for Settle")
	}
	e.state(c, all)
	e.scorer.state(c, all)
}

// state transfers all series, or only the changed ones, each with its place in the order of appearance. Invariant:
// the whole state equals the changes to a new Engine.
func (e *Engine) state(c *snapshot.Codec, all bool) {
	c.Section("engine")
	c.Int64(&e.next)
	if c.Err() == nil && e.next < 0 {
		c.Fail("negative offset")
	}
	c.Int64(&e.latest)
	e.refused.state(c)
	c.Int64(&e.samples)
	c.Int64(&e.pooled)
	e.assembler.State(c, all)
	e.sharedState(c)
	snapshot.Some(c, e.series, all, e.c.MaxSeries, e.seriesState)
	if c.Decoding() && c.Err() == nil {
		e.checkSeries(c)
	}
}

// checkSeries fails unless Assembler and engine have the same series.
func (e *Engine) checkSeries(c *snapshot.Codec) {
	ok := len(e.series) == e.assembler.NumSeries()
	for i := 0; ok && i < len(e.series); i++ {
		ok = e.series[i].info == e.assembler.SeriesAt(i)
	}
	if !ok {
		c.Fail("a series without its model")
	}
}

// sharedState transfers the models for the scope Shared.
func (e *Engine) sharedState(c *snapshot.Codec) {
	n := len(e.shared)
	c.Len(&n, e.c.MaxDim)
	if n > 0 && e.c.Scope != Shared {
		c.Fail("shared models in the state of an engine without them")
	}
	for i := 0; i < n && c.Err() == nil; i++ {
		var dim int
		if !c.Decoding() {
			dim = e.shared[i].dim
		}
		c.Index(&dim, e.c.MaxDim+1)
		if c.Decoding() {
			if c.Err() == nil && dim == 0 {
				c.Fail("no variables")
			}
			if c.Err() != nil {
				return
			}
			if _, err := e.modelFor(e.shards[0], dim, 0); err != nil {
				c.Fail("%v", err)
				return
			}
			if len(e.shared) <= i || e.shared[i].dim != dim {
				c.Fail("two shared models of %d variables", dim)
				return
			}
		}
		e.shared[i].state(c)
	}
}

// seriesState transfers the model of the i-th series. The state of the Assembler has its name and variables.
func (e *Engine) seriesState(c *snapshot.Codec, i int) {
	c.Section("series")
	if !c.Decoding() {
		c.Index(&e.series[i].tier, 1+len(e.c.Lighter))
	} else if !e.restoreSeries(c, i) {
		return
	}
	s := e.series[i]
	if e.c.Scope == PerSeries {
		s.shared.state(c)
	}
	c.Block(func() { s.forecaster.State(c) })
	s.unseenState(c)
	e.growthState(c, s)
	e.costState(c, s)
}

// restoreSeries makes the i-th series with a new model, whose state is decoded next. It reports success; otherwise
// c has the error.
func (e *Engine) restoreSeries(c *snapshot.Codec, i int) bool {
	if c.Err() != nil {
		return false
	}
	if i > len(e.series) || i >= e.assembler.NumSeries() {
		c.Fail("a model in the place of a series that does not exist")
		return false
	}
	info := e.assembler.SeriesAt(i)
	shared := len(e.shared)
	tier := 0
	c.Index(&tier, 1+len(e.c.Lighter))
	if c.Err() != nil {
		return false
	}
	s, err := e.newSeries(info, i, tier)
	switch {
	case err != nil:
		c.Fail("%v", err)
		return false
	case len(e.shared) != shared:
		c.Fail("series %q has no shared model", info.Name)
		return false
	}
	e.budget.used += s.cost // costState corrects it
	if i < len(e.series) {
		e.budget.used -= e.series[i].cost
	}
	if i == len(e.series) {
		e.series, e.scorer.series = append(e.series, nil), append(e.scorer.series, nil)
	} else if e.series[i].info == info {
		s.scored = e.series[i].scored // the changes need not include the scores
	}
	e.series[i], e.scorer.series[i] = s, s.scored
	return true
}

func (m *sharedModel) state(c *snapshot.Codec) {
	c.Section("model")
	c.Block(func() { m.model.State(c) })
}
