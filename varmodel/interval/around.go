package interval

import (
	"fmt"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
)

// wrapper is embedded in every forecaster around another one, so that eval.As finds the inner forecaster.
type wrapper struct{ eval.Forecaster }

// Unwrap returns the inner forecaster; see eval.As.
func (w wrapper) Unwrap() eval.Forecaster { return w.Forecaster }

// resetInner drops the lags of the inner forecaster, if it has any.
func (w wrapper) resetInner() {
	if r, ok := eval.As[eval.LagResetter](w.Forecaster); ok {
		r.ResetLags()
	}
}

// accompanied is a forecaster with a companion.
type accompanied struct {
	wrapper
	companion eval.Companion
	forecast  []float64 // scratch, H x d
}

func accompany(f eval.Forecaster, c eval.Companion, horizon, dim int) accompanied {
	return accompanied{wrapper{f}, c, make([]float64, horizon*dim)}
}

// learn passes y to the forecaster and to its companion.
func (s *accompanied) learn(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	s.companion.Observe(y)
	return nil
}

// issue passes the current forecasts to the companion.
func (s *accompanied) issue() {
	if s.Forecaster.ForecastTo(s.forecast) {
		s.companion.Issue(s.forecast)
	} else {
		s.companion.ResetLags()
	}
}

// ResetLags implements eval.LagResetter.
func (s *accompanied) ResetLags() {
	s.resetInner()
	s.companion.ResetLags()
}

// shapeOf returns the name of an option of the state whose layout depends on the horizon and the levels.
func shapeOf(horizon int, levels []float64) string {
	return fmt.Sprintf("horizon=%d levels=%v", horizon, levels)
}

func (s *accompanied) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	s.companion.State(c)
}
