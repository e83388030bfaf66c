package stream

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// keepGoodCopy copies the state of the model of s, whose forecasts are sound,
// when a copy is due. The copies are part of the state: what a rollback returns
// to must not depend on when a process was started.
func (e *Engine) keepGoodCopy(s *series) {
	if e.c.GoodCopy == 0 {
		return
	}
	every := int64(e.c.GoodCopy)
	if s.samples%every == 0 {
		s.good = encode(s.good[:0], s.model)
	}
	if s.weights.samples%every == 0 {
		s.weights.good = encode(s.weights.good[:0], s.weights.model)
	}
}

// rescue repairs the model of s, whose forecasts are not finite or exploding: it returns to the good copy, at most once to each, or else to the
// state of a new model. In both cases its lags are not those of the next sample.
func (e *Engine) rescue(dst *Batch, s *series) error {
	if len(s.good) > 0 && len(s.weights.good) > 0 {
		if err := decode(s.weights.good, s.weights.model); err != nil {
			return err
		}
		if err := decode(s.good, s.model); err != nil {
			return err
		}
		s.event(dst, s.time, EventRollback, "the forecasts of %s were not finite: back to an earlier state", e.c.Model)
	} else {
		fresh, err := e.newWeights(s.weights.dim)
		if err != nil {
			return err
		}
		// Decoding into the model in use keeps the other series that share it.
		if err := decode(encode(nil, fresh.model), s.weights.model); err != nil {
			return err
		}
		if err := decode(encode(nil, fresh.model.NewSeries()), s.model); err != nil {
			return err
		}
		s.event(dst, s.time, EventReset, "the forecasts of %s were not finite: a new model", e.c.Model)
	}
	s.good, s.weights.good = s.good[:0], s.weights.good[:0]
	resetLags(s.model)
	return nil
}

func encode(dst []byte, v snapshot.Stateful) []byte {
	c := snapshot.NewEncoder(dst)
	v.State(c)
	return c.Bytes()
}

func decode(src []byte, v snapshot.Stateful) error {
	c := snapshot.NewDecoder(src)
	v.State(c)
	if err := c.Finish(); err != nil {
		return fmt.Errorf("stream: a state does not read back: %w", err)
	}
	return nil
}
