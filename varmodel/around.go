package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// around is a forecaster that adds something to another one and keeps what that
// one can do.
type around struct{ eval.Forecaster }

// BoundsTo implements eval.Bounder when the model does; else it returns false.
func (a around) BoundsTo(lower, upper []float64) bool {
	b, ok := a.Forecaster.(eval.Bounder)
	return ok && b.BoundsTo(lower, upper)
}

// ResetLags implements eval.LagResetter when the model does.
func (a around) ResetLags() {
	if r, ok := a.Forecaster.(eval.LagResetter); ok {
		r.ResetLags()
	}
}

// InfluenceTo implements eval.Influencer when the model does; else it returns
// false.
func (a around) InfluenceTo(dst []float64) bool {
	i, ok := a.Forecaster.(eval.Influencer)
	return ok && i.InfluenceTo(dst)
}

// Anomaly implements eval.Detector when the model does; else it returns false.
func (a around) Anomaly() (score float64, ok bool) {
	d, ok := a.Forecaster.(eval.Detector)
	if !ok {
		return 0, false
	}
	return d.Anomaly()
}

// Experts implements Weighted when the model does; else there are none.
func (a around) Experts() []string {
	if w, ok := a.Forecaster.(Weighted); ok {
		return w.Experts()
	}
	return nil
}

// WeightsTo implements Weighted when the model does.
func (a around) WeightsTo(dst []float64) {
	if w, ok := a.Forecaster.(Weighted); ok {
		w.WeightsTo(dst)
	}
}

// Adapt implements eval.Adapter when the model does.
func (a around) Adapt(what eval.Adaptation, since int) {
	if m, ok := a.Forecaster.(eval.Adapter); ok {
		m.Adapt(what, since)
	}
}

// Drift implements eval.DriftDetector when the model does; else there is none.
func (a around) Drift() (eval.Drift, bool) {
	if m, ok := a.Forecaster.(eval.DriftDetector); ok {
		return m.Drift()
	}
	return eval.Drift{}, false
}

// SetInputs implements eval.InputTaker when the model does.
func (a around) SetInputs(u []float64) {
	if m, ok := a.Forecaster.(eval.InputTaker); ok {
		m.SetInputs(u)
	}
}

// JointTo implements eval.JointBounder when the model does; else it returns false.
func (a around) JointTo(lower, upper []float64) bool {
	m, ok := a.Forecaster.(eval.JointBounder)
	return ok && m.JointTo(lower, upper)
}

// accompanied is a forecaster with a companion.
type accompanied struct {
	around
	companion eval.Companion
	forecast  []float64 // scratch, H x d
}

func accompany(f eval.Forecaster, c eval.Companion, horizon, dim int) accompanied {
	return accompanied{around{f}, c, make([]float64, horizon*dim)}
}

// learn shows y to both.
func (s *accompanied) learn(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	s.companion.Observe(y)
	return nil
}

// issue shows the companion what is forecast now.
func (s *accompanied) issue() {
	if s.Forecaster.ForecastTo(s.forecast) {
		s.companion.Issue(s.forecast)
	} else {
		s.companion.ResetLags()
	}
}

// ResetLags implements eval.LagResetter.
func (s *accompanied) ResetLags() {
	s.around.ResetLags()
	s.companion.ResetLags()
}

func (s *accompanied) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	s.companion.State(c)
}
