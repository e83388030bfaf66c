package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// wrongTimes applies 300 samples, one per minute, of which some come with other times, and
// returns the batch. With an Assembly each variable comes in a record of its own.
func wrongTimes(t *testing.T, c engine.Config, wrong map[int]time.Time) *engine.Results {
	t.Helper()
	e := streamtest.NewEngine(t, c)
	b := &engine.Results{}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	offset := int64(0)
	for i := range 300 {
		at := start.Add(time.Duration(i) * time.Minute)
		if w, ok := wrong[i]; ok {
			at = w
		}
		values := map[string]float64{"a": float64(i), "b": float64(i % 7)}
		names := []string{"a", "b"}
		records := [][]string{names}
		if c.Assembly != nil {
			records = [][]string{{"a"}, {"b"}}
		}
		for _, names := range records {
			m := stream.Message{Topic: "in", Offset: offset}
			offset++
			r := stream.Record{Message: &m, Series: "s", Time: at.UnixNano(), Names: names}
			for _, name := range names {
				r.Values = append(r.Values, values[name])
			}
			if err := streamtest.Apply(e, b, &r); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

func timeConfig(whole bool) engine.Config {
	c := streamtest.DriftConfig()
	c.Interval, c.MaxGap = 0, 0
	if !whole {
		c.Interval, c.MaxGap, c.Assembly = time.Minute, 1000, &assemble.Assembly{}
	}
	return c
}

// TestFault60_OneWrongTime: samples of the year 2261, or of the next year, at the beginning or
// later, one or five in a row, silence a series for ten samples at most, and an event says so.
func TestFault60_OneWrongTime(t *testing.T) {
	far, near := time.Date(2261, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, whole := range []bool{true, false} {
		for _, c := range []struct {
			name  string
			wrong map[int]time.Time
		}{
			{"later", map[int]time.Time{100: far}},
			{"first", map[int]time.Time{0: far}},
			{"next year", map[int]time.Time{100: near}},
			{"in a row", map[int]time.Time{100: far, 101: far.Add(time.Minute), 102: far.Add(2 * time.Minute), 103: far.Add(3 * time.Minute), 104: far.Add(4 * time.Minute)}},
			{"next year, in a row", map[int]time.Time{100: near, 101: near.Add(time.Minute), 102: near.Add(2 * time.Minute)}},
			{"twice", map[int]time.Time{100: near, 200: far}},
		} {
			t.Run(fmt.Sprintf("%s, whole %v", c.name, whole), func(t *testing.T) {
				config := timeConfig(whole)
				right, b := wrongTimes(t, config, nil), wrongTimes(t, config, c.wrong)
				// Each wrong time costs itself and ten samples, of two records each with parts.
				most := 12 * len(c.wrong)
				if !whole {
					most *= 2
				}
				if len(b.DeadLetters) > most {
					t.Errorf("%d dead letters, at most %d were expected; the last: %s", len(b.DeadLetters), most, b.DeadLetters[len(b.DeadLetters)-1].Detail)
				}
				last := func(b *engine.Results) stream.Observation { return b.Observations[len(b.Observations)-1] }
				if got, want := last(b), last(right); got.Time != want.Time || !slices.Equal(got.Y, want.Y) {
					t.Errorf("the last observation is %v at %d, want %v at %d", got.Y, got.Time, want.Y, want.Time)
				}
				if n := len(right.Observations) - len(b.Observations); n > most {
					t.Errorf("%d observations are missing", n)
				}
				told := slices.ContainsFunc(b.Events, func(e stream.Event) bool { return e.Kind == event.Time })
				// A grid refuses times of the last 40 years that int64 has, and rows ahead of all others.
				refused := slices.ContainsFunc(b.DeadLetters, func(l stream.DeadLetter) bool {
					return l.Reason == refuse.Future || l.Reason == refuse.Malformed
				})
				if !told && !(refused && !whole) {
					t.Error("neither an event nor a dead letter reports the wrong time")
				}
				if f := b.Forecasts[len(b.Forecasts)-1]; f.Origin != last(b).Time {
					t.Error("no forecast after the last sample")
				}
			})
		}
	}
}

// TestFault60_LateStaysLate: records that are sent again, of before or after an outage, go
// nowhere.
func TestFault60_LateStaysLate(t *testing.T) {
	e := streamtest.NewEngine(t, timeConfig(true))
	b := &engine.Results{}
	offset := int64(0)
	apply := func(from, to int) {
		for i := from; i < to; i++ {
			at := int64(i) * int64(time.Minute)
			if i >= 2000 {
				at += int64(5000 * time.Hour) // the outage
			}
			m := stream.Message{Topic: "in", Offset: offset}
			offset++
			if err := streamtest.Apply(e, b, &stream.Record{Message: &m, Series: "s", Time: at, Values: []float64{float64(i)}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	apply(0, 2000)
	apply(1900, 2000)
	apply(2000, 2050)
	apply(2001, 2050)
	apply(1500, 2000)
	apply(2050, 2060)
	if n := len(b.Observations); n != 2060 {
		t.Errorf("%d observations of 2060 samples", n)
	}
	if slices.ContainsFunc(b.Events, func(e stream.Event) bool { return e.Kind == event.Time }) {
		t.Error("the time went back")
	}
}

// TestFault66_OneValueForAMonth: a day is a sample and a month the spacing: 29, 30 and 31
// January are all a month before 28 February, but no point has two values.
func TestFault66_OneValueForAMonth(t *testing.T) {
	c := streamtest.DriftConfig()
	c.Interval, c.Months = 0, 1
	e := streamtest.NewEngine(t, c)
	b := &engine.Results{}
	type point struct {
		time    int64
		horizon int
	}
	seen := make(map[point]int64)
	day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 800 {
		m := stream.Message{Topic: "in", Offset: int64(i)}
		r := stream.Record{Message: &m, Series: "s", Time: day.AddDate(0, 0, i).UnixNano(), Values: []float64{float64(i % 30)}}
		if err := streamtest.Apply(e, b, &r); err != nil {
			t.Fatal(err)
		}
		issued := 0
		for _, f := range b.Forecasts {
			p := point{f.Time, f.Horizon}
			if origin, twice := seen[p]; twice {
				t.Fatalf("horizon %d: the forecasts of %v and %v are both for %v", f.Horizon,
					time.Unix(0, origin).UTC(), time.Unix(0, f.Origin).UTC(), time.Unix(0, f.Time).UTC())
			}
			seen[p] = f.Origin
			issued++
		}
		if d := day.AddDate(0, 0, i).Day(); i > 10 && d <= 28 && issued != len(c.Emit) {
			t.Fatalf("%d forecasts on day %d of a month", issued, d)
		}
		b.Reset()
	}
}
