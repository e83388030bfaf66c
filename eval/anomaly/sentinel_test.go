package anomaly

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A broken sensor that has the same value in one per cent of the samples is an alarm each time, whatever the
// value is, and it teaches nothing: the others have as few alarms as without it. A value in the middle of the range is
// none of a broken sensor.
func TestSentinelsAreAlarmsEachTime(t *testing.T) {
	for _, dim := range []int{1, 3} {
		for _, value := range []float64{0, -100, -999, -9999} {
			if dim > 1 && value == 0 {
				continue // less than a range away
			}
			rng := rand.New(rand.NewPCG(91, 92))
			s := NewScorer(Config{Dim: dim})
			y, yhat := make([]float64, dim), make([]float64, dim)
			seen, odd, others, before := 0, 0, 0, false
			for i := range 5000 {
				for j := range y {
					yhat[j] = 15 + 8*math.Sin(2*math.Pi*float64(i)/144)
					y[j] = yhat[j] + .4*rng.NormFloat64()
				}
				is := i >= 300 && rng.IntN(100) == 0
				if is {
					y[0] = value
				}
				score, _ := s.Observe(int64(i)*minute, y, yhat)
				switch {
				case is && !before: // the second of two is part of the alarm of the first
					odd++
					if score > 1 {
						seen++
					}
				case score > 1:
					others++
				}
				before = is
			}
			// Of several variables the first is learnt, so that some of the first 1,000 samples are as rare as it.
			if seen < odd-1-2*(dim-1) || others > 10 {
				t.Errorf("%d variables, %v: %d of %d, and %d others", dim, value, seen, odd, others)
			}
		}
	}
}
