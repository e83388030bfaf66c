package job

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
)

// The demo shows the newest sample of the first variable of each series, with its forecast and at most
// the 24 last ones; a picture does not change with later samples.
func TestLastForecasts(t *testing.T) {
	l := new(LastForecasts)
	show := func(series *stream.Series, y, residual float64) {
		t.Helper()
		o := stream.Observation{Series: series, Y: []float64{y, -1}, Residual: []float64{residual, -1}}
		if err := l.Write(t.Context(), &stream.Batch{Observations: []stream.Observation{o}}); err != nil {
			t.Fatal(err)
		}
	}
	a, b := &stream.Series{Name: "a", Variables: []string{"x", "z"}}, &stream.Series{Name: "b", Variables: []string{"y", "z"}}
	for i := range 24 {
		show(a, float64(i), .25)
	}
	show(b, 7, -2)
	before := l.Snapshot()
	for i := 24; i < 30; i++ {
		show(a, float64(i), .5)
	}
	past := func(from, n int) (list []float64) {
		for i := range n {
			list = append(list, float64(from+i))
		}
		return list
	}
	for _, c := range []struct{ got, want SeriesView }{
		{before[0], SeriesView{"a", "x", 23, 22.75, past(0, 24)}}, {before[1], SeriesView{"b", "y", 7, 9, past(7, 1)}},
		{l.Snapshot()[0], SeriesView{"a", "x", 29, 28.5, past(6, 24)}},
	} {
		if g, w := c.got, c.want; g.Series != w.Series || g.Variable != w.Variable || g.Observed != w.Observed || g.Forecast != w.Forecast || !slices.Equal(g.Past, w.Past) {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	l.Snapshot()[0].Past[23] = 99
	if l.Snapshot()[0].Past[23] == 99 || len(l.Snapshot()) != 2 {
		t.Errorf("a picture is not a copy: %+v", l.Snapshot())
	}
}

// The messages of the demo are those of two series, each in its order and both evenly until the end; publishing them ends
// with its context.
func TestDemoMessages(t *testing.T) {
	b, err := devbroker.Start(1, []string{"in"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	messages := make([]stream.Message, 45)
	for i := range messages {
		messages[i] = stream.Message{Key: []byte("k"), Value: []byte{byte('a' + i%26)}}
	}
	log := logtest.Discard()
	if err := Publish(t.Context(), b.Addr(), "in", messages, 4000, log); err != nil { // 200 at once
		t.Fatal(err)
	}
	for i, line := range topicLines(t, b.Addr(), "in", len(messages)) {
		if want := "k " + string(messages[i].Value); line != want {
			t.Errorf("message %d is %q, want %q", i, line, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Publish(ctx, b.Addr(), "in", messages, 1, log); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
