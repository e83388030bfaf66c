package varmodel

import "math"

const (
	longestSeason   = memory / 3
	seasonFrom      = 100 // samples before a season is looked for
	seasonStrength  = 0.1 // smallest autocorrelation of the increments
	seasonMultiples = 3   // of a lag that are looked at
)

// findSeason returns the season of the last n samples of past, in samples, or 0:
// the lag at which, and at whose multiples, the increments are most alike, if
// that is beyond what chance produces. corr is scratch.
func findSeason(past *history, n int, corr []float64) int {
	limit := min(n/3, len(corr))
	if n < seasonFrom {
		return 0
	}
	clear(corr)
	var moving float64
	for j := range past.dim {
		step := func(l int) float64 { return past.lag(l)[j] - past.lag(l + 1)[j] }
		var power float64
		for l := range n - 1 {
			power += step(l) * step(l)
		}
		if power == 0 {
			continue
		}
		moving++
		for s := 1; s < limit; s++ {
			var sum float64
			for l := range n - 1 - s {
				sum += step(l) * step(l+s)
			}
			corr[s] += sum / power
		}
	}
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
	if best < moving*max(seasonStrength, 5/math.Sqrt(float64(n))) || moving == 0 {
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
