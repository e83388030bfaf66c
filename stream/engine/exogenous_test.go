package engine_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// taker writes down the inputs that it is given with each sample.
type taker struct {
	*streamtest.Drift
	log *[]string
}

func (m taker) NewSeries() eval.Forecaster {
	return &takerSeries{Forecaster: m.Drift.NewSeries(), log: m.log}
}

type takerSeries struct {
	eval.Forecaster
	log *[]string
	u   []float64
}

func (s *takerSeries) SetInputs(u []float64) { s.u = append(s.u[:0], u...) }

func (s *takerSeries) Observe(y []float64) error {
	*s.log = append(*s.log, fmt.Sprint(y, " ", s.u))
	return s.Forecaster.Observe(y)
}

func takerEngine(t *testing.T, log *[]string, change func(c *engine.Config)) *engine.Engine {
	t.Helper()
	c := engine.Config{
		Model: "m", NewModel: func(dim int) (eval.Model, error) { return taker{streamtest.NewDrift(dim, 2, 0), log}, nil },
		Horizon: 2, Config: assemble.Config{Exogenous: []string{"u", "v"}, Interval: 10 * time.Second, MaxGap: 5},
	}
	if change != nil {
		change(&c)
	}
	e, err := engine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

type input struct {
	at     int64 // seconds
	names  []string
	values []float64
}

var nan = math.NaN()

func give(t *testing.T, e *engine.Engine, inputs []input) *engine.Results {
	t.Helper()
	b := &engine.Results{}
	for _, in := range inputs {
		r := stream.Record{Message: &stream.Message{Offset: e.Next()}, Series: "s", Time: in.at * 1e9, Names: in.names, Values: in.values}
		if err := streamtest.Apply(e, b, &r); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

var drivenRecords = []input{
	{0, []string{"u", "x"}, []float64{1, 10}},
	{30, []string{"u"}, []float64{4}}, // of a time to come
	{10, []string{"x", "u", "v"}, []float64{11, 2, 7}},
	{20, []string{"x", "u"}, []float64{12, nan}}, // u is as it was
	{24, []string{"v"}, []float64{8}},            // between two samples
	{30, []string{"x"}, []float64{13}},           // the earlier value counts
	{60, []string{"x", "u"}, []float64{16, 6}},   // after a gap of two
	{70, []string{"u", "x"}, []float64{9, nan}},  // no sample
	{80, []string{"x"}, []float64{18}},
}

// TestInputsAreWhatIsKnown: with each sample come its inputs and those of the next
// two steps, as far as they are known; an input without a value keeps the last one.
func TestInputsAreWhatIsKnown(t *testing.T) {
	var log []string
	e := takerEngine(t, &log, nil)
	b := give(t, e, drivenRecords)
	want := []string{
		"[10] [1 NaN NaN NaN NaN NaN]",
		"[11] [2 7 NaN NaN 4 NaN]",
		"[12] [2 7 4 NaN NaN NaN]",
		"[13] [4 8 NaN NaN NaN NaN]",
		"[NaN] [4 8 NaN NaN 6 NaN]",
		"[NaN] [4 8 6 NaN NaN NaN]",
		"[16] [6 8 NaN NaN NaN NaN]",
		"[NaN] [9 8 NaN NaN NaN NaN]",
		"[18] [9 8 NaN NaN NaN NaN]",
	}
	for i := range max(len(want), len(log)) {
		if i >= len(want) || i >= len(log) || log[i] != want[i] {
			t.Errorf("got %v", log)
			break
		}
	}
	if len(b.Observations) != 6 || len(b.DeadLetters) != 0 || len(b.Observations[0].Series.Variables) != 1 {
		t.Errorf("%d observations of %v, refused %v", len(b.Observations), b.Observations[0].Series.Variables, b.DeadLetters)
	}
}

// TestInputsSurviveARestart: a state between any two records goes on alike.
func TestInputsSurviveARestart(t *testing.T) {
	var whole []string
	give(t, takerEngine(t, &whole, nil), drivenRecords)
	for cut := range drivenRecords {
		var log []string
		e := takerEngine(t, &log, nil)
		give(t, e, drivenRecords[:cut])
		first, middle := streamtest.Snapshot(e), cut/2
		again := takerEngine(t, &log, nil)
		if err := streamtest.Restore(again, first); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(streamtest.Snapshot(again), first) {
			t.Errorf("after %d records: another state", cut)
		}
		give(t, again, drivenRecords[cut:])
		if fmt.Sprint(log) != fmt.Sprint(whole) {
			t.Errorf("restored after %d records:\n%v\nwant\n%v", cut, log, whole)
		}

		// The whole state of half the way, then what has changed.
		e = takerEngine(t, new([]string), nil)
		give(t, e, drivenRecords[:middle])
		base := streamtest.Snapshot(e)
		e.Saved()
		give(t, e, drivenRecords[middle:cut])
		again = takerEngine(t, new([]string), nil)
		if err := streamtest.Restore(again, base, streamtest.Changes(e)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(streamtest.Snapshot(again), streamtest.Snapshot(e)) {
			t.Errorf("changes from %d to %d records: another state", middle, cut)
		}
	}
}

// TestCalendarIsThatOfTheTarget: row h has the time h steps after the sample, in
// filled gaps as well.
func TestCalendarIsThatOfTheTarget(t *testing.T) {
	var log []string
	calendar, err := calendar.New([]string{"hour"}, "")
	if err != nil {
		t.Fatal(err)
	}
	e := takerEngine(t, &log, func(c *engine.Config) { c.Exogenous, c.Calendar, c.Interval = nil, calendar, time.Hour })
	give(t, e, []input{{0, []string{"x"}, []float64{1}}, {2 * 3600, []string{"x"}, []float64{3}}})
	for hour, y := range []string{"[1]", "[NaN]", "[3]"} {
		u := make([]float64, 3*calendar.Len())
		for h := range 3 {
			calendar.To(u[h*calendar.Len():(h+1)*calendar.Len()], int64(hour+h)*3600e9)
		}
		if want := fmt.Sprint(y, " ", u); log[hour] != want {
			t.Errorf("hour %d: %s, want %s", hour, log[hour], want)
		}
	}
}

// TestInputsAreBounded: inputs too far ahead or too large are refused.
func TestInputsAreBounded(t *testing.T) {
	var log []string
	e := takerEngine(t, &log, nil)
	var far []input
	for i := range int64(10_001) {
		far = append(far, input{i, []string{"u"}, []float64{1}})
	}
	b := give(t, e, append(far, input{20_000, []string{"v"}, []float64{1e60}}))
	if len(b.DeadLetters) != 2 || b.DeadLetters[0].Reason != refuse.TooMany || b.DeadLetters[1].Reason != refuse.NonFinite {
		t.Errorf("refused: %+v", b.DeadLetters)
	}
}

// TestInputsBesideAnAssembly: inputs have their own time and close no row.
func TestInputsBesideAnAssembly(t *testing.T) {
	var log []string
	e := takerEngine(t, &log, func(c *engine.Config) { c.Assembly = &assemble.Assembly{Wait: 10 * time.Second} })
	give(t, e, []input{
		{0, []string{"x"}, []float64{1}}, {0, []string{"y"}, []float64{2}},
		{100, []string{"u"}, []float64{5}}, // long before its row
		{1, []string{"u"}, []float64{3}},
		{10, []string{"x"}, []float64{3}}, {11, []string{"y"}, []float64{4}},
		{20, []string{"y"}, []float64{6}}, {21, []string{"x"}, []float64{5}},
		{40, []string{"y"}, []float64{6}},
	})
	want := "[[1 2] [NaN NaN NaN NaN NaN NaN] [3 4] [3 NaN NaN NaN NaN NaN] [5 6] [3 NaN NaN NaN NaN NaN]]"
	if fmt.Sprint(log) != want {
		t.Errorf("got  %v\nwant %s", log, want)
	}
}
