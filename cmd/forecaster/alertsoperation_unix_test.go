//go:build unix && !race

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// alertsOfServers and alertsOfStages are the alerts of the tests below, with the minutes at which they fire.
var (
	alertsOfServers = map[string]int{
		"ForecasterStale": 54, "ForecasterTooManySeries": 42, "ForecasterDenied": 83, "ForecasterSinkRetries": 83,
		"ForecasterKafkaRetries": 120, "ForecasterDown": 126, "ForecasterCheckpointDamaged": 130, "ForecasterRecordsLost": 130,
	}
	alertsOfStages = map[string]int{"ForecasterHanging": 40, "ForecasterCheckpointOld": 70}
)

// TestEveryAlertIsTried: each rule of Prometheus fires and clears in a test with metrics of a real job.
func TestEveryAlertIsTried(t *testing.T) {
	tried := maps.Clone(alertsOfData)
	maps.Copy(tried, alertsOfServers)
	maps.Copy(tried, alertsOfStages)
	rules := regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(readFile(t, "../../configs/prometheus/rules.yaml")), -1)
	for _, r := range rules {
		if tried[r[1]] == 0 {
			t.Errorf("no test fires %s", r[1])
		}
	}
	if len(rules) != len(tried) {
		t.Errorf("%d alerts are tried, rules.yaml has %d", len(tried), len(rules))
	}
}

// upOf is what /metrics of a process says, which is up.
func upOf(t *testing.T, address string) map[string]float64 {
	m := scrapeOf(t, address)
	m["up"] = 1
	return m
}

// sumOf is the sum over the labels.
func sumOf(metrics map[string]float64, name string) (sum float64) {
	for n, v := range metrics {
		if strings.HasPrefix(n, name) {
			sum += v
		}
	}
	return sum
}

// awaitMetrics scrapes the metrics of a process until ok accepts them.
func awaitMetrics(t *testing.T, what, address string, ok func(m map[string]float64) bool) (m map[string]float64) {
	t.Helper()
	if !poll(func() bool { m = upOf(t, address); return ok(m) }) {
		t.Fatalf("%s: %v", what, m)
	}
	return m
}

// TestAlertsOfServers: a job gets old samples and too many series, then its database is gone, its broker refuses requests,
// and the job itself is killed, after which a checkpoint is damaged and messages are gone. Each time all is well again.
func TestAlertsOfServers(t *testing.T) {
	t.Parallel()
	promtool, influx := testserver.Promtool(t), testserver.StartInfluxDB(t)
	bucket := influx.CreateDatabase("alerts")
	const partitions = 16
	b, err := devbroker.Start(partitions, []string{"metrics"}, kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "500"}))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	client := &kafka.Client{Addr: kafka.TCP(b.Addr())}
	send := func(partition int, series string, at time.Time) {
		t.Helper()
		value := fmt.Sprintf(`{"time":%q,"v":%d}`, at.UTC().Format(time.RFC3339Nano), partition)
		resp, err := client.Produce(context.Background(), &kafka.ProduceRequest{Topic: "metrics", Partition: partition, RequiredAcks: kafka.RequireAll,
			Records: kafka.NewRecordReader(kafka.Record{Key: kafka.NewBytes([]byte(series)), Value: kafka.NewBytes([]byte(value))})})
		if err != nil || resp.Error != nil {
			t.Fatal(err, resp.Error)
		}
	}
	sent := 0
	fresh := func() { // samples for all partitions but the last
		t.Helper()
		for i := range partitions - 1 {
			for k := range 3 {
				send(i, fmt.Sprint("s", i), time.Now().Add(time.Duration(k)*time.Millisecond))
				sent++
			}
		}
	}
	state := filepath.Join(t.TempDir(), "state")
	begin := func() (*program, string) {
		p := start(t, "forecaster", "run", "--set", "input.kafka.brokers="+b.Addr(), "--set", "input.kafka.topics=metrics", "--set", "pipeline.max_series=1", "--set", "model.type=persistence", "--set", "model.horizon=1",
			"--set", "output.influxdb.url="+influx.URL, "--set", "output.influxdb.bucket="+bucket, "--set", "state.dir="+state, "--set", "state.interval=200ms",
			"--set", "server.enabled=true", "--set", "server.listen=127.0.0.1:0")
		return p, served(t, p)
	}
	p, address := begin()
	well := func(what string) map[string]float64 {
		t.Helper()
		fresh()
		return awaitMetrics(t, what, address, func(m map[string]float64) bool {
			return m["forecaster_watermark_lag_seconds"] < 60 && sumOf(m, "forecaster_consumer_lag") == 0 && m["forecaster_checkpoint_age_seconds"] < 60 &&
				m[`forecaster_records_total{result="learnt"}`] >= float64(sent)
		})
	}
	all := timeline{{20, well("healthy")}}

	send(0, "one too many", time.Now())
	send(partitions-1, "late", time.Now().Add(-10*time.Minute))
	old := awaitMetrics(t, "old samples, and too many series", address, func(m map[string]float64) bool {
		return m["forecaster_watermark_lag_seconds"] > 300 && m[`forecaster_dead_letters_total{reason="too_many"}`] == 1
	})
	all = append(all, moment{40, old}, moment{55, old})
	send(partitions-1, "late", time.Now())
	sent += 2
	all = append(all, moment{60, well("fresh samples")})

	query := func(q string) {
		t.Helper()
		resp, err := http.PostForm(influx.URL+"/query", url.Values{"q": {q}})
		if err != nil {
			t.Fatal(q, err)
		}
		defer resp.Body.Close()
		if text, err := io.ReadAll(resp.Body); err != nil || strings.Contains(string(text), "error") {
			t.Fatal(q, err, string(text))
		}
	}
	query(`DROP DATABASE "alerts"`)
	fresh()
	for _, gone := range []struct{ minute, retries int }{{61, 1}, {84, 60}} {
		all = append(all, moment{gone.minute, awaitMetrics(t, "the database is gone", address, func(m map[string]float64) bool {
			return m[`forecaster_sink_retries_total{reason="404"}`] >= float64(gone.retries)
		})})
	}
	query(`CREATE DATABASE "alerts"`)
	all = append(all, moment{95, well("the database is back")})

	fault := b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: -1})
	before := sumOf(all[len(all)-1].metrics, "forecaster_kafka_retries_total")
	all = append(all, moment{122, awaitMetrics(t, "the broker refuses", address, func(m map[string]float64) bool {
		return sumOf(m, "forecaster_kafka_retries_total") > before+150
	})})
	fault.Remove()
	all = append(all, moment{123, well("the broker serves")})

	p.kill()
	all = append(all, moment{124, map[string]float64{"up": 0}}, moment{127, map[string]float64{"up": 0}})
	for range 5 {
		send(1, "s1", time.Now())
	}
	if err := b.Cluster().DeleteRecords("metrics", 1, endOf(t, client, 1)-1); err != nil {
		t.Fatal(err)
	}
	damageNewest(t, state)
	sent = 0
	_, address = begin()
	all = append(all, moment{128, well("started again")})
	all.check(t, promtool, alertsOfServers)
}

