package scoring

import (
	"math"
)

// Running returns the score of a variable, or All, at the k-th horizon since the first sample.
func (s *Scorer) Running(variable, k int) Score { return summary(s.c, variable, k, s.running) }

// Windowed returns the score of a variable, or All, at the k-th horizon over the window.
func (s *Scorer) Windowed(variable, k int) Score {
	score := summary(s.c, variable, k, s.windowed)
	score.SCVSE = s.standardError(variable, k)
	return score
}

// standardError returns the standard error of SCVMSE over the window, NaN while the window is less than half full.
// It uses batch means, because neighbouring errors are dependent, and errors at horizon h over h steps. The panes
// are m clusters; pane p has n_p squared errors with the sum e_p. Panes that overlap by the horizon, up to the lag
// L = (h-1)/pane, get Bartlett weights. The result is corrected for small samples, as in [Losses.StandardError]:
//
//	d_p = e_p - n_p SCVMSE
//	SE^2 = (sum_p d_p^2 + 2 sum_{l<=L} (1 - l/(L+1)) sum_p d_p d_(p-l))
//	       / (sum_p n_p)^2 / harvey(m, L+1)^2
//
// The result is also NaN if the overlap is half of the panes, because too few panes are independent.
func (s *Scorer) standardError(variable, k int) float64 {
	s.mergePanes()
	all, allSE := s.window.squares(k, variable)
	devs := make([]float64, 0, paneCount) // oldest first
	for i := range s.panes {
		if n, se := s.panes[(s.cur+1+i)%len(s.panes)].squares(k, variable); n > 0 {
			devs = append(devs, se-n*allSE/all)
		}
	}
	overlap := (s.c.Horizons[k] - 1) / s.pane
	if m := len(devs); m < paneCount/2 || 2*overlap >= m {
		return math.NaN()
	}
	return math.Sqrt(bartlett(devs, overlap)) / all / harvey(len(devs), overlap+1)
}

// Pool returns the score over all variables of several series at the k-th horizon, over the window of each series.
// All Scorers must have the same horizons.
func Pool(scorers []*Scorer, k int) Score {
	var a average
	var all tally
	for _, s := range scorers {
		for j := range s.c.Dim {
			a.add(s.windowed(k, j))
		}
		all.merge(s.windowed(k, All))
	}
	return a.score(all, scorers[0].c.Level)
}

// Running returns the tally since the first sample.
func (s *Scorer) running(k, variable int) tally {
	t := s.total.at(k, variable)
	t.merge(s.panes[s.cur].at(k, variable))
	return t
}

// windowed returns the tally over the window.
func (s *Scorer) windowed(k, variable int) tally {
	s.mergePanes()
	return s.window.at(k, variable)
}

// mergePanes updates s.window for this step.
func (s *Scorer) mergePanes() {
	if s.windowAt == s.steps {
		return
	}
	s.windowAt = s.steps
	if s.window.each == nil {
		s.window = newSums(s.c, s.rows)
	}
	s.window.clear()
	for p := range s.panes { // oldest first
		s.window.merge(&s.panes[(s.cur+1+p)%len(s.panes)])
	}
}

// summary returns the score of a variable, or All, at the k-th horizon, from the tallies returned by at.
func summary(c ScorerConfig, variable, k int, at func(k, variable int) tally) Score {
	if k < 0 || k >= len(c.Horizons) || variable < All || variable >= c.Dim {
		panic("scoring: no such variable or horizon")
	}
	if variable != All {
		return at(k, variable).score(c.Level)
	}
	var a average
	for j := range c.Dim {
		a.add(at(k, j))
	}
	return a.score(at(k, All), c.Level)
}
