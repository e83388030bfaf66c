package engine_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// TestRates: counters become their increase per second, for any distance of their values. The value is missing at
// the first value, and at a reset without its time. Neither the order within Wait nor a restart matters.
func TestRates(t *testing.T) {
	const unknown = 1
	at := func(seconds float64) int64 { return int64(seconds * 1e9) }
	var records []stream.Record
	for _, r := range []struct {
		seconds, sum float64
		since        int64
		want         float64 // of the row
	}{
		{10, 100, at(2), math.NaN()}, // 98 since 2 s is a mean of before
		{20, 150, at(2), 5},
		{31, 172, at(2), 2}, // by the time of the value, not of its row
		{40, 190, at(2), 2},
		{50, 30, at(45), 6},            // begun again at 45 s
		{60, 400, at(55), 80},          // and once more, which its value does not show
		{70, 390, unknown, math.NaN()}, // smaller: begun again, nobody knows when
		{80, 400, unknown, 1},
		{90, math.NaN(), unknown, math.NaN()},
		{100, 440, unknown, 2}, // over both rows
	} {
		records = append(records, stream.Record{
			Series: "s", Time: at(r.seconds), Names: []string{"sum", "level", "want"},
			Values: []float64{r.sum, 7, r.want}, Since: []int64{r.since, 0, 0},
		})
	}
	records = append(records, stream.Record{Series: "s", Time: at(1000), Names: []string{"level"}, Values: []float64{0}})
	c := assemblyConfig(assemble.Assembly{Rates: true, Wait: 20 * time.Second, WaitForLate: true})
	run := func(records []stream.Record, restart int) (rows []string, state []byte) {
		e := streamtest.NewEngine(t, c)
		var b engine.Results
		for i := range records {
			if i == restart {
				state := streamtest.Snapshot(e)
				e = streamtest.NewEngine(t, c)
				if err := streamtest.Restore(e, state); err != nil {
					t.Fatal(err)
				}
			}
			r := records[i]
			r.Message = &stream.Message{Topic: "in", Offset: int64(i)}
			if err := streamtest.Apply(e, &b, &r); err != nil {
				t.Fatal(err)
			}
		}
		if len(b.DeadLetters) > 0 {
			t.Error(b.DeadLetters)
		}
		for i := range b.Observations {
			o := &b.Observations[i]
			rows = append(rows, fmt.Sprint(o.Y))
			if len(rows) <= 10 && !slices.Equal(o.Series.Variables, []string{"level", "sum", "want"}) || o.Y[0] != 7 || fmt.Sprint(o.Y[1]) != fmt.Sprint(o.Y[2]) {
				t.Errorf("restart at %d, row %d: %v has %v", restart, i, o.Series.Variables, o.Y)
			}
		}
		return rows, streamtest.Snapshot(e)
	}
	want, state := run(records, -1)
	if len(want) != 10 {
		t.Fatalf("%d rows: %v", len(want), want)
	}
	for i := 1; i < len(records); i++ {
		if got, s := run(records, i); !slices.Equal(got, want[:]) || !bytes.Equal(s, state) {
			t.Errorf("with a restart at %d: %v, want %v", i, got, want)
		}
	}
	for i := 0; i+2 < len(records); i++ {
		other := slices.Clone(records)
		other[i], other[i+1] = other[i+1], other[i]
		if got, _ := run(other, -1); !slices.Equal(got, want) {
			t.Errorf("with %d and %d exchanged: %v, want %v", i, i+1, got, want)
		}
	}
}

// TestRatesOfNamedVariables: counters that the configuration names become rates in whole samples and on a
// grid alike, other variables and numbers stay, and a number that stands for a missing value is no step.
// A restart after any record changes neither samples nor state, and resets are counted once.
func TestRatesOfNamedVariables(t *testing.T) {
	nan := math.NaN()
	counts := []float64{100, 150, 150, 400, 30, nan, 90, -999, 130}
	want := []float64{nan, 5, 0, 25, nan, nan, 3, nan, 2} // per second, in steps of 10 s
	whole := streamtest.DriftConfig()
	grid := assemblyConfig(assemble.Assembly{Wait: 10 * time.Second})
	for name, c := range map[string]engine.Config{"whole": whole, "grid": grid} {
		c.Rates, c.Missing = []string{"sum"}, []float64{-999}
		var records []stream.Record
		for i, v := range counts {
			records = append(records, stream.Record{
				Message: &stream.Message{Topic: "in", Offset: int64(i)}, Series: "s", Time: int64(i+1) * 10e9,
				Names: []string{"level", "sum"}, Values: []float64{7, v},
			})
		}
		var first []byte
		for restart := range records {
			e := streamtest.NewEngine(t, c)
			var b engine.Results
			for i := range records {
				if i == restart && i > 0 {
					state := streamtest.Snapshot(e)
					e = streamtest.NewEngine(t, c)
					if err := streamtest.Restore(e, state); err != nil {
						t.Fatal(err)
					}
				}
				if err := streamtest.Apply(e, &b, &records[i]); err != nil {
					t.Fatal(err)
				}
			}
			for i := range b.Observations {
				if y := b.Observations[i].Y; y[0] != 7 || y[1] != want[i] && !(math.IsNaN(y[1]) && math.IsNaN(want[i])) {
					t.Errorf("%s, restart at %d, sample %d: %v, want %v", name, restart, i, y, want[i])
				}
			}
			if n := len(b.Observations); n < len(want)-2 || len(b.DeadLetters) > 0 {
				t.Errorf("%s, restart at %d: %d samples, refused: %v", name, restart, n, b.DeadLetters)
			}
			if e.Resets() != 1 {
				t.Errorf("%s, restart at %d: %d resets, want 1", name, restart, e.Resets())
			}
			state := streamtest.Snapshot(e)
			if first == nil {
				first = state
			}
			if !bytes.Equal(state, first) {
				t.Errorf("%s: a restart at %d changes the state", name, restart)
			}
		}
		for i, v := range counts {
			if records[i].Values[1] != v && !math.IsNaN(v) {
				t.Errorf("%s: record %d was changed to %v", name, i, records[i].Values)
			}
		}
	}
}
