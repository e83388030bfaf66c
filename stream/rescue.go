package stream

import (
	"errors"
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// keepCopies copies the state of the model of s, whose forecasts are sound, when a copy
// is due after so many samples of s. The copies are part of the state: what a rollback
// returns to must not depend on when a process was started.
func (e *Engine) keepCopies(s *series, samples int64) {
	every := int64(e.c.RollbackEvery)
	if every == 0 {
		return
	}
	if samples%every == 0 {
		s.rollback = encode(s.rollback, s.forecaster)
	}
	if s.shared.samples%every == 0 {
		s.shared.rollback = encode(s.shared.rollback, s.shared.model)
	}
}

// rescue repairs the model of s, whose forecasts are not finite or exploding: it returns
// to the rollback copy, at most once to each, or else to the state of a new model. In
// both cases its lags are not those of the next sample.
func (e *Engine) rescue(dst *Batch, s *series, time int64) error {
	m := s.shared
	fresh, err := s.shard.newModel(&e.c, m.dim, s.tier)
	if err != nil {
		return err
	}
	// Decoding into the model in use keeps the other series that share it.
	if err := errors.Join(decode(encode(nil, fresh.model), m.model), decode(encode(nil, fresh.model.NewSeries()), s.forecaster)); err != nil {
		return err
	}
	if len(s.rollback) > 0 && len(m.rollback) > 0 {
		// A copy of another horizon has not all parts: those stay new.
		if err := errors.Join(decode(m.rollback, m.model), decode(s.rollback, s.forecaster)); err != nil {
			return err
		}
		s.event(dst, time, EventRollback, "the forecasts of %s were not finite: back to an earlier state", e.c.Model)
	} else {
		s.event(dst, time, EventReset, "the forecasts of %s were not finite: a new model", e.c.Model)
	}
	s.rollback, m.rollback = s.rollback[:0], m.rollback[:0]
	resetLags(s.forecaster)
	return nil
}

// encode returns the state of a model or of a forecaster, in the memory of old if there is room.
// New memory is as long as the state: copies are a large part of what a series holds.
func encode(old []byte, v snapshot.Stateful) []byte {
	c := snapshot.NewEncoder(old[:0])
	c.Block(func() { v.State(c) })
	if b := c.Bytes(); cap(b) > cap(old) {
		return slices.Clone(b)
	}
	return c.Bytes()
}

func decode(src []byte, v snapshot.Stateful) error {
	c := snapshot.NewDecoder(src)
	c.Block(func() { v.State(c) })
	if err := c.Finish(); err != nil {
		return fmt.Errorf("stream: a state does not read back: %w", err)
	}
	return nil
}
