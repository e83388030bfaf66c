package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

const (
	seasonFrom      = 100 // samples before a season is looked for
	seasonStrength  = 0.1 // smallest autocorrelation of the increments
	seasonMultiples = 3   // multiples of a lag in its score
	seasonPace      = 64  // autocorrelations computed with each sample
)

// seasonSearch finds the season of a series: the lag with the largest autocorrelation
// of the increments there and at its multiples, if chance does not explain it. The
// autocorrelations are computed one coordinate after the other, some with each sample.
type seasonSearch struct {
	samples   int       // samples searched; 0: no search under way
	coord     int       // current coordinate
	lag       int       // next lag of the current coordinate
	moving    int       // coordinates so far that are not constant
	power     float64   // sum of squared increments of the current coordinate
	corr      []float64 // sum over coordinates of the autocorrelation of the increments, at each lag
	increment []float64 // scratch
}

// newSeasonSearch returns a search in at most the given number of samples.
func newSeasonSearch(samples int) *seasonSearch {
	return &seasonSearch{corr: make([]float64, samples/3), increment: make([]float64, samples)}
}

// begin starts a search in the last n samples.
func (f *seasonSearch) begin(n int) {
	f.samples, f.coord, f.lag, f.moving = n, 0, 0, 0
	clear(f.corr)
}

// limit is the smallest lag that is too large for a season.
func (f *seasonSearch) limit() int { return min(f.samples/3, len(f.corr)) }

// proceed computes some autocorrelations. After the last one it returns the season in
// samples, or 0 for none, and true.
func (f *seasonSearch) proceed(past *history) (season int, done bool) {
	if f.samples < seasonFrom {
		f.samples = 0
		return 0, true
	}
	x := f.increment[:f.samples-1]
	last := past.lag(0)[f.coord]
	for l := range x {
		before := past.lag(l + 1)[f.coord]
		x[l], last = last-before, before
	}
	if f.lag == 0 {
		f.lag = 1
		if f.power = vec.Dot(x, x); f.power > 0 {
			f.moving++
		}
	}
	end := f.limit()
	if f.power > 0 {
		end = min(end, f.lag+seasonPace)
		for ; f.lag < end; f.lag++ {
			f.corr[f.lag] += vec.Dot(x[f.lag:], x[:len(x)-f.lag]) / f.power
		}
	}
	if end < f.limit() {
		return 0, false
	}
	f.lag = 0
	if f.coord++; f.coord < past.dim {
		return 0, false
	}
	season = f.best()
	f.samples = 0
	return season, true
}

// best returns the season that the autocorrelations show, or 0.
func (f *seasonSearch) best() int {
	limit, corr := f.limit(), f.corr
	// The multiples sharpen the peak of a smooth season.
	score := func(s int) float64 {
		var sum, terms float64
		for m := s; m < limit && terms < seasonMultiples; m += s {
			sum += corr[m]
			terms++
		}
		return sum / terms
	}
	var best float64
	for s := 2; s < limit-1; s++ {
		best = max(best, score(s))
	}
	if best < float64(f.moving)*max(seasonStrength, 5/math.Sqrt(float64(f.samples))) || f.moving == 0 {
		return 0
	}
	// A multiple of the season scores as well as the season.
	for s := 2; s < limit-1; s++ {
		if v := score(s); v > 0.9*best && v >= score(s-1) && v >= score(s+1) {
			return s
		}
	}
	return 0
}

func (f *seasonSearch) State(c *snapshot.Codec) {
	c.Section("season")
	c.Index(&f.samples, len(f.increment)+1)
	c.Int(&f.coord)
	c.Index(&f.lag, len(f.corr)+1)
	c.Int(&f.moving)
	c.Float64(&f.power)
	c.Float64s(f.corr)
}
