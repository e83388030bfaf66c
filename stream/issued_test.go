package stream_test

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// TestTargetTimesAreUnique: however the spacing changes while it is estimated, no two
// forecasts of a horizon have the same target time, and where it stays nothing is left
// out. Without the rule there are collisions, or the test would test nothing.
func TestTargetTimesAreUnique(t *testing.T) {
	type point struct {
		horizon int
		time    int64
	}
	collisions := 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		c := streamtest.DriftConfig()
		c.SchemaChangeAfter = 1
		e := streamtest.NewEngine(t, c)
		var b stream.Batch
		seen := make(map[point]bool)
		var now, step int64
		issued := 0
		for i := range 2000 {
			if i%200 == 0 {
				step = []int64{1, 2, 7, 60, 3600}[rng.IntN(5)]
			}
			since := i % 200
			now += step * 1e9
			if since < 50 { // and irregular at the beginning
				now += int64(rng.IntN(4)) * 1e9
			}
			m := stream.Message{Topic: "in", Offset: int64(i)}
			values := []float64{float64(i % 9), 1}[:1+(i+180)/200%2] // a new model now and then
			if err := e.Apply(&b, &stream.Record{Message: &m, Series: "s", Time: now, Values: values}); err != nil {
				t.Fatal(err)
			}
			for _, f := range b.Forecasts {
				p := point{f.Horizon, f.Time}
				if seen[p] {
					t.Fatalf("seed %d, sample %d: horizon %d at %d a second time", seed, i, p.horizon, p.time)
				}
				seen[p] = true
			}
			issued += len(b.Forecasts)
			if i > 1 {
				collisions += 3 - len(b.Forecasts)
			}
			if 100 < i && i < 200 && len(b.Forecasts) != 3 {
				t.Errorf("seed %d, sample %d: %d forecasts though the spacing has not changed for long", seed, i, len(b.Forecasts))
			}
			b.Reset()
		}
		if issued < 2000*3*9/10 {
			t.Errorf("seed %d: only %d forecasts", seed, issued)
		}
	}
	if collisions < 30 {
		t.Errorf("only %d collisions", collisions)
	}
	t.Logf("%d forecasts were left out", collisions)
}
