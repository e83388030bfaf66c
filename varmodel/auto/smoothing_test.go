package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// One step ahead, smoothing rests after many samples. A series that is restored for more steps has the level of its last
// samples, not that of the sample at which smoothing came to rest.
func TestSmoothingRestsAtOneStep(t *testing.T) {
	const level, last, rows = 10, 13, 2 * earlyEnd
	m := newAuto(t, Config{Dim: 1, Horizon: 1})
	f := m.NewSeries()
	rng := rand.New(rand.NewPCG(81, 82))
	for i := range rows {
		y := level + rng.NormFloat64()
		if i == rows-1 {
			y = last
		}
		if err := f.Observe([]float64{y}); err != nil {
			t.Fatal(err)
		}
	}
	longer := newAuto(t, Config{Dim: 1, Horizon: 12})
	g := longer.NewSeries()
	e := snapshot.NewEncoder(nil)
	e.Block(func() { m.State(e); f.State(e) })
	c := snapshot.NewDecoder(e.Bytes())
	c.Block(func() { longer.State(c); g.State(c) })
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := g.Observe([]float64{last}); err != nil {
		t.Fatal(err)
	}
	// The mean of 50 samples is off by .14 standard deviations, and .6 are four of them.
	s := g.(*autoSeries)
	if got := last + s.smoothing.ahead(0, 1, nextResponses); !(math.Abs(got-level) <= .6) {
		t.Errorf("smoothing forecasts %v after samples around %d", got, level)
	}
}
