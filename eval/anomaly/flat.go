package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

const (
	flatSpan  = 50   // samples over which Flat averages
	flatFloor = .002 // added to every step so that it has a logarithm, in standard deviations of the values
	flatStart = 100  // number of values of a variable before the first statistic
)

func newLiveliness(dim int) *lanes.Liveliness {
	return lanes.NewLiveliness(dim, flatFloor, flatStart, 1./flatSpan, 1./anomalyMemory)
}

// observeFlat learns the logarithms of the steps from the last sample to y. It returns the statistic of
// Flat, the root mean square over the variables of max(0, Usual - Lately).
func (s *Scorer) observeFlat(y []float64) (flat evidence) {
	l := s.lively
	l.Learns = s.slow[Flat].learns(s.c.NormalAfter)
	l.Add(y, s.levels.Count, s.levels.Variance)
	count, squares := 0., l.Square[:len(y)]
	for j, last := range l.Last[:len(y)] {
		if last != last {
			continue
		}
		flat.all += squares[j]
		flat.last += last
		count++
	}
	count = max(count, 1)
	return evidence{flat.all / count, flat.last / count}.root()
}

// startFlat sets the usual step of variable j at its first move to the step at rest. This step is flatFloor times
// the standard deviation of values among which only this step occurred.
func (s *Scorer) startFlat(j int, step float64) {
	l := s.lively
	if l != nil && l.Usual[j] == 0 {
		l.Usual[j] = math.Log(flatFloor * step / math.Sqrt(s.levels.Count[j]))
		l.Lately[j] = l.Usual[j]
	}
}

func livelinessState(c *snapshot.Codec, l *lanes.Liveliness, j int) {
	c.Float64(&l.Before[j]) // unlike anomalyRuns.last no lone value
	c.Float64(&l.Lately[j])
	c.Float64(&l.Usual[j])
}
