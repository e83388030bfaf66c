//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

// telegraf returns messages as its Kafka output writes them: line protocol, a
// metric a message or, in a batch, several, of two hosts every ten seconds.
func telegraf(steps int) (messages []string) {
	const start = 1767225600
	for i := range steps {
		at := fmt.Sprint(start+10*i, "000000000")
		for _, host := range []string{"a", "b"} {
			phase := float64(i) / 7
			if host == "b" {
				phase += 1
			}
			lines := []string{
				fmt.Sprintf("cpu,cpu=cpu-total,host=%s usage_idle=%.3f,usage_user=%.3f %s", host, 80+9*math.Sin(phase), 10-5*math.Sin(phase), at),
				fmt.Sprintf("mem,host=%s used_percent=%.3f,free=%du %s", host, 50+20*math.Cos(phase), 1000+i%9, at),
				fmt.Sprintf("system,host=%s uptime_format=\"%d:00\" %s", host, i, at),
			}
			if i%2 == 0 {
				messages = append(messages, lines[0]+"\n", lines[1]+"\n", lines[2]+"\n")
			} else {
				messages = append(messages, lines[2]+"\n"+lines[1]+"\n", lines[0]+"\n")
			}
		}
	}
	return messages
}

// publish sends messages to a topic, all to one partition.
func publish(t *testing.T, broker, topic string, messages []string) {
	t.Helper()
	p, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{broker}}, topic, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out := make([]stream.Message, len(messages))
	for i, m := range messages {
		out[i].Value = []byte(m)
	}
	if err := p.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
}

// forecastsOf counts the forecasts of a CSV file by "series target".
func forecastsOf(t *testing.T, path string) map[string]int {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := make(map[string]int)
	for i, row := range rows {
		if i > 0 {
			n[row[1]+" "+row[2]]++
		}
	}
	return n
}

// TestTelegrafInThreeLines: three lines of configuration turn the messages of Telegraf into forecasts.
func TestTelegrafInThreeLines(t *testing.T) {
	t.Parallel()
	broker := startBroker(t, "telegraf")
	publish(t, broker, "telegraf", telegraf(60))
	dir := t.TempDir()
	out, cfg := filepath.Join(dir, "forecasts-0.csv"), filepath.Join(dir, "telegraf.yaml")
	writeFile(t, cfg, []byte(`input: {kafka: {brokers: ["`+broker+`"], topics: [telegraf]}, data_format: influx}
pipeline: {interval: 10s}
output: {file: {path: "`+ofPartitions(out)+`"}}
`))
	live := start(t, "forecaster", "run", "-c", cfg)
	want := []string{
		"cpu,cpu=cpu-total,host=a usage_idle", "cpu,cpu=cpu-total,host=a usage_user", "mem,host=a free", "mem,host=a used_percent",
		"cpu,cpu=cpu-total,host=b usage_idle", "cpu,cpu=cpu-total,host=b usage_user", "mem,host=b free", "mem,host=b used_percent",
	}
	slices.Sort(want)
	var got map[string]int
	if !poll(func() bool {
		got = forecastsOf(t, out)
		for _, name := range want {
			if got[name] < 50 {
				return false
			}
		}
		return true
	}) {
		t.Errorf("forecasts: %v", got)
	}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("forecasts of %q, want %q", names, want)
	}
	if code := live.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
}

