package stream

import "github.com/orffvar/forecaster/eval"

// mixture is a Forecaster that mixes experts.
type mixture interface {
	eval.Forecaster

	// Experts returns their names; none when it mixes nothing after all.
	Experts() []string

	// WeightsTo writes their weights in the one-step forecast, dim x experts;
	// each row sums to 1.
	WeightsTo(dst []float64)
}

// insight appends what the model of s says about itself, if it does.
func (e *Engine) insight(dst *Batch, s *series) {
	f := s.model
	d := len(s.info.Variables)
	in := Insight{Series: s.info, Model: e.c.Model, Time: s.time}
	if m, ok := f.(mixture); ok && len(m.Experts()) > 0 {
		in.Experts = m.Experts()
		in.Weights = dst.room(d * len(in.Experts))
		m.WeightsTo(in.Weights)
	}
	if m, ok := f.(eval.Influencer); ok {
		if v := dst.room(d * d); m.InfluenceTo(v) {
			in.Influence = v
		}
	}
	if in.Weights != nil || in.Influence != nil {
		dst.Insights = append(dst.Insights, in)
	}
}
