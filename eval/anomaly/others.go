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
	othersStart = 30   // samples before the first residuals
	othersKnown = 2000 // samples, after which the regression changes slowly
	othersRest  = 4    // one sample in othersRest is learnt after these
	othersLeast = .01  // a mean residual up to this part of the standard deviation of its variable is rounding
	squareMost  = 48   // largest order at which a vec.Square is faster, as few samples change the matrix
	othersMost  = 128  // largest number of variables that are compared: a step takes dim^2 operations
)

// others predicts each variable of a sample by a linear regression on the other variables of the
// same sample. With S the sum of the outer products z z^T of n samples and Q its inverse, the
// residual of variable j is (Q z)_j / Q_jj, and its variance 1 / (n Q_jj). Where a variable follows
// from others, the residual is the rounding of their values: docs/design/0007-quiet-anomalies.md.
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

// learn learns the argument of the last call of residualsTo.
func (o *others) learn() {
	o.n++
	o.q.Rank1(-1/(1+o.product), o.k)
}

// explain changes the residuals r to those of a sample whose variable j has the value that the
// others predict.
func (o *others) explain(r []float64, j int) {
	o.q.RowTo(o.k, j)
	if d := o.k[j]; d > 0 {
		vec.Axpy(-r[j]/d, o.k, r)
	}
}

// discount gives the past samples a quarter of their weight.
func (o *others) discount() {
	const part = .25
	for j := range o.k {
		if o.q.At(j, j) > part {
			return // too little is known to forget any of it
		}
	}
	o.n *= part
	o.q.Scale(1 / part)
}

// observeOthers returns the statistic of Correlation: the largest mean residual of a
// variable given the others, in its standard deviations.
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

// contradiction returns the variable with the largest statistic, and the statistic. If the largest one is rounding, all
// that are rounding become 0 first.
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