// TestPartsSurviveCrashes: rows of several messages each, in a run that is killed
// three times, give the bytes of a replay of the same lines; and the topic of
// forecasts has each of them.
func TestPartsSurviveCrashes(t *testing.T) {
	t.Parallel()
	broker := startBroker(t, "telegraf", "forecasts")
	dir := t.TempDir()
	messages := telegraf(2000)
	settings := []string{
		"--set", "input.influx.series=host", "--set", "pipeline.interval=10s", "--set", "pipeline.wait=25s", "--set", "pipeline.fill=last",
		"--set", "model.type=var1", "--set", "model.horizon=2",
	}
	lines := filepath.Join(dir, "telegraf.lp")
	writeFile(t, lines, []byte(strings.Join(messages, "")))
	replayed := filepath.Join(dir, "replay.csv")
	mustCall(t, append([]string{"replay", lines, "--out", replayed}, settings...)...)
	want := readFile(t, replayed)
	if n := forecastsOf(t, replayed); len(n) != 8 || n["host=a cpu,cpu=cpu-total usage_idle"] < 2*1900 {
		t.Fatalf("the replay has %v", n)
	}

	out := filepath.Join(dir, "run-0.csv")
	args := append([]string{
		"run",
		"--set", "input.kafka.brokers=" + broker, "--set", "input.kafka.topics=telegraf", "--set", "input.data_format=influx",
		"--set", "output.file.path=" + ofPartitions(out), "--set", "output.kafka.topic=forecasts",
		"--set", "state.dir=" + filepath.Join(dir, "state"), "--set", "state.records=97",
	}, settings...)
	toBeKilled := append(slices.Clone(args), "--set", "input.kafka.session_timeout=2s") // what a start after a kill waits for
	live := start(t, "forecaster", toBeKilled...)
	for kills := range 4 {
		publish(t, broker, "telegraf", messages[kills*len(messages)/4:(kills+1)*len(messages)/4])
		if kills == 3 {
			break
		}
		if !poll(func() bool {
			info, err := os.Stat(out)
			return err == nil && int(info.Size()) > (2*kills+1)*len(want)/8
		}) {
			t.Fatal("run did not go on")
		}
		live.kill()
		if kills == 2 {
			live = start(t, "forecaster", args...)
		} else {
			live = start(t, "forecaster", toBeKilled...)
		}
	}
	if !poll(func() bool {
		info, err := os.Stat(out)
		return err == nil && int(info.Size()) >= len(want)
	}) {
		t.Error("run did not come to the end")
	}
	if code := live.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
	got := readFile(t, out)
	if !bytes.Equal(got, want) {
		t.Errorf("run wrote %d bytes, replay %d; the first difference is in line %d", len(got), len(want), firstDifference(got, want))
	}
	const variables = 4 // of a host: a message has all, the file a line for each
	rows := bytes.Count(want, []byte("\n")) - 1
	if n := distinctForecasts(t, broker, rows/variables); n != rows/variables {
		t.Errorf("%d different forecasts in the topic, %d in the file", n, rows/variables)
	}
}

