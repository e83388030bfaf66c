package engine_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// Rows of docs/reliability.md about data. What exactly happens is written in the
// scripts of testdata/engine.

func playScript(t *testing.T, name string) {
	t.Helper()
	s := &script{}
	datadriven.RunTest(t, "testdata/engine/"+name+".txt", s.run)
}

func TestFault28_MissingCoordinates(t *testing.T)    { playScript(t, "missing") }
func TestFault29_DimensionMismatch(t *testing.T)     { playScript(t, "schema") }
func TestFault30_DuplicateLateFuture(t *testing.T)   { playScript(t, "order") }
func TestFault32_ExplodingSeries(t *testing.T)       { playScript(t, "rescue") }
func TestFault33_LimitsOnSeriesAndSize(t *testing.T) { playScript(t, "limits") }

// hostile are numbers that have broken other programs.
var hostile = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, math.MaxFloat64, 5e-324, -5e-324, 0,
	math.Copysign(0, -1), 1e50, 1e150, 1 << 53, streamtest.Poison}

// TestFault27_HostileNumbers: for any input the output is finite. It is NaN only where a value is missing by
// definition.
func TestFault27_HostileNumbers(t *testing.T) {
	e := streamtest.NewEngine(t, streamtest.DriftConfig())
	var b engine.Results
	for i := range 2000 {
		v := hostile[i/3%len(hostile)]
		if i%3 > 0 {
			v = float64(i % 10)
		}
		m := stream.Message{Topic: "in", Offset: int64(i)}
		if err := streamtest.Apply(e, &b, &stream.Record{Message: &m, Series: "s", Time: int64(i+1) * 1e9, Values: []float64{v, float64(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.Forecasts) < 1000 || len(b.DeadLetters) < 100 {
		t.Errorf("%d forecasts, %d dead letters", len(b.Forecasts), len(b.DeadLetters))
	}
	for _, f := range b.Forecasts {
		for _, v := range f.Yhat {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("a forecast at %d is %v", f.Origin, f.Yhat)
			}
		}
		for _, v := range slices.Concat(f.Lower, f.Upper) {
			if math.IsInf(v, 0) {
				t.Fatalf("a bound at %d is infinite", f.Origin)
			}
		}
	}
}

// heap returns the memory in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestFault33_FloodIsBounded: a new series with every message costs no memory
// beyond pipeline.max_series.
func TestFault33_FloodIsBounded(t *testing.T) {
	c := streamtest.DriftConfig()
	c.MaxSeries = 50
	e := streamtest.NewEngine(t, c)
	var b engine.Results
	apply := func(from, n int) {
		for i := from; i < from+n; i++ {
			m := stream.Message{Topic: "in", Offset: int64(i)}
			if err := streamtest.Apply(e, &b, &stream.Record{Message: &m, Series: fmt.Sprint("s", i), Time: int64(i+1) * 1e9, Values: []float64{1, 2}}); err != nil {
				t.Fatal(err)
			}
			if i%100 == 0 {
				b.Reset()
			}
		}
	}
	apply(0, 1000)
	before := heap()
	apply(1000, 100_000)
	if after := heap(); after > before+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
	if e.NumSeries() != 50 {
		t.Errorf("%d series", e.NumSeries())
	}
}

// TestRefusedEvents: the first, the tenth and the hundredth record refused for a reason are
// reported, also across a restart, and with the time of the message as long as no sample came.
func TestRefusedEvents(t *testing.T) {
	e := streamtest.NewEngine(t, streamtest.DriftConfig())
	var b engine.Results
	for i := range int64(120) {
		m := stream.Message{Topic: "in", Offset: i, Time: 7e9 + i}
		streamtest.Reject(e, &b, &m, &refuse.Error{Reason: refuse.Malformed, Detail: "no object"})
		if err := e.Score(&b); err != nil {
			t.Fatal(err)
		}
		restored := streamtest.NewEngine(t, streamtest.DriftConfig())
		if err := streamtest.Restore(restored, streamtest.Snapshot(e)); err != nil {
			t.Fatal(err)
		}
		e = restored
	}
	var got []string
	for _, ev := range b.Events {
		got = append(got, fmt.Sprintf("%s %s %d %s", ev.Series, ev.Kind, ev.Time, ev.Text))
	}
	want := []string{
		"_all refused 7000000000 1 record was refused as malformed; the latest: in[0]@0: no object",
		"_all refused 7000000010 10 records were refused as malformed; the latest: in[0]@9: no object",
		"_all refused 7000000101 100 records were refused as malformed; the latest: in[0]@99: no object",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	// Of two reasons at one time: a point has one value.
	b.Events = nil
	streamtest.Reject(e, &b, &stream.Message{Offset: 120, Time: 7e9}, &refuse.Error{Reason: refuse.Late, Detail: "late"})
	if err := e.Score(&b); err != nil || len(b.Events) != 1 || b.Events[0].Time != 7e9+3 {
		t.Errorf("%v, events %v", err, b.Events)
	}
}
