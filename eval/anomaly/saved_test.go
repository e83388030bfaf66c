package anomaly

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/tools/testseries"
)

// A restored state goes on with the same scores, shares and events, bit by bit: before the first statistics of Level, when
// the others begin, in an event, behind it, and in the next.
func TestAnomalyScorerState(t *testing.T) {
	rows := testseries.Normals(5, 1200, 3)
	for i := 550; i < 640; i++ {
		rows[i][1] += 20
		rows[i][2] = 1
	}
	for i := 900; i < 904; i++ {
		rows[i][0] -= 15
	}
	zero := make([]float64, 3)
	observe := func(s *Scorer, i int) string {
		score, ok := s.Observe(int64(i)*minute, rows[i], zero)
		state, known := s.StateScore()
		event := s.Event()
		if !event.Open { // of an event that is over, Ended has the rest
			event.FalsePerDay, event.Seen = 0, Seen{}
		}
		ended, over := s.Ended()
		return fmt.Sprint(score, ok, state, known, s.Anomalous(), s.Shares(), event, ended, over)
	}
	for _, saved := range []int{1, levelStart - 10, levelStart + 5, 551, 600, 639, 645, 800, 901, 905} {
		whole := NewScorer(Config{Dim: 3})
		for i := range saved {
			observe(whole, i)
		}
		enc := snapshot.NewEncoder(nil)
		whole.State(enc)
		restored := NewScorer(Config{Dim: 3})
		dec := snapshot.NewDecoder(enc.Bytes())
		restored.State(dec)
		if err := dec.Finish(); err != nil {
			t.Fatal(err)
		}
		for i := saved; i < len(rows); i++ {
			if got, want := observe(restored, i), observe(whole, i); got != want {
				t.Fatalf("saved after %d, sample %d after restoring:\n%s, want\n%s", saved, i, got, want)
			}
		}
		again := snapshot.NewEncoder(nil)
		restored.State(again)
		final := snapshot.NewEncoder(nil)
		whole.State(final)
		if !bytes.Equal(again.Bytes(), final.Bytes()) {
			t.Errorf("saved after %d: the states differ", saved)
		}
	}
}

// A state replaces an older one, with more behind it, altogether: a checkpoint of changes has a
// series that has begun again.
func TestAnomalyStateReplacesAnother(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	learnt := func(n int) *Scorer {
		s := NewScorer(Config{Dim: 2})
		for i := range n {
			y := []float64{rng.NormFloat64(), rng.NormFloat64()}
			if i%40 >= 30 {
				y[1] = 20
			}
			s.Observe(int64(i)*60e9, y, []float64{0, 0})
		}
		return s
	}
	encoded := func(s *Scorer) []byte {
		c := snapshot.NewEncoder(nil)
		c.Block(func() { s.State(c) })
		return c.Bytes()
	}
	old, want := learnt(1000), encoded(learnt(20))
	c := snapshot.NewDecoder(want)
	c.Block(func() { old.State(c) })
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(old), want) {
		t.Error("something of the older state is left")
	}
}
