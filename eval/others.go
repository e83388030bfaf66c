package eval

import (
	"slices"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

const (
	othersSpan  = 10   // samples that Correlation averages over
	othersStart = 30   // samples before the first residuals
	othersKnown = 2000 // samples, after which the regression changes slowly
	othersRest  = 4    // of the samples after these, every such one is learnt
	othersMost  = 128  // largest number of variables that are compared: a step takes dim^2 operations
)

// others compares each variable of a sample with what the other variables of the same
// sample lead to expect, by the linear regression on all of them. With S the sum of
// the outer products z z^T of n samples and Q its inverse, the residual of variable j is
// (Q z)_j / Q_jj, and its variance 1 / (n Q_jj).
type others struct {
	n    float64
	q    *vec.Sym
	diag []float64 // of q
	k    []float64 // scratch: q z
}

func newOthers(dim int) *others {
	o := &others{q: vec.NewSym(dim), diag: make([]float64, dim), k: make([]float64, dim)}
	o.q.SetIdentity(1)
	for j := range o.diag {
		o.diag[j] = 1
	}
	return o
}

// residualsTo sets dst to the residuals of z, each divided by its variance.
func (o *others) residualsTo(dst, z []float64) {
	o.q.MatVec(o.k, z)
	for j, k := range o.k {
		dst[j] = k * o.n
	}
}

// learn takes z, of which residualsTo was asked last.
func (o *others) learn(z []float64) {
	o.n++
	weight := 1 / (1 + vec.Dot(z, o.k))
	o.q.Rank1(-weight, o.k)
	for j, k := range o.k {
		o.diag[j] -= weight * k * k
	}
}

// explain changes the residuals r, which are those of some values, into those with the value of
// variable j that the others lead to expect.
func (o *others) explain(r []float64, j int) {
	if !(o.diag[j] > 0) {
		return
	}
	o.q.RowTo(o.k, j)
	vec.Axpy(-r[j]/o.diag[j], o.k, r)
}

// discount gives what was learnt a quarter of its weight.
func (o *others) discount() {
	const part = .25
	for _, d := range o.diag {
		if d > part {
			return // too little is known to forget any of it
		}
	}
	o.n *= part
	o.q.Scale(1 / part)
	for j := range o.diag {
		o.diag[j] /= part
	}
}

// observeOthers returns the statistic of Correlation: the largest mean residual of a
// variable given the others, in its standard deviations.
func (s *AnomalyScorer) observeOthers() evidence {
	if s.n <= othersStart {
		return evidence{}
	}
	w := &s.slow[Correlation]
	s.others.residualsTo(s.r, s.z)
	squares := s.squares[Correlation][:len(s.r)]
	rate := lanes.Weight(float64(s.n-othersStart), 1./anomalyMemory)
	most := 0.
	learns, limit := w.learns(s.c.NormalAfter), w.tail.threshold*w.tail.threshold
	for j, r := range s.r {
		v := &s.vars[j]
		v.residual += s.pace(Correlation, r, v.residual) * (1. / othersSpan) * (r - v.residual)
		square := v.residual * v.residual
		relative := 0.
		if v.residualSquare > 0 {
			relative = square / v.residualSquare
		}
		squares[j] = relative
		if relative > most {
			most = relative
		}
		if !learns && !(relative <= limit) {
			continue
		}
		if square > 25*v.residualSquare && s.n > 2*othersStart && v.residualSquare > 0 {
			square = 25 * v.residualSquare
		}
		v.residualSquare += rate * (square - v.residualSquare)
	}
	last := 0.
	if at := slices.Index(squares, most); most > 0 && at >= 0 {
		last = s.r[at] * s.r[at] / s.vars[at].residualSquare
	}
	if learns && (s.n < othersKnown || s.n%othersRest == 0) {
		s.others.learn(s.z)
	}
	return evidence{most, last}.root()
}

func (o *others) state(c *snapshot.Codec) {
	c.Float64(&o.n)
	o.q.State(c)
	c.Float64s(o.diag)
}
