package varmodel

import "math"

const (
	longestSeason  = memory / 3
	seasonFrom     = 100 // samples before a season is looked for
	seasonStrength = 0.1 // smallest autocorrelation of the increments
)

// findSeason returns the season of the last n samples of past, in samples, or 0:
// the lag at which the increments are most alike, if that is a maximum and
// beyond what chance produces. corr is scratch, at least n/3.
func findSeason(past *history, n int, corr []float64) int {
	d := past.dim
	limit := min(n/3, longestSeason, len(corr))
	if n < seasonFrom {
		return 0
	}
	clear(corr)
	var moving float64
	for j := range d {
		var power float64
		for l := range n - 1 {
			v := past.lag(l)[j] - past.lag(l + 1)[j]
			power += v * v
		}
		if power == 0 {
			continue
		}
		moving++
		for s := 1; s < limit; s++ {
			var sum float64
			for l := range n - 1 - s {
				sum += (past.lag(l)[j] - past.lag(l + 1)[j]) * (past.lag(l + s)[j] - past.lag(l + s + 1)[j])
			}
			corr[s] += sum / power
		}
	}
	best := 0
	for s := 2; s < limit-1; s++ {
		if corr[s] >= corr[s-1] && corr[s] >= corr[s+1] && (best == 0 || corr[s] > corr[best]) {
			best = s
		}
	}
	if best == 0 || corr[best] < moving*max(seasonStrength, 4/math.Sqrt(float64(n))) {
		return 0
	}
	return best
}
