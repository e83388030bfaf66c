package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
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

// The share of a season halves in mid-life. The smoothers keep what they have learnt, and the mean of the past moves by its gain
// times the change of one sample only: half the season, at most 1.
func TestSmoothingKeepsErrorsWhenAShareChanges(t *testing.T) {
	const rows = 10*quarters + 2 // no block of the evidence ends at the next sample, and the season of variable 1 is largest
	x := dayAndWeek(rows + 1)
	level := func(change bool) (s *autoSeries, level float64) {
		f := newAuto(t, Config{Dim: 2, Horizon: 4}).NewSeries()
		runClocked(t, f, x[:rows], modeltest.FirstOf2026, 4)
		s = f.(*autoSeries)
		if change {
			day := s.seasons.ofSpan(daySpan)
			for j := range day.share {
				day.share[j].value /= 2
			}
		}
		s.SetTime(modeltest.FirstOf2026 + rows*quarter)
		if err := s.Observe(x[rows]); err != nil {
			t.Fatal(err)
		}
		if computed := s.remainder.age == 0; computed != change {
			t.Fatalf("computed again: %t", computed)
		}
		return s, s.smoothing.deviation[meanOfAll*2+1] + s.remainder.past.Lag(0)[1]
	}
	a, same := level(false)
	b, changed := level(true)
	modeltest.Near(t, "the weight of the errors", b.smoothing.known[1], a.smoothing.known[1], 0)
	modeltest.Near(t, "the mean of the past", changed, same, slow)
}
