package engine

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
)

// insight adds the expert weights and the influences of the model of s to r, if it has them.
func (e *Engine) insight(dst *Results, s *series, r *stepResult) {
	f := s.forecaster.Forecaster
	d := len(s.info.Variables)
	in := stream.Insight{Series: s.info, Model: e.c.Model, Time: r.time}
	if m, ok := eval.As[eval.Mixture](f); ok {
		in.Experts = m.Experts()
		in.Weights = dst.room(d * len(in.Experts))
		m.WeightsTo(in.Weights)
	}
	if m, ok := eval.As[eval.Influencer](f); ok {
		if v := dst.room(d * d); m.InfluenceTo(v) {
			in.Influence = v
		}
	}
	if in.Weights != nil || in.Influence != nil {
		dst.insights = append(dst.insights, in)
		r.insight = int32(len(dst.insights))
	}
}
