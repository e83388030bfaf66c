package engine_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
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
		var b engine.Results
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
			if err := streamtest.Apply(e, &b, &stream.Record{Message: &m, Series: "s", Time: now, Values: values}); err != nil {
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

// TestTargetTimesOfWorkdaysAreUnique: nor have they while samples on weekends come and go, and
// days of work are forecast on days of work.
func TestTargetTimesOfWorkdaysAreUnique(t *testing.T) {
	type point struct {
		horizon int
		time    int64
	}
	free := 0 // targets on weekends
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		e := streamtest.NewEngine(t, streamtest.DriftConfig())
		var b engine.Results
		seen := make(map[point]bool)
		phase, since := false, 0 // whether weekends have samples, and days since it changed
		for d := range int64(1500) {
			if since++; rng.IntN(80) == 0 {
				phase, since = !phase, 0
			}
			at := d * 24 * 3600e9
			weekend := func(at int64) bool {
				w := time.Unix(0, at).UTC().Weekday()
				return w == time.Saturday || w == time.Sunday
			}
			if weekend(at) && !phase || rng.IntN(30) == 0 {
				continue
			}
			if err := streamtest.Apply(e, &b, &stream.Record{Message: &stream.Message{Topic: "in", Offset: d}, Series: "s", Time: at, Values: []float64{float64(d % 9)}}); err != nil {
				t.Fatal(err)
			}
			for _, f := range b.Forecasts {
				p := point{f.Horizon, f.Time}
				if seen[p] {
					t.Fatalf("seed %d, day %d: horizon %d at %d a second time", seed, d, p.horizon, p.time)
				}
				seen[p] = true
				if weekend(f.Time) {
					free++
					if !phase && since > 60 {
						t.Fatalf("seed %d, day %d: a forecast of horizon %d for a weekend", seed, d, f.Horizon)
					}
				}
			}
			b.Reset()
		}
	}
	if free == 0 {
		t.Error("weekends with samples were not forecast")
	}
}

// TestTargetTimesAreUniqueAfterWrongClocks: nor have they when a clock leaps ahead, once or until it is set
// back, however often.
func TestTargetTimesAreUniqueAfterWrongClocks(t *testing.T) {
	type point struct {
		horizon int
		time    int64
	}
	back := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		e := streamtest.NewEngine(t, streamtest.DriftConfig())
		var b engine.Results
		seen := make(map[point]bool)
		var now, ahead int64
		for i := range int64(200) {
			now++
			at := now
			switch rng.IntN(20) {
			case 0:
				now += int64(rng.IntN(5))
				at = now
			case 1:
				at += 100_000 // once
			case 2:
				ahead = 5000 - ahead // set, and set back
			}
			at += ahead
			if err := streamtest.Apply(e, &b, &stream.Record{Message: &stream.Message{Topic: "in", Offset: i}, Series: "s", Time: at * 1e9, Values: []float64{float64(i % 9)}}); err != nil {
				t.Fatal(err)
			}
			for _, f := range b.Forecasts {
				p := point{f.Horizon, f.Time}
				if seen[p] {
					t.Fatalf("seed %d, sample %d: horizon %d at %d a second time", seed, i, p.horizon, p.time)
				}
				seen[p] = true
			}
			for _, v := range b.Events {
				if v.Kind == stream.EventTime {
					back++
				}
			}
			b.Reset()
		}
	}
	if back < 300 {
		t.Errorf("the time went back only %d times", back)
	}
}
