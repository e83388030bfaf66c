package auto

import (
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

const restartLeast = 100 // smallest number of samples that a restart learns

// Adapt implements eval.Adapter. Forget discounts shared weights for all series. Restart has no effect on
// shared weights, because they are not refitted.
func (s *autoSeries) Adapt(a drift.Adaptation, since int) {
	switch a {
	case drift.Forget:
		for _, e := range s.m.experts {
			e.discount(regression.DriftDiscount)
		}
		if s.m.direct != nil {
			for _, l := range s.m.direct.learners {
				l.Discount(regression.DriftDiscount)
			}
			s.multihorizon.lags.discount(regression.DriftDiscount)
		}
		if s.calendar != nil {
			s.calendar.discount(regression.DriftDiscount)
		}
	case drift.ResetScaler:
		s.scaler.ResetWeights()
	case drift.Restart:
		if s.refit != nil && s.past.Count > 2 {
			s.refit.start(s, min(max(since, restartLeast), s.past.Count-1, s.m.memory))
			for _, e := range s.m.experts {
				if e.own > 0 { // no refit replaces these experts
					e.discount(regression.DriftDiscount)
				}
			}
		}
	}
}
