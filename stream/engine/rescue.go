package engine

import (
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream/event"
)

// rescue replaces the state of the model of s by the state of a new model, because the forecasts of s are not sane.
// Other series that share the model keep their lags.
//
// No earlier state is kept as a fallback, which would double the memory of a series. No data are known to lead
// here, because models bound their steps and restart parts that overflow.
func (e *Engine) rescue(dst *Results, s *series, time int64) error {
	fresh, err := s.shard.newModel(&e.c, s.shared.dim, s.tier)
	if err != nil {
		return err
	}
	// Copy in place, because other series refer to the shared model.
	if err := errors.Join(copyState(s.shared.model, fresh.model), copyState(s.forecaster, fresh.model.NewSeries())); err != nil {
		return err
	}
	s.event(dst, time, event.Reset, "the forecasts of %s were not finite: a new model", e.c.Model)
	s.forecaster.resetLags()
	return nil
}

// copyState sets the state of dst to the state of src, which has the same type.
func copyState(dst, src snapshot.Stateful) error {
	from := snapshot.NewEncoder(nil)
	from.Block(func() { src.State(from) })
	to := snapshot.NewDecoder(from.Bytes())
	to.Block(func() { dst.State(to) })
	if err := to.Finish(); err != nil {
		return fmt.Errorf("stream: a state does not read back: %w", err)
	}
	return nil
}
