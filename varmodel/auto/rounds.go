package auto

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/series"
)

// shortestRound is the exponent of the shortest round: horizon^shortestRound outcomes.
const shortestRound = 2. / 3

// rounds holds the limits of the length of a round at horizon h. Weights and shrinkage count the outcomes of a
// round as one. Errors of overlapping forecasts are correlated for up to h outcomes, and for fewer outcomes if
// the series returns to its mean sooner. The variance ratio (Lo and MacKinlay 1988)
//
//	E (x_{t+h} - x_t)^2 / E (x_{t+1} - x_t)^2
//
// is h for a random walk and 1 for white noise. The length of a round is the mean of this ratio over the
// variables, limited to [h^(2/3), h]. The lower limit is for unknown seasons, where the ratio is near 1 although
// errors are correlated.
type rounds struct{ shortest, longest float64 }

func newRounds(horizon int) rounds {
	h := float64(horizon)
	return rounds{math.Round(math.Pow(h, shortestRound)), h}
}

// length returns the number of outcomes per round. far holds the mean squared increments over h steps, one the
// mean squared increments over one step.
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
