package anomaly

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// An alarm has the values and the interval of the variable that raised it, and its score as a number of false alarms per
// day, also behind a restart within the anomaly.
func TestAlarmSaysWhatWasSeenAndHowLikelyItIsFalse(t *testing.T) {
	c := Config{Dim: 2, FalseAlarms: 1e-3, Interval: func(j int) (lower, upper float64) { return float64(j) - 1, float64(j) + 1 }}
	s, r := NewScorer(c), rand.New(rand.NewPCG(1, 7))
	y := []float64{0, 0}
	for i := range 3000 {
		y[0], y[1] = r.NormFloat64(), r.NormFloat64()
		if i == 2999 {
			y[1] = 40
		}
		s.Observe(int64(i)*minute, y, []float64{.5, .25})
	}
	enc := snapshot.NewEncoder(nil)
	s.State(enc)
	restored, dec := NewScorer(c), snapshot.NewDecoder(enc.Bytes())
	restored.State(dec)
	for _, e := range []Event{s.Event(), restored.Event()} {
		if want := (Seen{1, 40, .25, 0, 2}); e.Seen != want {
			t.Errorf("seen %v, want %v", e.Seen, want)
		}
		if want := 1440 * math.Pow(1e-3, e.Score); !(e.Score > 1) || math.Abs(e.FalsePerDay/want-1) > 1e-9 {
			t.Errorf("%v false alarms per day with the score %v, want %v", e.FalsePerDay, e.Score, want)
		}
	}
}
