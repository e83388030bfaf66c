package eval

import "math"

// Cause returns the view that the last score is of.
func (s *AnomalyScorer) Cause() View { return s.leading }

// Shares returns the shares of the variables in the last score: they sum to 1, unless
// the score is 0. The slice is overwritten by the next call; nil while there is no score.
func (s *AnomalyScorer) Shares() []float64 {
	if math.IsNaN(s.score) {
		return nil
	}
	return s.share()
}

// share is Shares while the sample has no score yet.
func (s *AnomalyScorer) share() []float64 {
	sum := 0.
	least, _ := s.blame()
	for j, x := range s.squares[s.leading] {
		s.shares[j] = max(0, x-least)
		sum += s.shares[j]
	}
	if sum > 0 {
		for j := range s.shares {
			s.shares[j] /= sum
		}
	}
	return s.shares
}

// blame returns the squared statistic in the leading view above which a variable has a
// part in the score, and the largest one: what is usual beside the largest is no cause.
func (s *AnomalyScorer) blame() (least, most float64) {
	for _, x := range s.squares[s.leading] {
		most = max(most, x)
	}
	if len(s.vars) == 1 {
		return 0, most
	}
	return .25 * most, most
}

// VariablesTo writes the score of each variable into dst, of length dim: that of the
// sample for the variable with the largest share, and in proportion for the others; NaN
// while there is no score.
func (s *AnomalyScorer) VariablesTo(dst []float64) {
	if len(dst) != len(s.vars) {
		panic("eval: wrong number of variables")
	}
	if math.IsNaN(s.score) {
		fillNaN(dst)
		return
	}
	unit := 0.
	least, most := s.blame()
	if most > 0 {
		unit = s.score / (most - least)
	}
	for j, x := range s.squares[s.leading][:len(dst)] {
		dst[j] = max(0, x-least) * unit
	}
}
