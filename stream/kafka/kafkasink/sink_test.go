package kafkasink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/streamtest"
)

func newSink(t testing.TB, addr string, levels ...float64) *Sink {
	t.Helper()
	s, err := New(connection(addr), topic, LongJSON{levels}, nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestSinkWritesForecasts(t *testing.T) {
	b := newBroker(t, 3)
	batch := &stream.Batch{Forecasts: []stream.Forecast{{
		Series: &stream.Series{Name: "a \"b\"", Variables: []string{"cpu", "m\nem"}},
		Model:  "auto", Origin: 1767225600e9, Time: 1767225610e9 + 5, Horizon: 2,
		Yhat: []float64{.5, -1e20}, Lower: []float64{.4, math.NaN(), .3, math.NaN()}, Upper: []float64{.6, math.NaN(), .7, math.NaN()},
	}}}
	if err := newSink(t, b.Addr(), .5).Write(deadline(t), batch); err != nil {
		t.Fatal(err)
	}
	if err := newSink(t, b.Addr(), .5, .9).Write(deadline(t), batch); err != nil {
		t.Fatal(err)
	}
	batch.Forecasts[0].Lower, batch.Forecasts[0].Upper = nil, nil
	if err := newSink(t, b.Addr()).Write(deadline(t), batch); err != nil {
		t.Fatal(err)
	}
	const head, mid = `{"series":"a \"b\"","target":`, `,"origin":"2026-01-01T00:00:00Z","time":"2026-01-01T00:00:10.000000005Z","yhat":`
	want := []string{
		head + `"cpu","horizon":2,"model":"auto"` + mid + `0.5,"yhat_lower":0.4,"yhat_upper":0.6}`,
		head + `"m\nem","horizon":2,"model":"auto"` + mid + `-1e+20,"yhat_lower":null,"yhat_upper":null}`,
		head + `"cpu","horizon":2,"model":"auto","level":0.5` + mid + `0.5,"yhat_lower":0.4,"yhat_upper":0.6}`,
		head + `"cpu","horizon":2,"model":"auto","level":0.9` + mid + `0.5,"yhat_lower":0.3,"yhat_upper":0.7}`,
		head + `"m\nem","horizon":2,"model":"auto","level":0.5` + mid + `-1e+20,"yhat_lower":null,"yhat_upper":null}`,
		head + `"m\nem","horizon":2,"model":"auto","level":0.9` + mid + `-1e+20,"yhat_lower":null,"yhat_upper":null}`,
		head + `"cpu","horizon":2,"model":"auto"` + mid + `0.5,"yhat_lower":null,"yhat_upper":null}`,
		head + `"m\nem","horizon":2,"model":"auto"` + mid + `-1e+20,"yhat_lower":null,"yhat_upper":null}`,
	}
	var got []string
	for _, m := range everything(t, b.Addr()) {
		if string(m.Key) != "a \"b\"" || !json.Valid(m.Value) {
			t.Errorf("key %q, value %s", m.Key, m.Value)
		}
		got = append(got, string(m.Value))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSinkContract compares the sets of messages, since a message may be written twice.
func TestSinkContract(t *testing.T) {
	brokers := make(map[*testing.T]string)
	addr := func(t *testing.T) string {
		if brokers[t] == "" {
			brokers[t] = newBroker(t, 2).Addr()
		}
		return brokers[t]
	}
	streamtest.TestSink(t, streamtest.SinkTest{
		Levels: 2,
		Open:   func(t *testing.T) stream.Sink { return newSink(t, addr(t), .5, .9) },
		Contents: func(t *testing.T) string {
			var all []string
			for _, m := range everything(t, addr(t)) {
				all = append(all, string(m.Key)+" "+string(m.Value))
			}
			slices.Sort(all)
			return strings.Join(slices.Compact(all), "\n")
		},
	})
}

// TestSinkIsRepeatable: through faults and a repeated batch every forecast is there,
// and repeated messages are equal, so that its identity is enough to
// tell it.
func TestSinkIsRepeatable(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 3)
	b.Cluster().Fault(
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: 2},
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotEnoughReplicasAfterAppend, Count: 3},
	)
	s := newSink(t, b.Addr(), .5, .9)
	const batches = 40
	for i := range batches {
		for range 1 + i%2 {
			if err := s.Write(deadline(t), streamtest.Batch(i, 2)); err != nil {
				t.Fatal(err)
			}
		}
	}
	seen := make(map[string]string)
	for _, m := range everything(t, b.Addr()) {
		var v struct {
			Series, Target, Time string
			Horizon              int
			Level                float64
		}
		if err := json.Unmarshal(m.Value, &v); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("%+v", v)
		if other, ok := seen[id]; ok && other != string(m.Value) {
			t.Errorf("%s is there as %s and %s", id, other, m.Value)
		}
		seen[id] = string(m.Value)
	}
	f := streamtest.Batch(0, 2).Forecasts[0]
	if want := batches * len(f.Yhat) * 2; len(seen) != want {
		t.Errorf("%d forecasts, want %d", len(seen), want)
	}
}

// TestSinkEnds: without a broker, Write continues until its context ends.
func TestSinkEnds(t *testing.T) {
	s := newSink(t, "127.0.0.1:1", .5)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Write(ctx, streamtest.Batch(0, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := New(connection("127.0.0.1:1"), "", nil, nil, nil); err == nil {
		t.Error("no topic was accepted")
	}
}
