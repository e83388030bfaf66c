package varmodel

// reset drops the samples: what comes next is the first of a new run. Their values
// stay, to fill what is missing in it.
func (h *history) reset() {
	h.count = 0
	clear(h.observed)
}

// ResetLags implements eval.LagResetter. Until the lags are filled again the
// forecast is that nothing changes, and nothing is learnt.
func (s *regressionSeries) ResetLags() {
	s.pending = false
	s.past.reset()
	s.scaler.Break()
}

// ResetLags implements eval.LagResetter: what waits for its target has lost it.
func (s *quantileSeries) ResetLags() {
	s.resetInner()
	s.lags.reset()
	clear(s.state)
}

// ResetLags implements eval.LagResetter: there is no score until the lags are
// filled again.
func (s *levelSetSeries) ResetLags() {
	s.resetInner()
	s.lags.reset()
	s.known = false
}
