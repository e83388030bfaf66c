package engine_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// clockRun applies n rows of each of three series whose clock shows true times plus off(series, row),
// and returns which rows were learnt, by their value, and all dead letters. With restarts, the engine
// is made again from its state now and then.
func clockRun(t *testing.T, c engine.Config, n int, every time.Duration, off func(series, row int) time.Duration, restarts bool) (learnt map[float64]bool, letters []string) {
	t.Helper()
	e := streamtest.NewEngine(t, c)
	learnt = make(map[float64]bool)
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	offset := int64(0)
	for i := range n {
		for k := range 3 {
			for _, name := range []string{"a", "b"} {
				at := start.Add(time.Duration(i)*every + off(k, i))
				m := stream.Message{Topic: "in", Offset: offset}
				offset++
				r := stream.Record{Message: &m, Series: fmt.Sprint("s", k), Time: at.UnixNano(), Names: []string{name}, Values: []float64{float64(10*i + k)}}
				if c.Assembly == nil {
					r.Names, r.Values = []string{"a", "b"}, append(r.Values, 1)
				}
				if restarts && offset%11 == 0 {
					state := streamtest.Snapshot(e)
					e = streamtest.NewEngine(t, c)
					if err := streamtest.Restore(e, state); err != nil {
						t.Fatal(err)
					}
				}
				b := &engine.Results{}
				if err := streamtest.Apply(e, b, &r); err != nil {
					t.Fatal(err)
				}
				for _, o := range b.Observations {
					learnt[o.Y[0]] = true
				}
				for _, l := range b.DeadLetters {
					letters = append(letters, l.Detail)
				}
				if c.Assembly == nil {
					break
				}
			}
		}
	}
	return learnt, letters
}

// TestFault73_TimeByAgreement: once a wrong clock is right again, each series misses at most ten rows. The clock
// may have been wrong for one row or thousands, ahead or behind, in one series or in all.
func TestFault73_TimeByAgreement(t *testing.T) {
	const day = 24 * time.Hour
	at := func(rows map[int]time.Duration) func(int, int) time.Duration {
		return func(_, i int) time.Duration { return rows[i] }
	}
	between := func(from, to int, off time.Duration) func(int, int) time.Duration {
		return func(_, i int) time.Duration {
			if i >= from && i < to {
				return off
			}
			return 0
		}
	}
	for _, c := range []struct {
		name  string
		every time.Duration
		rows  int
		off   func(series, row int) time.Duration
		right int // the first row from which the clock stays right
	}{
		{"a day, a year ahead", day, 450, at(map[int]time.Duration{50: 365 * day}), 51},
		{"an hour, 30 days ahead", time.Hour, 900, at(map[int]time.Duration{100: 30 * day}), 101},
		{"a minute, 12 ahead", time.Minute, 100, at(map[int]time.Duration{50: 12 * time.Minute}), 51},
		{"first row", time.Hour, 300, at(map[int]time.Duration{0: 9 * day}), 1},
		{"second row", time.Hour, 300, at(map[int]time.Duration{1: 9 * day}), 2},
		{"third row", time.Hour, 300, at(map[int]time.Duration{2: 9 * day}), 3},
		{"ahead, then further", time.Hour, 300, at(map[int]time.Duration{50: 30 * day, 51: 400 * day}), 52},
		{"ahead, then less", time.Hour, 300, at(map[int]time.Duration{50: 400 * day, 51: 30 * day}), 52},
		{"ahead for 20, then less for 20", time.Hour, 300, func(s, i int) time.Duration {
			return between(50, 70, 400*day)(s, i) + between(70, 90, 9*day)(s, i)
		}, 90},
		{"1,100 rows of a day ahead", time.Second, 1500, between(100, 1200, day), 1200},
		{"behind", time.Hour, 300, at(map[int]time.Duration{50: -365 * day}), 51},
		{"50 rows of a year behind", time.Hour, 300, between(50, 100, -365*day), 100},
		{"first row behind", time.Hour, 300, at(map[int]time.Duration{0: -20000 * day}), 1},
		{"behind in a hole", time.Hour, 300, func(s, i int) time.Duration { // after 40 days without rows
			if i >= 60 && i < 80 {
				return 20 * day
			}
			return between(50, 300, 40*day)(s, i)
		}, 80},
		{"one series of three", time.Hour, 300, func(s, i int) time.Duration {
			if s == 1 {
				return between(50, 60, 30*day)(s, i)
			}
			return 0
		}, 60},
		{"now and then", time.Hour, 400, func(_, i int) time.Duration {
			if i%37 == 36 {
				return time.Duration(i%5) * 50 * day
			}
			return 0
		}, 0},
	} {
		for _, whole := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, whole %v", c.name, whole), func(t *testing.T) {
				config := timeConfig(whole)
				if !whole {
					config.Interval = c.every
				}
				learnt, letters := clockRun(t, config, c.rows, c.every, c.off, false)
				for k := range 3 {
					missed, most := 0, 10
					for i := c.right; i < c.rows-2; i++ { // the last rows may still be open
						if !learnt[float64(10*i+k)] {
							missed++
						}
					}
					if c.right == 0 {
						most = 12 * (c.rows / 37) // each wrong row and ten after it
					}
					if missed > most {
						t.Errorf("series %d misses %d rows after its clock is right, at most %d were expected; last refusal: %s", k, missed, most, letters[len(letters)-1])
					}
				}
				if c.rows > 300 {
					return
				}
				again, lettersAgain := clockRun(t, config, c.rows, c.every, c.off, true)
				if !reflect.DeepEqual(learnt, again) || !reflect.DeepEqual(letters, lettersAgain) {
					t.Error("with restarts other rows are learnt")
				}
			})
		}
	}
}

// TestFault73_LateInOpenRows: late values in rows that are still open do not set the time back.
func TestFault73_LateInOpenRows(t *testing.T) {
	c := timeConfig(false)
	c.Assembly.Wait, c.Assembly.WaitForLate = time.Hour, true
	learnt, letters := clockRun(t, c, 300, time.Minute, func(_, i int) time.Duration {
		if i == 100 {
			return 40 * time.Minute // the newest comes before the delayed ones
		}
		return 0
	}, false)
	if len(letters) > 0 {
		t.Errorf("dead letters: %q", letters)
	}
	if len(learnt) < 3*(300-65) {
		t.Errorf("%d rows were learnt", len(learnt))
	}
}
