package kafkasink

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// The messages are those of the documentation, and nothing is written for other events.
func TestRealAnomalyMessages(t *testing.T) {
	t.Parallel()
	k := testserver.StartKafka(t)
	k.CreateTopic(topic, 3)
	s, err := NewAnomalies(connection(k.Addr), topic, nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const begin = 1767225600e9 // 2026-01-01T00:00:00Z
	alarm := anomaly.Event{
		Begin: begin, Peak: begin + 20e9, End: begin + 40e9, Samples: 30, Score: 3.25, StateScore: 1.5, Cause: anomaly.Noise, Shares: []float64{.2, .01, .79},
		FalsePerDay: .25, Seen: anomaly.Seen{Variable: 2, Observed: .75, Expected: .5, Lower: math.NaN(), Upper: math.NaN()},
	}
	variables := []string{"cpu", "disk", "m\"em"}
	b := stream.Batch{Events: []stream.Event{
		{Series: "host", Time: begin, Kind: event.Gap, Text: "a gap"},
		{Series: "host", Time: begin, Kind: event.Anomaly, Anomaly: &event.AnomalyPhase{Event: alarm, Phase: event.Begin, Variables: variables}},
		{Series: "host", Time: begin + 290e9, Kind: event.Anomaly, Anomaly: &event.AnomalyPhase{Event: alarm, Phase: event.End, Variables: variables}},
	}}
	if err := s.Write(deadline(t), &stream.Batch{Events: b.Events[:1]}); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(deadline(t), &b); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range everything(t, k.Addr) {
		if string(m.Key) != "host" {
			t.Errorf("key %q", m.Key)
		}
		if !json.Valid(m.Value) {
			t.Errorf("not JSON: %s", m.Value)
		}
		got = append(got, string(m.Value))
	}
	const rest = `"begin":"2026-01-01T00:00:00Z","peak":"2026-01-01T00:00:20Z","end":"2026-01-01T00:00:40Z","samples":30,"score":3.25,"state_score":1.5,` +
		`"cause":"noise","variables":[{"name":"m\"em","share":0.79},{"name":"cpu","share":0.2}],"false_per_day":0.25,"seen":{"name":"m\"em","observed":0.75,"expected":0.5,"lower":null,"upper":null}}`
	want := []string{
		`{"series":"host","event":"begin","time":"2026-01-01T00:00:00Z",` + rest,
		`{"series":"host","event":"end","time":"2026-01-01T00:04:50Z",` + rest,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
