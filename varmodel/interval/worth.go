package interval

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	worthLevel    = .9  // coverage of the intervals that are compared
	worthTerm     = 24  // samples of a term of the comparison, at least
	worthRetained = .97 // weight of a term after the next one
	worthTerms    = 5   // terms before half widths may be multiplied
	worthErrors   = 1.5 // standard errors by which the multiplied ones must be better
)

// worth compares the intervals of an anchor with intervals whose half widths are multiplied by a
// ratio, by the score of intervals of 90 % (Winkler 1972). The ratio is used for a variable while
// its intervals are better by some standard errors. Both have factors of their own, because the
// factor that holds the coverage differs.
type worth struct {
	horizon       int       // horizon of the anchor
	samples       int       // number of samples in the present term
	terms         float64   // weight of the terms before
	plain, scaled []float64 // d: factors without and with the ratio
	saved         []float64 // d: score that the ratio has saved in the present term
	gain, square  []float64 // d: mean of saved, and of its square, over the terms
	shift         []float64 // d: mean of log(scaled/plain) over the terms
	used          []bool    // d
	inUse         bool      // by a variable
}

func newWorth(horizon, d int) worth {
	w := worth{horizon: horizon, used: make([]bool, d)}
	for _, v := range w.vectors() {
		*v = make([]float64, d)
	}
	for j := range d {
		w.plain[j], w.scaled[j] = gaussianFactor(worthLevel), gaussianFactor(worthLevel)
	}
	return w
}

func (w *worth) vectors() []*[]float64 {
	return []*[]float64{&w.plain, &w.scaled, &w.saved, &w.gain, &w.square, &w.shift}
}

// learn learns the size of an error of variable j, whose unit is scale, and moves the factors.
func (w *worth) learn(j int, ratio, size, scale float64, m *factorMove) {
	w.saved[j] += scale * (m.score(&w.plain[j], 1, size) - m.score(&w.scaled[j], ratio, size))
}

// factorMove holds the numbers by which a hit and a miss multiply a factor, given the step of its
// logarithm.
type factorMove struct{ step, hit, miss float64 }

// moveOf returns the move of the factors at an anchor. It is computed when the step changes.
func (s *Intervals) moveOf(at int, step float64) *factorMove {
	m := &s.worthMoves[at]
	if m.step != step {
		*m = factorMove{step, math.Exp(step * (worthLevel - 1)), math.Exp(step * worthLevel)}
	}
	return m
}

// score returns the score of an interval of worthLevel whose half width is ratio times a factor,
// given the size of the error, and moves the factor.
func (m *factorMove) score(factor *float64, ratio, size float64) float64 {
	half := *factor * ratio
	if size > half {
		if *factor *= m.miss; *factor > farthest {
			*factor = farthest
		}
		return 2*half + 2/(1-worthLevel)*(size-half)
	}
	if *factor *= m.hit; *factor < 1/farthest {
		*factor = 1 / farthest
	}
	return 2 * half
}

// endTerm decides which variables use the ratio from now on. Ratios that were not known in the
// term do not count.
func (s *Intervals) endTerm(w *worth, known bool) {
	w.samples = 0
	if known {
		w.terms = worthRetained*w.terms + 1
	}
	for j, saved := range w.saved {
		if w.saved[j] = 0; !known {
			continue
		}
		w.gain[j] += (saved - w.gain[j]) / w.terms
		w.square[j] += (saved*saved - w.square[j]) / w.terms
		w.shift[j] += (math.Log(w.scaled[j]/w.plain[j]) - w.shift[j]) / w.terms
		se := math.Sqrt(max(w.square[j]-w.gain[j]*w.gain[j], 0) / (w.terms - 1))
		s.use(w, j, w.terms > worthTerms && w.gain[j] > worthErrors*(1+2/w.terms)*se)
	}
}

// use lets variable j use the ratio, or no longer. The factors of the intervals move to where the
// coverage is held then.
func (s *Intervals) use(w *worth, j int, used bool) {
	if w.used[j] == used {
		return
	}
	w.used[j] = used
	w.inUse = slices.Contains(w.used, true)
	move := math.Exp(w.shift[j])
	if !used {
		move = 1 / move
	}
	H, d, at := s.cfg.Horizon, s.cfg.Dim, anchorAt(w.horizon)
	for l := range s.cfg.Levels {
		for h := anchorFrom(at); h < min(anchorFrom(at+1), H+1); h++ {
			f := &s.own[(l*H+h-1)*d+j]
			*f = series.ClipTo(*f*move, 1/farthest, farthest)
		}
	}
}

func (w *worth) state(c *snapshot.Codec) {
	c.Int(&w.samples)
	c.Float64(&w.terms)
	for _, v := range w.vectors() {
		c.Float64s(*v)
	}
	for j := range w.used {
		c.Bool(&w.used[j])
	}
	w.inUse = slices.Contains(w.used, true)
}
