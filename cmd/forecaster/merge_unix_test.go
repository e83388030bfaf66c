//go:build unix

package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

// TestMerge: variables of one series from two topics become one series with both, a
// sample for each time and not one refused; and a merge that is stopped in the middle
// of its work goes on where it was.
func TestMerge(t *testing.T) {
	t.Parallel()
	broker := startBroker(t, "cpu", "mem", "merged")
	dir := t.TempDir()
	cfg, out, dead := filepath.Join(dir, "merge.yaml"), filepath.Join(dir, "forecasts-0.csv"), filepath.Join(dir, "dead-0.jsonl")
	writeFile(t, cfg, []byte(`input: {kafka: {brokers: ["`+broker+`"], topics: [cpu, mem]}}
pipeline: {interval: 10s, wait: 300s}
output: {file: {path: "`+ofPartitions(out)+`"}, dead_letters: {path: "`+ofPartitions(dead)+`"}}
`))
	producers := make(map[string]*kafkasink.Producer)
	for _, topic := range []string{"cpu", "mem"} {
		p, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{broker}}, topic, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		producers[topic] = p
	}
	merged, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics("merged"))
	if err != nil {
		t.Fatal(err)
	}
	defer merged.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	merge := start(t, "forecaster", "merge", "-c", cfg, "--to", "merged")
	start(t, "forecaster", "run", "-c", cfg, "--set", "input.kafka.topics=merged", "--set", "model.type=var1")
	const rows, step = 80, 10 // no topic is ahead by more than a step, far less than pipeline.wait
	seen := make(map[string]bool)
	for n := 0; n < rows; n += step {
		for topic, p := range producers {
			var messages []stream.Message
			for i := n; i < n+step; i++ {
				value := fmt.Appendf(nil, `{"time": %d, "values": {%q: %d}}`, 1767225600+10*i, topic, i%7)
				messages = append(messages, stream.Message{Key: []byte("host1"), Value: value})
			}
			if err := p.Send(ctx, messages); err != nil {
				t.Fatal(err)
			}
		}
		if n == rows/2 {
			if code := merge.terminate(t); code != exitDone {
				t.Errorf("SIGTERM: exit code %d", code)
			}
			start(t, "forecaster", "merge", "-c", cfg, "--to", "merged")
		}
		for len(seen) < 2*(n+step) {
			fetches := merged.PollFetches(ctx)
			if ctx.Err() != nil {
				t.Fatalf("%d records of %d were merged", len(seen), 2*(n+step))
			}
			fetches.EachRecord(func(r *kgo.Record) {
				if seen[string(r.Value)] {
					t.Errorf("twice: %s", r.Value)
				}
				seen[string(r.Value)] = true
			})
		}
	}
	var got map[string]int
	const want = rows - 2 // the first waits for the spacing, the last for what comes after it
	if !poll(func() bool {
		got = forecastsOf(t, out)
		return got["host1 cpu"] >= want && got["host1 mem"] >= want
	}) {
		t.Fatalf("forecasts: %v, want %d of each", got, want)
	}
	if b := readFile(t, dead); len(b) > 0 {
		t.Errorf("refused: %s", b)
	}
}

// TestJoin: run joins two topics itself, with its state in a third one, and goes on after a kill, which makes it
// copy records twice: the second copy is late.
func TestJoin(t *testing.T) {
	t.Parallel()
	broker := startBroker(t, "cpu", "mem", "joined")
	dir := t.TempDir()
	cfg, out, dead := filepath.Join(dir, "join.yaml"), filepath.Join(dir, "forecasts-0.csv"), filepath.Join(dir, "dead-0.jsonl")
	writeFile(t, cfg, []byte(`input: {kafka: {brokers: ["`+broker+`"], topics: [cpu, mem], join: joined, session_timeout: 6s}}
pipeline: {interval: 10s, wait: 400s}
model: {type: var1}
state: {topic: joined-state, interval: 50ms}
output: {file: {path: "`+ofPartitions(out)+`"}, dead_letters: {path: "`+ofPartitions(dead)+`", drop: [late]}}
`))
	checked := mustCall(t, "lint", "--connect", "-c", cfg)
	if !strings.Contains(checked, "input.kafka.join: topic joined has 1 partition") {
		t.Error(checked)
	}
	joined, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics("joined"))
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	p := start(t, "forecaster", "run", "-c", cfg)
	const rows, step = 120, 30 // no topic is ahead by more than a step, less than pipeline.wait
	seen := make(map[string]bool)
	for n := 0; n < rows; n += step {
		for _, topic := range []string{"cpu", "mem"} {
			producer, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{broker}}, topic, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer producer.Close()
			var messages []stream.Message
			for i := n; i < n+step; i++ {
				messages = append(messages, stream.Message{Key: []byte("host1"), Value: fmt.Appendf(nil, `{"time": %d, "values": {%q: %d}}`, 1767225600+10*i, topic, i%7)})
			}
			if err := producer.Send(t.Context(), messages); err != nil {
				t.Fatal(err)
			}
		}
		if n == rows/2 {
			p.kill()
			start(t, "forecaster", "run", "-c", cfg)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		for len(seen) < 2*(n+step) && ctx.Err() == nil {
			joined.PollFetches(ctx).EachRecord(func(r *kgo.Record) { seen[string(r.Value)] = true })
		}
		cancel()
		if len(seen) < 2*(n+step) {
			t.Fatalf("%d records of %d were joined", len(seen), 2*(n+step))
		}
	}
	var got map[string]int
	if !poll(func() bool {
		got = forecastsOf(t, out)
		return got["host1 cpu"] >= rows-2 && got["host1 mem"] >= rows-2
	}) {
		t.Fatalf("forecasts: %v, want %d of each", got, rows-2)
	}
	if b := readFile(t, dead); len(b) > 0 {
		t.Errorf("refused: %s", b)
	}
}
