package engine

import (
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
)

// rescue gives s, whose forecasts are not finite or exploding, the state of a new model. Other
// series that share the model keep their lags.
//
// No earlier state is kept. Models bound their steps and restart parts that overflow, so no
// data are known that bring one here, and a copy would double the memory of a series.
func (e *Engine) rescue(dst *Results, s *series, time int64) error {
	fresh, err := s.shard.newModel(&e.c, s.shared.dim, s.tier)
	if err != nil {
		return err
	}
	// Copying into the model in use keeps the other series that share it.
	if err := errors.Join(copyState(s.shared.model, fresh.model), copyState(s.forecaster, fresh.model.NewSeries())); err != nil {
		return err
	}
	s.event(dst, time, stream.EventReset, "the forecasts of %s were not finite: a new model", e.c.Model)
	s.forecaster.resetLags()
	return nil
}

// copyState gives dst the state of src, which has the same type.
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
