package varmodel

import "github.com/orffvar/forecaster/eval"

const (
	driftKeep   = .3  // weight that what was learnt before keeps when it is to be forgotten
	scalerKeep  = 100 // samples that the statistics of before count as
	fewestAgain = 100 // samples that a restart learns from, at least
)

// Adapt implements eval.Adapter. What series share, all of them forget; they
// cannot start it again.
func (s *autoSeries) Adapt(a eval.Adaptation, since int) {
	switch a {
	case eval.AdaptForget:
		for _, e := range s.m.experts {
			e.discount(driftKeep)
		}
		if s.m.directs != nil {
			for _, l := range s.m.directs.learn {
				l.Discount(driftKeep)
			}
		}
	case eval.AdaptScaler:
		s.scaler.forget()
	case eval.AdaptRestart:
		if s.rebuild != nil && s.past.count > 2 {
			s.rebuild.again(s, min(max(since, fewestAgain), s.past.count-1, s.m.memory))
			for _, e := range s.m.experts {
				if e.own > 0 { // these are not started again
					e.discount(driftKeep)
				}
			}
		}
	}
}

// Adapt implements eval.Adapter; a restart is all that is forgotten.
func (s *regressionSeries) Adapt(a eval.Adaptation, _ int) {
	l, ok := s.m.learner.(resettable)
	s.m.uses++
	switch {
	case a == eval.AdaptScaler:
		s.scaler.forget()
	case ok && a == eval.AdaptForget:
		l.Discount(driftKeep)
	case ok && a == eval.AdaptRestart:
		l.Reset()
	}
}

// forget makes the samples to come count as much as they would early on.
func (s *scaler) forget() {
	for j := range s.weight {
		s.weight[j] = min(s.weight[j], scalerKeep)
		s.diffWeight[j] = min(s.diffWeight[j], scalerKeep)
	}
}

// Discount makes all coordinates forget.
func (l perCoordinate) Discount(keep float64) {
	for _, r := range l {
		r.Discount(keep)
	}
}
