package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	seasonFrom      = 50  // number of samples before the first search
	seasonStrength  = 0.2 // smallest score of a season
	seasonErrors    = 5   // smallest score * sqrt(number of samples) of a season
	seasonMultiples = 3   // number of multiples of a lag in its score
	seasonPace      = 64  // number of lags that are computed per sample
	seasonAgain     = 8   // times the samples searched: interval between searches in the long run
	seasonPeak      = 1.2 // width of a peak of the scores
)

// seasonSearch finds a period without the clock. With D(l) the mean square of the
// differences of samples l apart, the score of a lag s is the mean over m = 1, 2, 3 of
//
//	1 - D(m s) / D((m - 1/2) s).
//
// It is near 1 for a season, and at most 0 for white noise, a random walk, a trend, and for twice a season,
// which needs no further cycle. The search computes some lags per sample, one coordinate after the other. The
// forecasts of the new cycle decide later whether it gets a share.
type seasonSearch struct {
	most       int       // samples that are searched at most
	samples    int       // samples searched; 0: no search under way, and no memory for one
	coord      int       // current coordinate
	lag        int       // next lag of the current coordinate
	difference []float64 // D of the current coordinate, at each lag
	scores     []float64 // sum over coordinates of the scores that count, at each lag
	values     []float64 // the samples of the current coordinate, see take
	squares    []float64 // sums of the first squares of values
}

// newSeasonSearch returns a search in at most the given number of samples.
func newSeasonSearch(samples int) *seasonSearch { return &seasonSearch{most: samples} }

// follow starts a search each time the number of samples doubles, and at regular intervals, and continues a
// running one.
func (f *seasonSearch) follow(s *autoSeries) {
	if (isDoubling(s.total, seasonFrom) || s.total%(seasonAgain*f.most) == 0) && s.past.Count >= min(s.total/2, f.most) {
		f.begin(min(s.past.Count, f.most))
	}
	if f.samples == 0 {
		return
	}
	period, done := f.proceed(s.past, s.seasons)
	if done && s.seasons.propose(period, s.scaler.Inverse) && s.remainder != nil {
		s.computeRemainder() // the forecasts have the new season
	}
}

// isDoubling reports whether n is first times a power of two.
func isDoubling(n, first int) bool {
	q := n / first
	return q > 0 && q*first == n && q&(q-1) == 0
}

func (f *seasonSearch) interrupt(*autoSeries) { f.end() }

// begin starts a search in the last n samples, if n is at least seasonFrom.
func (f *seasonSearch) begin(n int) {
	if f.end(); n < seasonFrom {
		return
	}
	f.samples = n
	f.difference, f.scores = make([]float64, f.limit()), make([]float64, f.limit())
	f.values, f.squares = make([]float64, n), make([]float64, n+1)
}

// end gives the memory of a search back.
func (f *seasonSearch) end() { *f = seasonSearch{most: f.most} }

// limit is the smallest lag that is too large for a season.
func (f *seasonSearch) limit() int { return 2 * f.samples / 5 }

// proceed computes some lags. After the last one it returns the period in samples, or 0
// for none, and true.
func (f *seasonSearch) proceed(past *series.History, known *seasons) (period int, done bool) {
	n := f.samples
	x := f.values[:n]
	if f.lag == 0 {
		f.take(x, past, known)
	}
	end := f.limit()
	if power := f.squares[n]; power > 0 {
		f.lag = max(f.lag, 1)
		end = min(end, f.lag+seasonPace)
		for l := f.lag; l < end; l++ {
			both := f.squares[n-l] + power - f.squares[l]
			f.difference[l] = max(both-2*vec.Dot(x[l:], x[:n-l]), 0) / float64(n-l)
		}
		f.lag = end
		if end < f.limit() {
			return 0, false
		}
		f.addScores()
	}
	f.lag = 0
	if f.coord++; f.coord < past.Dim {
		return 0, false
	}
	period = f.best()
	f.end()
	return period, true
}

// take copies the samples of the current coordinate to x, without known seasons and without their mean.
func (f *seasonSearch) take(x []float64, past *series.History, known *seasons) {
	var mean float64
	for l := range x {
		x[l] = past.Lag(l)[f.coord] - known.valueAt(f.coord, -l)
		mean += x[l] / float64(len(x))
	}
	for l := range x {
		x[l] -= mean
	}
	f.sumSquares(x)
}

func (f *seasonSearch) sumSquares(x []float64) {
	for l, v := range x {
		f.squares[l+1] = f.squares[l] + v*v
	}
}

// addScores adds the scores of the current coordinate that count: the others are noise, and noise of many coordinates
// would hide the season of one.
func (f *seasonSearch) addScores() {
	limit, d := f.limit(), f.difference
	least := max(seasonStrength, seasonErrors/math.Sqrt(float64(f.samples)))
	for s := shortestSeason; s < limit; s++ {
		var sum, terms float64
		for m := 1; m <= seasonMultiples && m*s < limit; m++ {
			twice := (2*m - 1) * s
			if half := (d[twice/2] + d[(twice+1)/2]) / 2; half > 0 {
				sum += 1 - d[m*s]/half
			}
			terms++
		}
		if score := sum / terms; score >= least {
			f.scores[s] += score
		}
	}
}

// best returns the shortest lag with a peak that is nearly as high as the highest one; 0: no season.
func (f *seasonSearch) best() int {
	limit, scores := f.limit(), f.scores
	var best float64
	for s := shortestSeason; s < limit; s++ {
		best = max(best, scores[s])
	}
	if best == 0 {
		return 0
	}
	for s := shortestSeason; s < limit; s++ {
		if scores[s] > 0.9*best {
			peak := s
			for t := s; t < limit && float64(t) <= seasonPeak*float64(s); t++ {
				if scores[t] > scores[peak] {
					peak = t
				}
			}
			return peak
		}
	}
	return 0
}

func (f *seasonSearch) stateOf(c *snapshot.Codec, _ *autoSeries) {
	c.Section("season")
	n := f.samples
	c.Index(&n, f.most+1)
	if c.Decoding() {
		f.begin(n)
	}
	if f.samples == 0 {
		return
	}
	c.Int(&f.coord)
	c.Index(&f.lag, len(f.scores)+1)
	c.Float64s(f.difference)
	c.Float64s(f.scores)
	if f.lag > 0 {
		c.Float64s(f.values[:f.samples])
		f.sumSquares(f.values[:f.samples])
	}
}
