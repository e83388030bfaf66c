package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// TestRestartAnywhere: an engine restored from a snapshot, to which some records come again, continues bit for bit
// like an engine without a restart.
func TestRestartAnywhere(t *testing.T) {
	for _, scope := range []engine.Scope{engine.PerSeries, engine.Shared} {
		c := streamtest.DriftConfig()
		c.Scope = scope
		c.Interval = 1e9
		rs := streamtest.Records(400, 3)
		whole := streamtest.NewEngine(t, c)
		var states [][]byte
		var output []string
		for i := range rs {
			states = append(states, streamtest.Snapshot(whole))
			var b engine.Results
			if err := streamtest.Apply(whole, &b, &rs[i]); err != nil {
				t.Fatal(err)
			}
			output = append(output, text(&b))
		}
		for from := 0; from < len(rs); from += 7 {
			e := streamtest.NewEngine(t, c)
			if err := streamtest.Restore(e, states[from]); err != nil {
				t.Fatal(err)
			}
			for i := max(0, from-3); i < min(from+60, len(rs)); i++ {
				var b engine.Results
				if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
					t.Fatal(err)
				}
				want := output[i]
				if i < from {
					want = text(&engine.Results{}) // skipped
				}
				if got := text(&b); got != want {
					t.Fatalf("scope %s, restart at %d, record %d: got\n%swant\n%s", scope, from, i, got, want)
				}
			}
		}
	}
}

// text is all that is in a batch.
func text(b *engine.Results) string { return textOf(b, []float64{.8, .5}) }

func textOf(b *engine.Results, levels []float64) string {
	out := string(lineproto.Encoder{Levels: levels, Long: true, Exact: true}.AppendBatch(nil, &b.Batch))
	for _, l := range b.DeadLetters {
		out += fmt.Sprintf("%s %s %s %s %s\n", l.Message.Origin(), l.Reason, l.Detail, l.Message.Key, l.Message.Value)
	}
	return out
}

// TestBatchKeepsEarlierPoints: earlier points are unchanged while the batch grows.
func TestBatchKeepsEarlierPoints(t *testing.T) {
	rs := streamtest.Records(600, 5)
	one, many := streamtest.NewEngine(t, streamtest.DriftConfig()), streamtest.NewEngine(t, streamtest.DriftConfig())
	var whole, want engine.Results
	for i := range rs {
		if err := streamtest.Apply(one, &whole, &rs[i]); err != nil {
			t.Fatal(err)
		}
		var b engine.Results
		if err := streamtest.Apply(many, &b, &rs[i]); err != nil {
			t.Fatal(err)
		}
		want.Forecasts = append(want.Forecasts, b.Forecasts...)
		want.Observations = append(want.Observations, b.Observations...)
		want.Metrics = append(want.Metrics, b.Metrics...)
		want.Events = append(want.Events, b.Events...)
		want.DeadLetters = append(want.DeadLetters, b.DeadLetters...)
	}
	if text(&whole) != text(&want) {
		t.Fatal("one batch of all records has other points than one batch a record")
	}
	if n := whole.Records; n != int64(len(rs)) {
		t.Errorf("%d records were counted of %d", n, len(rs))
	}
}

