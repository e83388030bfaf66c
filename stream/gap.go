package stream

import (
	"math"

	"github.com/orffvar/forecaster/eval"
)

// fillGap shows the model the samples that are missing between the last one of
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
		if err := e.fill(dst, s, step.after(s.time, int(i)+1)); err != nil {
			return err
		}
	}
	if missing == filled {
		s.event(dst, t, EventGap, "%d samples missing", missing)
		return nil
	}
	s.event(dst, t, EventGap, "%d samples missing, more than %d: only these are filled in", missing, e.c.MaxGap)
	resetLags(s.model)
	left := int(min(missing-filled, math.MaxInt32))
	dst.take(turn{kind: turnBreak, of: s.judged, y: dst.vector(e.missing), missing: left}, 0)
	return nil
}

// fill shows the model a sample that is missing at time t.
func (e *Engine) fill(dst *Batch, s *series, t int64) error {
	f := turn{kind: turnFill, of: s.judged, y: dst.vector(e.missing), inputs: e.drive(dst, s, t)}
	if err := s.model.Observe(f.y); err != nil {
		return refused(s.info.Name, e.c.Model, err)
	}
	if yhat := dst.room(e.c.Horizon * len(f.y)); s.model.ForecastTo(yhat) && e.sane(yhat) {
		f.yhat = yhat
	}
	dst.take(f, 0)
	return nil
}

func resetLags(f eval.Forecaster) {
	if r, ok := eval.As[eval.LagResetter](f); ok {
		r.ResetLags()
	}
}