// endOf is the offset behind the last message of a partition.
func endOf(t *testing.T, client *kafka.Client, partition int) int64 {
	t.Helper()
	resp, err := client.ListOffsets(t.Context(), &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{"metrics": {kafka.LastOffsetOf(partition)}}})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Topics["metrics"][0].LastOffset
}

// TestAlertsOfStages: an alert fires while the output pipe of a job has no reader, and while its last checkpoint is old. It
// ends with a reader, and after a restart.
func TestAlertsOfStages(t *testing.T) {
	t.Parallel()
	promtool := testserver.Promtool(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	begin := func(interval string) (*program, string) {
		p := start(t, "forecaster", "run", "--set", "input.simulated.rows=0", "--set", "input.simulated.speed=100", "--set", "model.type=persistence", "--set", "model.horizon=12",
			"--set", "output.file.path="+pipe, "--set", "output.file.format=jsonl", "--set", "state.dir="+filepath.Join(dir, "state"), "--set", "state.interval="+interval, "--set", "state.records=1000000000",
			"--set", "server.enabled=true", "--set", "server.listen=127.0.0.1:0")
		return p, served(t, p)
	}
	p, address := begin("1h")
	learnt := func(m map[string]float64) float64 { return m[`forecaster_records_total{result="learnt"}`] }
	all := timeline{{20, awaitMetrics(t, "healthy", address, func(m map[string]float64) bool { return learnt(m) > 0 })}}
	all = append(all, moment{40, awaitMetrics(t, "nobody reads", address, func(m map[string]float64) bool { return m["forecaster_stalled_seconds"] > 61 })})
	go func() { _, _ = io.Copy(io.Discard, reader) }() // until the test ends
	read := awaitMetrics(t, "somebody reads", address, func(m map[string]float64) bool { return m["forecaster_stalled_seconds"] == 0 })
	all = append(all, moment{50, read})
	all = append(all, moment{60, awaitMetrics(t, "an old checkpoint", address, func(m map[string]float64) bool {
		return m["forecaster_checkpoint_age_seconds"] > 121 && learnt(m) > learnt(read)
	})})
	more := awaitMetrics(t, "an older checkpoint", address, func(m map[string]float64) bool { return learnt(m) > learnt(all[len(all)-1].metrics)+100 })
	all = append(all, moment{72, more})
	if code := p.terminate(t); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	_, address = begin("200ms")
	all = append(all, moment{75, awaitMetrics(t, "checkpoints", address, func(m map[string]float64) bool { return m["forecaster_checkpoints_total"] > 1 && learnt(m) > 0 })})
	all.check(t, promtool, alertsOfStages)
}

// damageNewest overwrites the middle of the newest checkpoint of partition 0.
func damageNewest(t *testing.T, state string) {
	t.Helper()
	var newest string
	var at time.Time
	err := filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 64 && info.ModTime().After(at) {
			newest, at = path, info.ModTime()
		}
		return err
	})
	if err != nil || newest == "" {
		t.Fatalf("no checkpoint in %s: %v", state, err)
	}
	text := readFile(t, newest)
	copy(text[len(text)/2:], strings.Repeat("?", 16))
	writeFile(t, newest, text)
}