// TestScoredLater: how far the scorer is behind the models makes no difference, neither
// to the points nor to the state.
func TestScoredLater(t *testing.T) {
	for _, scope := range []engine.Scope{engine.PerSeries, engine.Shared} {
		c := streamtest.DriftConfig()
		c.Scope, c.Interval, c.SchemaChangeAfter = scope, 1e9, 2
		rs := streamtest.Records(600, 7)
		for _, lag := range []int{2, 17, len(rs)} {
			atOnce, later := streamtest.NewEngine(t, c), streamtest.NewEngine(t, c)
			var want, got engine.Results
			for i := range rs {
				if err := streamtest.Apply(atOnce, &want, &rs[i]); err != nil {
					t.Fatal(err)
				}
				if engine.Begin(later, &got, rs[i].Message) {
					if err := later.Learn(&got, &rs[i]); err != nil {
						t.Fatal(err)
					}
				}
				if (i+1)%lag == 0 {
					if err := later.Score(&got); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := later.Score(&got); err != nil {
				t.Fatal(err)
			}
			if text(&got) != text(&want) {
				t.Errorf("scope %s, scored every %d records: other points", scope, lag)
			}
			if !bytes.Equal(streamtest.Snapshot(later), streamtest.Snapshot(atOnce)) {
				t.Errorf("scope %s, scored every %d records: another state", scope, lag)
			}
		}
	}
}

// TestRestoreFailsWhole: after an error the engine is as it was.
func TestRestoreFailsWhole(t *testing.T) {
	rs := streamtest.Records(100, 1)
	e := streamtest.NewEngine(t, streamtest.DriftConfig())
	var b engine.Results
	for i := range rs {
		if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
			t.Fatal(err)
		}
	}
	state := streamtest.Snapshot(e)
	for cut := 0; cut < len(state); cut += 1 + len(state)/200 {
		if err := streamtest.Restore(e, state[:cut]); err == nil {
			t.Fatalf("a state cut at %d of %d was accepted", cut, len(state))
		}
	}
	if string(streamtest.Snapshot(e)) != string(state) {
		t.Error("a failed Restore changed the state")
	}
	other := streamtest.DriftConfig()
	other.Exogenous = []string{"x1"}
	if err := streamtest.Restore(streamtest.NewEngine(t, other), state); err == nil {
		t.Error("the state of an engine without exogenous inputs was accepted")
	}
}

// stubborn refuses what no model may refuse.
type stubborn struct{ *streamtest.Drift }

type stubbornSeries struct{ eval.Forecaster }

func (m stubborn) NewSeries() eval.Forecaster  { return stubbornSeries{m.Drift.NewSeries()} }
func (stubbornSeries) Observe([]float64) error { return errors.New("no") }

// TestScoresOfTheEnd: Scores gives the scores when they are not due, and changes
// nothing.
func TestScoresOfTheEnd(t *testing.T) {
	c := streamtest.DriftConfig()
	c.MetricsEvery = 0
	e := streamtest.NewEngine(t, c)
	var b engine.Results
	rs := streamtest.Records(100, 2)
	for i := range rs {
		if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.Metrics) > 0 {
		t.Fatal("scores though they are switched off")
	}
	before := streamtest.Snapshot(e)
	e.AppendScores(&b)
	if len(b.Metrics) == 0 || string(streamtest.Snapshot(e)) != string(before) {
		t.Errorf("%d scores, or the state changed", len(b.Metrics))
	}
}

// TestApplyDoesNotAllocate: the hot path, with metrics at every sample.
func TestApplyDoesNotAllocate(t *testing.T) {
	c := streamtest.DriftConfig()
	c.MetricsEvery = 1
	e := streamtest.NewEngine(t, c)
	r := stream.Record{Message: &stream.Message{}, Series: "s", Names: []string{"a", "b", "c"}, Values: make([]float64, 3)}
	var b engine.Results
	step := func() {
		r.Message.Offset++
		r.Time += 1e9
		for j := range r.Values {
			r.Values[j] = math.Sin(float64(r.Message.Offset) * float64(j+1))
		}
		b.Reset()
		if err := errors.Join(e.Learn(&b, &r), e.Score(&b)); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%v allocations a record", n)
	}
	if len(b.Forecasts) != 3 || len(b.Metrics) != 3*3*4 {
		t.Errorf("%d forecasts and %d metrics a record", len(b.Forecasts), len(b.Metrics))
	}
}

// FuzzRestore: a state is untrusted input.
func FuzzRestore(f *testing.F) {
	c := streamtest.DriftConfig()
	c.Emit, c.MetricsWindow, c.Baselines, c.MaxSeries, c.MaxDim = []int{1}, 0, c.Baselines[:1], 2, 3 // small states are mutated faster
	e := streamtest.NewEngine(f, c)
	var b engine.Results
	rs := streamtest.Records(40, 1)
	for i := range rs {
		if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
			f.Fatal(err)
		}
		if i%8 == 0 {
			f.Add(streamtest.Snapshot(e))
		}
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		e := streamtest.NewEngine(t, c)
		if streamtest.Restore(e, state) != nil {
			return
		}
		var b engine.Results
		for i := range rs {
			if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := streamtest.Restore(streamtest.NewEngine(t, c), streamtest.Snapshot(e)); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkApply(b *testing.B) {
	for _, dim := range []int{1, 5, 31} {
		b.Run(fmt.Sprint("dim=", dim), func(b *testing.B) {
			c := streamtest.DriftConfig()
			e := streamtest.NewEngine(b, c)
			r := stream.Record{Message: &stream.Message{}, Series: "s", Values: make([]float64, dim)}
			for j := range dim {
				r.Names = append(r.Names, fmt.Sprint("v", j))
			}
			var batch engine.Results
			b.ReportAllocs()
			for b.Loop() {
				r.Message.Offset++
				r.Time += 1e9
				r.Values[0]++
				batch.Reset()
				if err := errors.Join(e.Learn(&batch, &r), e.Score(&batch)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
