//go:build unix

package main

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka"
)

// TestMerge: variables of one series from two topics become one series with both, a
// sample for each time and not one refused; and a merge that was stopped goes on
// where it was.
func TestMerge(t *testing.T) {
	broker := startBroker(t, "cpu", "mem")
	producers := make(map[string]*kafka.Producer)
	// One row after the other, so that no topic is ahead by more than pipeline.wait.
	send := func(from, to int) {
		t.Helper()
		for _, topic := range []string{"cpu", "mem"} {
			p, err := kafka.NewProducer(kafka.Connection{Brokers: []string{broker}}, topic, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			producers[topic] = p
		}
		for i := from; i < to; i++ {
			for topic, p := range producers {
				value := fmt.Appendf(nil, `{"time": %d, "values": {%q: %d}}`, 1767225600+10*i, topic, i%7)
				if err := p.Send(t.Context(), []stream.Message{{Key: []byte("host1"), Value: value}}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(30 * time.Millisecond)
		}
	}
	dir := t.TempDir()
	cfg, out, dead := filepath.Join(dir, "merge.yaml"), filepath.Join(dir, "forecasts.csv"), filepath.Join(dir, "dead.jsonl")
	writeFile(t, cfg, []byte(`input: {kafka: {brokers: ["`+broker+`"], topics: [cpu, mem], session_timeout: 1500ms}}
pipeline: {interval: 10s, wait: 300s}
output: {file: {path: `+out+`}, dead_letters: {path: `+dead+`}}
`))
	merge := start(t, "forecaster", "merge", "-c", cfg, "--to", "merged")
	start(t, "forecaster", "run", "-c", cfg, "--set", "input.kafka.topics=merged", "--set", "model.type=var1")
	send(0, 50)
	rows := func(n int) {
		t.Helper()
		var got map[string]int
		if !poll(func() bool {
			got = forecastsOf(t, out)
			return got["host1 cpu"] >= n && got["host1 mem"] >= n
		}) {
			t.Fatalf("forecasts: %v, want %d of each", got, n)
		}
	}
	rows(48) // the first waits for the spacing, the last for what comes after it
	if code, took := merge.terminate(t); code != exitDone || took > 10*time.Second {
		t.Errorf("SIGTERM: exit code %d after %v", code, took)
	}
	start(t, "forecaster", "merge", "-c", cfg, "--to", "merged")
	send(50, 80)
	rows(78)
	if b := readFile(t, dead); len(b) > 0 {
		t.Errorf("refused: %s", b)
	}
}
