package eval

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// sums are the tallies of every variable and of all of them together, at every
// horizon, in the order in which lanes.Tally goes over them.
type sums struct {
	dim, rows int
	each      []float64 // horizons x rows x dim
	all       []tally   // horizons: of the errors of a sample averaged over the variables
}

func newSums(c ScorerConfig) sums {
	s := sums{dim: c.Dim, rows: lanes.TallySumsShort}
	if c.Level > 0 {
		s.rows = lanes.TallySums
	}
	s.each = make([]float64, len(c.Horizons)*s.rows*s.dim)
	s.all = make([]tally, len(c.Horizons))
	return s
}

// add counts the targets y of the k-th horizon, sets errs and reports whether any
// variable was scored.
func (s *sums) add(k int, errs, forecasts, y []float64) bool {
	size := s.rows * s.dim
	n, se, ae := lanes.Tally(s.each[k*size:(k+1)*size], errs, forecasts, y)
	if n > 0 {
		s.all[k].errors(se/n, ae/n)
	}
	return n > 0
}

func (s *sums) clear() {
	clear(s.each)
	clear(s.all)
}

// at returns the tally of a variable, or All, at the k-th horizon.
func (s *sums) at(k, variable int) tally {
	if variable == All {
		return s.all[k]
	}
	var t tally
	rows := t.rows()
	for i, v := range rows[:s.rows] {
		*v = s.each[(k*s.rows+i)*s.dim+variable]
	}
	return t
}

// merge adds what u has; see tally.merge.
func (s *sums) merge(u *sums) {
	d, size := s.dim, s.rows*s.dim
	for k := range s.all {
		a, b := s.each[k*size:(k+1)*size], u.each[k*size:(k+1)*size]
		for j := range d {
			n, m := lanes.TallyCount*d+j, lanes.TallyMean*d+j
			mergeMean(&a[m], &a[lanes.TallyM2*d+j], a[n], b[m], b[lanes.TallyM2*d+j], b[n])
		}
		vec.Axpy(1, b[:lanes.TallyMean*d], a[:lanes.TallyMean*d])
		vec.Axpy(1, b[(lanes.TallyM2+1)*d:], a[(lanes.TallyM2+1)*d:])
		s.all[k].merge(u.all[k])
	}
}

// rows returns the places of the rows of lanes.Tally.
func (t *tally) rows() [lanes.TallySums]*float64 {
	return [...]*float64{
		lanes.TallyCount: &t.n, lanes.TallySE: &t.se, lanes.TallySE2: &t.se2, lanes.TallyAE: &t.ae,
		lanes.TallyMean: &t.yMean, lanes.TallyM2: &t.yM2,
		lanes.TallyNaiveSE: &t.naiveSE, lanes.TallyNaiveAE: &t.naiveAE,
		lanes.TallyRefCount: &t.refN, lanes.TallyRefOwnSE: &t.refOwnSE, lanes.TallyRefSE: &t.refSE,
		lanes.TallyBounded: &t.bounded, lanes.TallyMissed: &t.missed, lanes.TallyWidth: &t.width, lanes.TallyExcess: &t.excess,
	}
}

// state transfers the k-th horizon.
func (s *sums) state(c *snapshot.Codec, k int) {
	size := s.rows * s.dim
	c.Float64s(s.each[k*size : (k+1)*size])
	s.all[k].state(c)
}
