package scoring

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
)

// sums holds the tallies per horizon: of every variable, and of all variables together. Their order is the order of
// lanes.Tally.
type sums struct {
	dim, rows int
	size      int       // length of one horizon in each
	each      []float64 // horizons x rows x dim
	all       []tally   // per horizon: errors of a sample averaged over its variables
}

// noSums returns zero sums without memory, over forecasts with the given number of rows; see lanes.Tally.
func noSums(c ScorerConfig, rows int) sums {
	return sums{dim: c.Dim, rows: lanes.TallyRows(rows), size: lanes.TallySize(rows, c.Dim)}
}

func newSums(c ScorerConfig, rows int) sums {
	s := noSums(c, rows)
	s.each = make([]float64, len(c.Horizons)*s.size)
	s.all = make([]tally, len(c.Horizons))
	return s
}

// add adds the errors of all variables together, as returned by lanes.Tally.
func (s *sums) add(totals []float64) {
	for k := range s.all {
		if n := totals[3*k]; n > 0 {
			s.all[k].errors(totals[3*k+1]/n, totals[3*k+2]/n)
		}
	}
}

func (s *sums) clear() {
	clear(s.each)
	clear(s.all)
}

// at returns the tally of a variable, or All, at the k-th horizon.
func (s *sums) at(k, variable int) tally {
	if s.each == nil {
		return tally{}
	}
	if variable == All {
		return s.all[k]
	}
	row := func(i int) float64 { return s.each[k*s.size+i*s.dim+variable] }
	t := tally{
		n: row(lanes.TallyCount), se: row(lanes.TallySE), se2: row(lanes.TallySE2), ae: row(lanes.TallyAE),
		yMean: row(lanes.TallyMean), yM2: row(lanes.TallyM2),
	}
	if s.rows > lanes.TallyNaiveSE {
		t.naiveSE, t.naiveAE = row(lanes.TallyNaiveSE), row(lanes.TallyNaiveAE)
		t.refN, t.refOwnSE, t.refSE = row(lanes.TallyRefCount), row(lanes.TallyRefOwnSE), row(lanes.TallyRefSE)
	}
	if s.rows == lanes.TallySums {
		t.bounded, t.missed = row(lanes.TallyBounded), row(lanes.TallyMissed)
		t.width, t.excess = row(lanes.TallyWidth), row(lanes.TallyExcess)
	}
	return t
}

// squares returns the number of scored targets of a variable, or All, at the k-th horizon, and the sum of their
// squared errors.
func (s *sums) squares(k, variable int) (n, se float64) {
	if variable == All {
		return s.all[k].n, s.all[k].se
	}
	column := s.each[k*s.size+variable:]
	return column[lanes.TallyCount*s.dim], column[lanes.TallySE*s.dim]
}

// merge adds u; see tally.merge.
func (s *sums) merge(u *sums) {
	d, length := s.dim, s.rows*s.dim
	for k := range s.all {
		a, b := s.each[k*s.size:][:length], u.each[k*s.size:][:length]
		for j := range d {
			n, m := lanes.TallyCount*d+j, lanes.TallyMean*d+j
			mergeMean(&a[m], &a[lanes.TallyM2*d+j], a[n], b[m], b[lanes.TallyM2*d+j], b[n])
		}
		vec.Axpy(1, b[:lanes.TallyMean*d], a[:lanes.TallyMean*d])
		vec.Axpy(1, b[(lanes.TallyM2+1)*d:], a[(lanes.TallyM2+1)*d:])
		s.all[k].merge(u.all[k])
	}
}

// state transfers the k-th horizon.
func (s *sums) state(c *snapshot.Codec, k int) {
	length := s.rows * s.dim
	if s.each == nil {
		c.Float64s(make([]float64, length))
		new(tally).state(c)
		return
	}
	c.Float64s(s.each[k*s.size:][:length])
	s.all[k].state(c)
}
