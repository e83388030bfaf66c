package anomaly

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
)

const (
	othersSpan  = 10   // samples over which Correlation averages
	othersStart = 30   // number of samples before the first residuals
	othersKnown = 2000 // number of samples after which the regression changes slowly
	othersRest  = 4    // after othersKnown, one of othersRest samples is learnt
	othersLeast = .01  // mean residual, in standard deviations of the variable, up to which it counts as rounding
	squareMost  = 48   // largest order at which vec.Square is faster, because few samples change the matrix
	othersMost  = 128  // largest number of variables, since a step takes dim^2 operations
)

// others predicts each variable of a sample by linear regression on the other variables of the same sample. With S
// = sum of z z^T over n samples and Q = S^-1,
//
//	residual of variable j = (Q z)_j / Q_jj, with the variance 1 / (n Q_jj).
//
// If a variable is a function of others, its residual is only the rounding of their values; see
// docs/design/0007-quiet-anomalies.md.
type others struct {
	n float64
	q vec.Symmetric
	k []float64 // scratch: q z

	product float64 // z q z of the last z
}

func newOthers(dim int) *others {
	o := &others{q: vec.NewSymmetric(dim, squareMost), k: make([]float64, dim)}
	o.q.SetIdentity(1)
	return o
}

// residualsTo sets dst to the residuals of z, each divided by its variance.
func (o *others) residualsTo(dst, z []float64) {
	o.product = o.q.MatVec(o.k, z)
	for j, k := range o.k {
		dst[j] = k * o.n
	}
}

// learn learns the z of the last call of residualsTo.
func (o *others) learn() {
	o.n++
	o.q.Rank1(-1/(1+o.product), o.k)
}

// explain changes the residuals r as if variable j had the value that the others predict.
func (o *others) explain(r []float64, j int) {
	o.q.RowTo(o.k, j)
	if d := o.k[j]; d > 0 {
		vec.Axpy(-r[j]/d, o.k, r)
	}
}

// discount multiplies the weight of past samples by 1/4.
func (o *others) discount() {
	const part = .25
	for j := range o.k {
		if o.q.At(j, j) > part {
			return // too few samples to forget any
		}
	}
	o.n *= part
	o.q.Scale(1 / part)
}

// observeOthers returns the statistic of Correlation: the largest mean residual of a variable given the others, in
// standard deviations of the residual.
func (s *Scorer) observeOthers() evidence {
	if s.n <= othersStart {
		return evidence{}
	}
	w, residuals := &s.slow[Correlation], s.residuals
	s.others.residualsTo(s.r, s.levels.Z[:len(s.r)])
	winsor := math.Inf(1)
	if s.n > 2*othersStart {
		winsor = 25
	}
	residuals.Pace = s.pace(Correlation)
	residuals.Add(s.r, lanes.Weight(float64(s.n-othersStart), 1./anomalyMemory), winsor, s.lesson(Correlation))
	squares := residuals.Square[:len(s.r)]
	at, most := s.contradiction(squares)
	last := 0.
	if most > 0 {
		last = s.r[at] * s.r[at] / residuals.Usual[at]
	}
	if w.learns(s.c.NormalAfter) && (s.n < othersKnown || s.n%othersRest == 0) {
		s.others.learn()
	}
	return evidence{most, last}.root()
}

// contradiction returns the variable with the largest statistic, and the statistic. If the largest is only
// rounding, all statistics that are rounding are first set to 0.
func (s *Scorer) contradiction(squares []float64) (at int, most float64) {
	rounding := func(j int) bool {
		return !(math.Abs(s.residuals.Mean[j]) > othersLeast*s.others.n*s.others.q.At(j, j))
	}
	if most = largestOf(squares); most == 0 {
		return 0, 0
	}
	if at = slices.Index(squares, most); !rounding(at) {
		return at, most
	}
	for j := range squares {
		if rounding(j) {
			squares[j] = 0
		}
	}
	most = largestOf(squares)
	return slices.Index(squares, most), most
}

func (o *others) state(c *snapshot.Codec) {
	c.Float64(&o.n)
	o.q.State(c)
}
