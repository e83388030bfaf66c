package engine_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// issuer applies samples of one series to an engine and fails when two forecasts of a horizon have the same
// target time.
type issuer struct {
	t       *testing.T
	engine  *engine.Engine
	seen    map[target]bool
	offset  int64
	results engine.Results // of the last sample
}

type target struct {
	horizon int
	time    int64
}

func newIssuer(t *testing.T, c engine.Config) *issuer {
	return &issuer{t: t, engine: streamtest.NewEngine(t, c), seen: make(map[target]bool)}
}

func (s *issuer) apply(seed uint64, time int64, values ...float64) []stream.Forecast {
	s.t.Helper()
	s.results.Reset()
	m := stream.Message{Topic: "in", Offset: s.offset}
	s.offset++
	if err := streamtest.Apply(s.engine, &s.results, &stream.Record{Message: &m, Series: "s", Time: time, Values: values}); err != nil {
		s.t.Fatal(err)
	}
	for _, f := range s.results.Forecasts {
		if s.seen[target{f.Horizon, f.Time}] {
			s.t.Fatalf("seed %d, message %d: horizon %d at %d a second time", seed, m.Offset, f.Horizon, f.Time)
		}
		s.seen[target{f.Horizon, f.Time}] = true
	}
	return s.results.Forecasts
}

// TestTargetTimesAreUnique: however the spacing changes while it is estimated, no two
// forecasts of a horizon have the same target time, and where it stays nothing is left
// out. Without the rule there are collisions, or the test would test nothing.
func TestTargetTimesAreUnique(t *testing.T) {
	collisions := 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		c := streamtest.DriftConfig()
		c.SchemaChangeAfter = 1
		s := newIssuer(t, c)
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
			values := []float64{float64(i % 9), 1}[:1+(i+180)/200%2] // a new model now and then
			n := len(s.apply(seed, now, values...))
			issued += n
			if i > 1 {
				collisions += 3 - n
			}
			if 100 < i && i < 200 && n != 3 {
				t.Errorf("seed %d, sample %d: %d forecasts though the spacing has not changed for long", seed, i, n)
			}
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
	free := 0 // targets on weekends
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := newIssuer(t, streamtest.DriftConfig())
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
			for _, f := range s.apply(seed, at, float64(d%9)) {
				if weekend(f.Time) {
					free++
					if !phase && since > 60 {
						t.Fatalf("seed %d, day %d: a forecast of horizon %d for a weekend", seed, d, f.Horizon)
					}
				}
			}
		}
	}
	if free == 0 {
		t.Error("weekends with samples were not forecast")
	}
}

// TestTargetTimesAreUniqueAfterWrongClocks: nor have they when a clock leaps ahead, once or until it is set
// back, however often.
func TestTargetTimesAreUniqueAfterWrongClocks(t *testing.T) {
	back := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		s := newIssuer(t, streamtest.DriftConfig())
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
			s.apply(seed, at*1e9, float64(i%9))
			for _, v := range s.results.Events {
				if v.Kind == event.Time {
					back++
				}
			}
		}
	}
	if back < 300 {
		t.Errorf("the time went back only %d times", back)
	}
}
