//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/job"
)

// TestFault57_PartitionsInTheCheckpoint: a topic gets more partitions while the job is
// stopped, and the offsets of its group are lost. The checkpoint in state.dir knows how many there
// were, and reset -c lets the job start over.
func TestFault57_PartitionsInTheCheckpoint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := writeSeries(t, dir)
	broker := startBroker(t, "metrics")
	mustCall(t, "produce", data, "--brokers", broker, "--topic", "metrics")
	config := filepath.Join(dir, "forecaster.yaml")
	writeFile(t, config, fmt.Appendf(nil, `
input: {kafka: {brokers: ["%s"], topics: [metrics]}}
model: {type: var1}
output: {discard: {}}
state: {dir: %s, interval: 100ms}
`, broker, filepath.Join(dir, "state")))
	run := func(sets ...string) *program {
		args := []string{"run", "-c", config}
		for _, s := range sets {
			args = append(args, "--set", s)
		}
		return start(t, "forecaster", args...)
	}
	saved := func() (list []job.CheckpointInfo) {
		code, stdout, _ := call(t, "checkpoint", "inspect", "-c", config, "--output", "json")
		if code != 0 || json.Unmarshal([]byte(stdout), &list) != nil {
			return nil
		}
		return list
	}
	p := run()
	if !poll(func() bool { list := saved(); return len(list) > 0 && list[0].Next > 0 }) {
		t.Fatal("no checkpoint")
	}
	if code := p.terminate(t); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if list := saved(); list[0].Settings["topic.partitions"] != "1" || list[0].Settings["model.type"] != "var1" || list[0].Last == "none" {
		t.Errorf("%+v", list[0])
	}
	table := mustCall(t, "checkpoint", "inspect", "-c", config)
	if !strings.Contains(table, "topic.partitions") || strings.Contains(table, "model.ridge") {
		t.Errorf("not the settings without their defaults:\n%s", table)
	}

	client := &kafkago.Client{Addr: kafkago.TCP(broker)}
	resp, err := client.CreatePartitions(t.Context(), &kafkago.CreatePartitionsRequest{
		Topics: []kafkago.TopicPartitionsConfig{{Name: "metrics", Count: 4}},
	})
	if err != nil || resp.Errors["metrics"] != nil {
		t.Fatal(err, resp)
	}
	refused := func(want string, sets ...string) {
		t.Helper()
		p := run(sets...)
		code := p.wait(t)
		if log := p.stderr.String(); code != 1 || !strings.Contains(log, want) || !strings.Contains(log, "forecaster checkpoint reset -c "+config) {
			t.Errorf("exit code %d, and not %q:\n%s", code, want, log)
		}
	}
	refused("topic metrics had 1 and has 4")
	refused("topic.partitions: the checkpoint has 1, the topic 4", "input.kafka.consumer_group=another")

	mustCall(t, "checkpoint", "reset", "-c", config, "--yes")
	p = run()
	if !poll(func() bool {
		list := saved()
		return len(list) > 0 && list[0].Next > 0 && list[0].Settings["topic.partitions"] == "4"
	}) {
		t.Error("the job did not start over")
	}
	if code := p.terminate(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
