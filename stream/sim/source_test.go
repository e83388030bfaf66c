package sim_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/tools/testseries"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/sim"
	"github.com/orffvar/forecaster/stream/streamtest"
)

func config(pace time.Duration, steps int64) sim.Config {
	return sim.Config{
		Series: []sim.Series{
			{Name: "walk", New: func() simulate.Generator { return testseries.NewRandomWalk(2, 1) }},
			{Name: "noise", New: func() simulate.Generator { return simulate.NewWhiteNoise(3, 2) }},
		},
		Start: time.Unix(1767225600, 0), Interval: time.Minute, Pace: pace, Steps: steps,
	}
}

func source(t testing.TB, c sim.Config) *sim.Source {
	t.Helper()
	s, err := sim.NewSource(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ExampleSource() {
	s, err := sim.NewSource(sim.Config{
		Series: []sim.Series{{Name: "noise", New: func() simulate.Generator { return simulate.NewWhiteNoise(1, 1) }}},
		Start:  time.Unix(0, 0), Interval: time.Second, Steps: 3,
	})
	if err != nil {
		log.Fatal(err)
	}
	messages := make([]stream.Message, 10)
	n, err := s.Read(context.Background(), messages)
	for _, m := range messages[:n] {
		fmt.Printf("%s %.20s...\n", m.Key, m.Value)
	}
	fmt.Println(err)
	// Output:
	// noise {"time":0,"values":{...
	// noise {"time":1000000000,"...
	// noise {"time":2000000000,"...
	// <nil>
}

func TestSource(t *testing.T) {
	want := make([]stream.Message, 10)
	n, err := source(t, config(0, 5)).Read(context.Background(), want)
	if n != 10 || err != nil {
		t.Fatal(n, err)
	}
	streamtest.TestSource(t, streamtest.SourceTest{
		Open: func(t *testing.T) stream.Source { return source(t, config(0, 5)) }, Want: want,
	})
}

// TestValues: the decoded values are the simulated ones, to the bit.
func TestValues(t *testing.T) {
	s := source(t, config(0, 100))
	d, err := s.Decoder()
	if err != nil {
		t.Fatal(err)
	}
	walk, y := testseries.NewRandomWalk(2, 1), make([]float64, 2)
	messages := make([]stream.Message, 200)
	if _, err := s.Read(context.Background(), messages); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 200; i += 2 {
		var r stream.Record
		if err := d.Decode(&r, &messages[i]); err != nil {
			t.Fatal(err)
		}
		walk.Next(y)
		if r.Series != "walk" || r.Time != 1767225600e9+int64(i/2)*60e9 || r.Names[1] != "x2" || r.Values[0] != y[0] || r.Values[1] != y[1] {
			t.Fatalf("record %d: %+v, want %v", i, r, y)
		}
	}
}

// Seek goes back as well as forward: what follows is what a new source delivers there.
func TestSeekBack(t *testing.T) {
	got := source(t, config(0, 20))
	a, b := make([]stream.Message, 30), make([]stream.Message, 30)
	if _, err := got.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for _, next := range []int64{25, 3, 17, 0} {
		if err := got.Seek(t.Context(), next, stream.Mark{}); err != nil {
			t.Fatal(err)
		}
		want := source(t, config(0, 20))
		if err := want.Seek(t.Context(), next, stream.Mark{}); err != nil {
			t.Fatal(err)
		}
		n, err := want.Read(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		m, err := got.Read(t.Context(), b)
		if err != nil || m != n {
			t.Fatalf("from %d: %d messages, %v; want %d", next, m, err, n)
		}
		for i := range n {
			if a[i].Offset != b[i].Offset || string(a[i].Value) != string(b[i].Value) {
				t.Errorf("from %d, message %d: %d %s, want %d %s", next, i, b[i].Offset, b[i].Value, a[i].Offset, a[i].Value)
			}
		}
	}
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := source(t, config(time.Second, 0))
		start := time.Now()
		dst := make([]stream.Message, 10)
		for i := range 5 {
			if n, err := s.Read(context.Background(), dst); n != 2 || err != nil || dst[0].Offset != int64(2*i) {
				t.Fatal(n, err)
			}
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("5 steps took %v", took)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if n, err := s.Read(ctx, dst); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %d, %v", n, err)
		}
		if n, err := s.Read(context.Background(), dst); n != 2 || err != nil || dst[0].Offset != 10 {
			t.Errorf("got %d, %v, offset %d", n, err, dst[0].Offset)
		}
	})
}

// TestHostile: an engine takes whatever the hostile simulator comes up with.
func TestHostile(t *testing.T) {
	s := source(t, sim.Config{
		Series: []sim.Series{{Name: "hostile", New: func() simulate.Generator { return testseries.NewHostile(1) }}},
		Start:  time.Unix(0, 0), Interval: time.Second, Steps: 3000,
	})
	d, err := s.Decoder()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{
		Model: "drift", Horizon: 2, Levels: []float64{.9}, MetricsEvery: 100,
		NewModel: func(dim int) (eval.Model, error) { return streamtest.NewDrift(dim, 2, 1), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.NewRunner(run.Config{Source: s, Decoder: d, Engine: e, Sink: stream.Discard{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if stats := r.Stats(); stats.Records != 3000 || stats.Forecasts < 4000 {
		t.Errorf("%+v", stats)
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []sim.Config{{}, {Interval: 1}, {Interval: 1, Series: []sim.Series{{Name: "s"}}}, {Interval: 1, Steps: -1, Series: config(0, 0).Series}} {
		if _, err := sim.NewSource(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
