package auto

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/series"
)

// shortestRound is the exponent of the fewest outcomes per round, a power of the horizon.
const shortestRound = 2. / 3

// rounds are the numbers of outcomes of one horizon h that weights and shrinkage count as one.
// Errors of overlapping forecasts are alike for up to h outcomes, but the less so the sooner the
// series returns to its mean. The variance ratio (Lo and MacKinlay 1988)
//
//	E (x_{t+h} - x_t)^2 / E (x_{t+1} - x_t)^2
//
// is h for a random walk and 1 for white noise. A round has as many outcomes as that, in the
// mean over the variables, but h^(2/3) at least: while a season is not known yet, the ratio is
// near 1 and the errors are alike all the same.
type rounds struct{ shortest, longest float64 }

func newRounds(horizon int) rounds {
	h := float64(horizon)
	return rounds{math.Round(math.Pow(h, shortestRound)), h}
}

// length is the number of outcomes per round, given the typical increments over h steps and over
// one.
func (r rounds) length(far *lanes.Steps, one *series.Scaler) int {
	var sum, n float64
	for j, v := range one.Diff2 {
		if far.Count[j] > 0 && v > 0 {
			sum += series.ClipTo(far.Square[j]/v, r.shortest, r.longest)
			n++
		}
	}
	if n == 0 {
		return int(r.longest)
	}
	return int(math.Round(sum / n))
}
