package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/orffvar/forecaster/internal/testserver"
)

// The anomalies of a file arrive in their topic: a shift of one of two variables is one
// begin and one end, with the variable to blame.
func TestRealAnomaliesHaveATopic(t *testing.T) {
	t.Parallel()
	k := testserver.StartKafka(t)
	k.CreateTopic("forecasts", 1)
	k.CreateTopic("anomalies", 2)
	r := rand.New(rand.NewPCG(1, 1))
	var rows strings.Builder
	rows.WriteString("time,cpu,mem\n")
	for i := range 1200 {
		cpu, mem := r.NormFloat64(), r.NormFloat64()
		if i >= 1000 && i < 1020 {
			mem += 40
		}
		fmt.Fprintf(&rows, "%d,%.4f,%.4f\n", 1_700_000_000+60*i, cpu, mem)
	}
	path := filepath.Join(t.TempDir(), "host.csv")
	writeFile(t, path, []byte(rows.String()))
	mustCall(t, "run", "--set", "input.file.path="+path, "--set", "model.type=var1",
		"--set", "output.kafka.brokers="+k.Addr, "--set", "output.kafka.topic=forecasts", "--set", "output.kafka.anomaly_topic=anomalies")

	client, err := kgo.NewClient(kgo.SeedBrokers(k.Addr), kgo.ConsumeTopics("anomalies"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var phases []string
	for !strings.HasSuffix(strings.Join(phases, " "), "end") {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
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
			phases = append(phases, m.Event)
			if string(r.Key) != "host" || m.Series != "host" || len(m.Variables) == 0 || m.Variables[0].Name != "mem" {
				t.Errorf("key %q: %s", r.Key, r.Value)
			}
		})
	}
	if got := strings.Join(phases, " "); got != "begin end" {
		t.Errorf("events %q", got)
	}
}
