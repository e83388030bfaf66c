package varmodel

import "github.com/orffvar/forecaster/eval"

const (
	driftDiscount     = .3  // factor of the weight of earlier samples when a model forgets
	scalerResetWeight = 100 // number of samples that the earlier statistics count as after a reset
	restartLeast      = 100 // smallest number of samples that a restart learns
)

// Adapt implements eval.Adapter. Weights that several series share are discounted for
// all of them; shared weights cannot restart.
func (s *autoSeries) Adapt(a eval.Adaptation, since int) {
	switch a {
	case eval.AdaptForget:
		for _, e := range s.m.experts {
			e.discount(driftDiscount)
		}
		if s.m.direct != nil {
			for _, l := range s.m.direct.learners {
				l.Discount(driftDiscount)
			}
			s.multihorizon.lags.discount(driftDiscount)
		}
	case eval.AdaptScaler:
		s.scaler.resetWeights()
	case eval.AdaptRestart:
		if s.refit != nil && s.past.count > 2 {
			s.refit.start(s, min(max(since, restartLeast), s.past.count-1, s.m.memory))
			for _, e := range s.m.experts {
				if e.own > 0 { // no refit replaces these experts
					e.discount(driftDiscount)
				}
			}
		}
	}
}
