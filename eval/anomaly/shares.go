package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Cause returns the view with the largest score of the last sample.
func (s *Scorer) Cause() View { return s.leading }

// Shares returns the share of each variable in the last score. They sum to 1, unless the score is 0. Nil: no score
// yet. The next call overwrites the slice.
func (s *Scorer) Shares() []float64 {
	if math.IsNaN(s.score) {
		return nil
	}
	return s.share()
}

// share is Shares while the sample has no score yet.
func (s *Scorer) share() []float64 {
	sum, _ := s.blame()
	if sum > 0 {
		for j := range s.shares {
			s.shares[j] /= sum
		}
	}
	return s.shares
}

const (
	blameLeast = .25 // squared statistic, relative to the largest, up to which a variable has no share
	blameEqual = .5  // squared statistic, relative to the largest, above which variables are equally suspect of a broken correlation
)

// blame sets shares to the parts of the variables in the score, and returns their sum and the largest part. A
// squared statistic below blameLeast times the largest has no part. If two variables contradict each other, the one
// further from its level gets the blame.
func (s *Scorer) blame() (sum, largest float64) {
	squares, levels := s.squares[s.leading][:len(s.shares)], s.squares[Level][:len(s.shares)]
	most := largestOf(squares)
	least, far := blameLeast*most, 0.
	if s.c.Dim == 1 {
		least = 0
	}
	if s.leading == Correlation {
		for j, x := range squares {
			if x > blameEqual*most {
				far = max(far, levels[j])
			}
		}
	}
	for j, x := range squares {
		part := notNegative(x - least)
		if far > 0 && x > blameEqual*most {
			part *= levels[j] / far
		}
		s.shares[j] = part
		sum += part
	}
	return sum, largestOf(s.shares)
}

// largestOf returns the largest of the nonnegative numbers x. Their bits have the same order as integers, which
// needs no unpredictable branch.
func largestOf(x []float64) float64 {
	most := uint64(0)
	for _, v := range x {
		most = max(most, math.Float64bits(v))
	}
	return math.Float64frombits(most)
}

// notNegative returns max(0, x) without a branch.
func notNegative(x float64) float64 {
	bits := int64(math.Float64bits(x))
	return math.Float64frombits(uint64(bits &^ (bits >> 63)))
}

// VariablesTo writes the score of each variable into dst, of length dim:
//
//	dst[j] = score * share[j] / max(share).
//
// The variable with the largest share thus has the score of the sample. All are NaN if there is no score.
// VariablesTo overwrites Shares.
func (s *Scorer) VariablesTo(dst []float64) {
	if len(dst) != s.c.Dim {
		panic("eval: wrong number of variables")
	}
	if math.IsNaN(s.score) {
		vec.FillNaN(dst)
		return
	}
	if len(dst) == 1 {
		dst[0] = s.score
		return
	}
	unit := 0.
	if _, largest := s.blame(); largest > 0 {
		unit = s.score / largest
	}
	for j, part := range s.shares[:len(dst)] {
		dst[j] = part * unit
	}
}
