//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// TestRealAnomaliesHaveATopic: a shift of one of two variables is one message of its beginning and one of its end in
// the topic of anomalies, with the variable to blame. A job from Kafka that is killed between the two sends the
// messages that a job from a file sends, byte for byte; after the start some may be there again.
func TestRealAnomaliesHaveATopic(t *testing.T) {
	t.Parallel()
	k := testserver.StartKafka(t)
	k.CreateTopic("metrics", 1)
	k.CreateTopic("forecasts", 1)
	k.CreateTopic("of-file", 2)
	k.CreateTopic("of-kafka", 2)
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([]string, 1200)
	for i := range rows {
		cpu, mem := r.NormFloat64(), r.NormFloat64()
		if i >= 1000 && i < 1020 {
			mem += 40
		}
		rows[i] = fmt.Sprintf("%d,%.4f,%.4f\n", 1_700_000_000+60*i, cpu, mem)
	}
	write := func(rows []string) string {
		path := filepath.Join(t.TempDir(), "host.csv")
		writeFile(t, path, []byte("time,cpu,mem\n"+strings.Join(rows, "")))
		return path
	}
	job := func(topic string, more ...string) []string {
		args := []string{"run", "--set", "model.type=var1", "--set", "output.kafka.brokers=" + k.Addr,
			"--set", "output.kafka.topic=forecasts", "--set", "output.kafka.anomaly_topic=" + topic}
		for _, s := range more {
			args = append(args, "--set", s)
		}
		return args
	}
	mustCall(t, job("of-file", "input.file.path="+write(rows))...)
	ofFile := newAnomalyTopic(t, k.Addr, "of-file")
	ofFile.readTo(t, "end")

	live := job("of-kafka", "input.kafka.brokers="+k.Addr, "input.kafka.topics=metrics", "input.kafka.session_timeout=6s",
		"state.dir="+t.TempDir(), "state.interval=20ms")
	produce := func(path string) { mustCall(t, "produce", path, "--brokers", k.Addr, "--topic", "metrics") }
	produce(write(rows[:1010]))
	p := start(t, "forecaster", live...)
	ofKafka := newAnomalyTopic(t, k.Addr, "of-kafka")
	ofKafka.readTo(t, "begin")
	p.kill()
	produce(write(rows[1010:]))
	start(t, "forecaster", live...)
	ofKafka.readTo(t, "end")
	if !slices.Equal(ofKafka.messages, ofFile.messages) {
		t.Errorf("from Kafka, killed once:\n%s\nfrom a file:\n%s", strings.Join(ofKafka.messages, "\n"), strings.Join(ofFile.messages, "\n"))
	}
	if got := ofFile.phases; !slices.Equal(got, []string{"begin", "end"}) {
		t.Errorf("events %q", got)
	}
}

// anomalyTopic reads a topic of anomalies.
type anomalyTopic struct {
	client   *kgo.Client
	phases   []string // of the anomaly of mem
	messages []string // of all anomalies, without repetitions
}

func newAnomalyTopic(t *testing.T, broker, topic string) *anomalyTopic {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &anomalyTopic{client: client}
}

// readTo reads until the anomaly of mem has a message of the phase.
func (a *anomalyTopic) readTo(t *testing.T, phase string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !slices.Contains(a.phases, phase) {
		fetches := a.client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) { a.add(t, r) })
	}
}

func (a *anomalyTopic) add(t *testing.T, r *kgo.Record) {
	if slices.Contains(a.messages, string(r.Value)) {
		return
	}
	a.messages = append(a.messages, string(r.Value))
	var m struct {
		Series, Event, Begin string
		Variables            []struct{ Name string }
	}
	if err := json.Unmarshal(r.Value, &m); err != nil {
		t.Fatalf("%v in %s", err, r.Value)
	}
	if m.Begin < "2023-11-15T14:53:20Z" { // 1000 rows after the first
		return // an alarm by chance
	}
	a.phases = append(a.phases, m.Event)
	if string(r.Key) != "host" || m.Series != "host" || len(m.Variables) == 0 || m.Variables[0].Name != "mem" {
		t.Errorf("key %q: %s", r.Key, r.Value)
	}
}
