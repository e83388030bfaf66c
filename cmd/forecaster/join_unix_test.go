//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// TestRealJoin: backlogs of two topics that are copied at different speeds, a topic without messages beside them,
// and two members: no sample is late, and the forecasts are those of the same data in one file.
func TestRealJoin(t *testing.T) {
	t.Parallel()
	k := testserver.StartKafka(t)
	for topic, partitions := range map[string]int{"cpu": 1, "mem": 3, "disk": 2, "joined": 1} {
		k.CreateTopic(topic, partitions)
	}
	const rows = 20_000
	hosts := []string{"web1", "web2"}
	pad := strings.Repeat("x", 600) // the messages of mem are slower to fetch
	var flat strings.Builder
	messages := make(map[string][]kafka.Record)
	stamp := func(i int) time.Time { return time.Unix(1767225600+int64(10*(i/2)), 0).UTC() }
	for i := range rows {
		ts, host, cpu, mem := stamp(i).Unix(), hosts[i%2], i%37, i*i%41
		fmt.Fprintf(&flat, `{"time":%d,"series":%q,"values":{"cpu":%d,"mem":%d}}`+"\n", ts, host, cpu, mem)
		add := func(topic, value string) {
			messages[topic] = append(messages[topic], kafka.Record{Key: kafka.NewBytes([]byte(host)), Value: kafka.NewBytes([]byte(value))})
		}
		add("cpu", fmt.Sprintf(`{"time":%d,"series":%q,"values":{"cpu":%d}}`, ts, host, cpu))
		add("mem", fmt.Sprintf(`{"time":%d,"series":%q,"pad":%q,"values":{"mem":%d}}`, ts, host, pad, mem))
	}
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(k.Addr), Transport: transport}
	for topic, list := range messages {
		for i, some := range slices.Collect(slices.Chunk(list, 1000)) {
			partition := 0
			if topic == "mem" {
				partition = i % 3 // as a producer without keys: only the order of time helps
			}
			resp, err := client.Produce(context.Background(), &kafka.ProduceRequest{Topic: topic, Partition: partition, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(some...)})
			if err != nil || resp.Error != nil {
				t.Fatal(err, resp)
			}
		}
	}

	dir := t.TempDir()
	in, out, dead := filepath.Join(dir, "flat.jsonl"), filepath.Join(dir, "flat.csv"), filepath.Join(dir, "dead%d-{partition}.jsonl")
	writeFile(t, in, []byte(flat.String()))
	settings := []string{"--set", "pipeline.interval=10s", "--set", "pipeline.wait=60s", "--set", "model.type=var1", "--set", "input.json.series_field=series", "--set", "input.json.values_field=values"}
	mustCall(t, append([]string{"replay", in, "--out", out}, settings...)...)
	settled := stamp(rows - 1).Add(-time.Minute).Format(time.RFC3339) // later rows wait for more values
	lines := func(path string) []string {
		content := string(readFile(t, path))
		list := slices.Sorted(strings.SplitSeq(content[:strings.LastIndexByte(content, '\n')+1], "\n"))
		return slices.DeleteFunc(list, func(s string) bool { return s == "" || s > settled })
	}
	want := lines(out)

	live := filepath.Join(dir, "live%d-{partition}.csv")
	args := append([]string{
		"run", "--set", "input.kafka.brokers=" + k.Addr, "--set", "input.kafka.topics=cpu,mem,disk", "--set", "input.kafka.join=joined", "--set", "input.kafka.session_timeout=6s",
		"--set", "state.topic=joined-state", "--set", "log.format=json",
	}, settings...)
	member := func(i int) {
		start(t, "forecaster", append(slices.Clone(args), "--set=output.file.path="+fmt.Sprintf(live, i), "--set=output.dead_letters.path="+fmt.Sprintf(dead, i))...)
	}
	of := func(path string, member int) string { // joined has one partition
		return strings.Replace(fmt.Sprintf(path, member), "{partition}", "0", 1)
	}
	var got []string
	written := func() bool { // a member that loses the topic before its state is committed has written what the other writes again
		got = got[:0]
		for i := range 2 {
			if path := of(live, i); exists(path) {
				got = append(got, lines(path)...)
			}
		}
		slices.Sort(got)
		got = slices.Compact(got)
		return len(got) > 0
	}
	member(0)
	if !poll(written) {
		t.Fatal("no forecasts")
	}
	member(1) // it may take over the copying, or the topic that is copied to
	if !poll(func() bool { return written() && len(got) >= len(want) }) {
		t.Errorf("%d forecasts, want %d", len(got), len(want))
	}
	for i := range 2 {
		if path := of(dead, i); exists(path) && len(readFile(t, path)) > 0 {
			t.Errorf("refused:\n%.2000s", readFile(t, path))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d forecasts are not the %d of the same data in one file", len(got), len(want))
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