// distinctForecasts reads the topic until it has seen the number of different
// forecasts, or nothing more comes.
func distinctForecasts(t *testing.T, broker string, enough int) int {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics("forecasts"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	seen := make(map[string]string)
	for len(seen) < enough {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		fetches := client.PollFetches(ctx)
		cancel()
		if fetches.Empty() || ctx.Err() != nil && fetches.NumRecords() == 0 {
			break
		}
		fetches.EachRecord(func(r *kgo.Record) {
			head, rest, _ := strings.Cut(string(r.Value), " ")
			if !strings.HasPrefix(head, "forecast,") || !strings.Contains(head, string(r.Key)) || strings.HasSuffix(rest, "\n") {
				t.Fatalf("%s: %s", r.Key, r.Value)
			}
			id := head + rest[strings.LastIndexByte(rest, ' '):]
			if other, ok := seen[id]; ok && other != string(r.Value) {
				t.Fatalf("%s is there as %s and %s", id, other, r.Value)
			}
			seen[id] = string(r.Value)
		})
	}
	return len(seen)
}

// hostMetrics returns messages as Telegraf's Kafka output writes them for its
// inputs cpu, mem, disk and system of two hosts, every ten seconds: what a host
// sends at a time is in one message, several lines of a series among them.
func hostMetrics(steps int) (messages []string) {
	const start = 1767225600
	for i := range steps {
		for n, host := range []string{"web1", "web2"} {
			busy := 20 + 15*math.Sin(float64(i)/5+float64(n))
			var b strings.Builder
			line := func(format string, args ...any) {
				fmt.Fprintf(&b, format+" %d000000000\n", append(args, start+10*i)...)
			}
			for _, cpu := range []string{"cpu0", "cpu-total"} {
				line("cpu,cpu=%s,host=%s usage_guest=0,usage_idle=%v,usage_iowait=0.1,usage_system=%v,usage_user=%v", cpu, host, 100-busy, busy/4, .75*busy)
			}
			line("mem,host=%s available=%di,total=16777216000i,used=%di,used_percent=%v", host, 8e9-int64(busy*1e6), 8e9+int64(busy*1e6), 50+busy/10)
			line("disk,device=sda1,fstype=ext4,host=%s,mode=rw,path=/ free=%di,inodes_free=6000000i,used=%di,used_percent=%v", host, 90e9-int64(i)*4096, 10e9+int64(i)*4096, 10+float64(i)/1000)
			line("system,host=%s load1=%.2f,n_cpus=2i", host, busy/20)
			line("system,host=%s uptime=%di", host, 3600+10*i)
			line("system,host=%s uptime_format=\" 1:%02d\"", host, i/6)
			messages = append(messages, b.String())
		}
	}
	return messages
}

// TestTelegrafToInfluxDB: with three lines of configuration, messages of Telegraf in a real Kafka become forecasts
// of every variable in a real InfluxDB.
func TestTelegrafToInfluxDB(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("real servers take some seconds to start")
	}
	const steps = 40
	broker := testserver.StartKafka(t)
	broker.CreateTopic("telegraf", 1)
	db := testserver.StartInfluxDB(t)
	bucket := db.CreateDatabase("forecasts")
	publish(t, broker.Addr, "telegraf", hostMetrics(steps))
	cfg := filepath.Join(t.TempDir(), "telegraf.yaml")
	writeFile(t, cfg, []byte(`input: {kafka: {brokers: ["`+broker.Addr+`"], topics: [telegraf]}, data_format: influx}
pipeline: {interval: 10s}
output: {influxdb: {url: "`+db.URL+`", org: any, bucket: `+bucket+`}}
`))
	live := start(t, "forecaster", "run", "-c", cfg)

	const day = `|> range(start: 2026-01-01T00:00:00Z, stop: 2026-01-02T00:00:00Z)`
	count := func(measurement string) map[string]int {
		n := make(map[string]int)
		rows, err := db.TryQuery(`from(bucket: "` + bucket + `") ` + day + ` |> filter(fn: (r) => r._measurement == "` + measurement + `")
			|> filter(fn: (r) => r._field != "cause" and r._field != "is_anomaly" and r._field != "anomaly_score" and r._field !~ /_(lower|upper|score|share)$/)`)
		if err != nil {
			return n // the database is not there before the first point
		}
		for _, r := range rows {
			n[strings.TrimSuffix(fmt.Sprint(r["metric"], " ", r["host"], " ", r["cpu"], r["device"]), " ")+" "+r["_field"]]++
		}
		return n
	}
	var want []string
	for _, host := range []string{"web1", "web2"} {
		for series, fields := range map[string]string{
			"cpu " + host + " cpu0":      "usage_guest usage_idle usage_iowait usage_system usage_user",
			"cpu " + host + " cpu-total": "usage_guest usage_idle usage_iowait usage_system usage_user",
			"mem " + host:                "available total used used_percent",
			"disk " + host + " sda1":     "free inodes_free used used_percent",
			"system " + host:             "load1 n_cpus uptime",
		} {
			for field := range strings.FieldsSeq(fields) {
				want = append(want, series+" "+field)
			}
		}
	}
	slices.Sort(want)
	var got map[string]int
	if !poll(func() bool {
		got = count("forecast")
		for _, name := range want {
			if got[name] < steps-5 {
				return false
			}
		}
		return true
	}) {
		t.Errorf("forecasts: %v", got)
	}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("forecasts of\n%q, want\n%q", names, want)
	}
	observed := count("observation")
	for _, name := range want {
		if observed[name] < steps-5 {
			t.Errorf("%d observations of %s", observed[name], name)
		}
	}
	if rows := db.Query(`from(bucket: "` + bucket + `") ` + day + ` |> filter(fn: (r) => r._measurement == "forecast" and r.metric == "mem" and r.host == "web1" and r._field == "used_percent") |> last()`); len(rows) != 1 {
		t.Errorf("%d last forecasts", len(rows))
	} else if v, err := strconv.ParseFloat(rows[0]["_value"], 64); err != nil || !(v >= 50 && v <= 54) {
		t.Errorf("the memory used is forecast as %s", rows[0]["_value"])
	}
	if code := live.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
}
