package stream

import "github.com/orffvar/forecaster/eval"

// fillGap shows the models the samples that are missing between the last one of
// s and one at time t: as many as there are, but at most MaxGap; after more the
// lags are dropped. Without a fixed interval nothing is known to be missing.
func (e *Engine) fillGap(dst *Batch, s *series, t int64) error {
	step := e.fixedStep()
	if step == 0 || !s.started || s.samples == 0 {
		return nil
	}
	missing := step.between(s.time, t) - 1
	if missing <= 0 {
		return nil
	}
	filled := min(missing, int64(e.c.MaxGap))
	for i := range filled {
		e.drive(s, step.after(s.time, int(i)+1))
		if err := e.learn(s, e.missing); err != nil {
			return err
		}
	}
	s.forget()
	if missing == filled {
		s.event(dst, t, EventGap, "%d samples missing", missing)
		return nil
	}
	s.event(dst, t, EventGap, "%d samples missing, more than %d: only these are filled in", missing, e.c.MaxGap)
	// No forecast waits longer than the horizon.
	for range min(missing-filled, int64(e.c.Horizon)) {
		for _, m := range s.models {
			m.scorer.Observe(e.missing)
		}
	}
	for _, m := range s.models {
		resetLags(m.f)
	}
	return nil
}

func resetLags(f eval.Forecaster) {
	if r, ok := f.(eval.LagResetter); ok {
		r.ResetLags()
	}
}
