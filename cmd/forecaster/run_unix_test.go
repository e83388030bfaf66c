//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// TestThreeWays: a replay, a second replay, and a live run over Kafka that is
// killed three times in the middle write the same bytes.
func TestThreeWays(t *testing.T) {
	t.Parallel()
	t.Run("development broker", func(t *testing.T) {
		t.Parallel()
		threeWays(t, startBroker(t, "metrics"), "state.dir="+filepath.Join(t.TempDir(), "state"))
	})
	t.Run("checkpoints in a topic", func(t *testing.T) {
		t.Parallel()
		threeWays(t, startBroker(t, "metrics"), "state.topic=metrics-state")
	})
	t.Run("Apache Kafka", func(t *testing.T) {
		t.Parallel()
		if testing.Short() {
			t.Skip("a real broker takes some seconds to start")
		}
		k := testserver.StartKafka(t)
		k.CreateTopic("metrics", 1)
		threeWays(t, k.Addr, "state.topic=metrics-state")
	})
}

func threeWays(t *testing.T, broker, state string) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data.csv")
	writeFile(t, data, seriesCSV(3000, 3, .05, 1))
	model := []string{"--set", "model.horizon=2", "--set", "model.type=auto"}

	var replays [2][]byte
	for i := range replays {
		out := filepath.Join(dir, fmt.Sprintf("replay%d.csv", i))
		mustCall(t, append([]string{"replay", data, "--out", out}, model...)...)
		replays[i] = readFile(t, out)
	}
	if !bytes.Equal(replays[0], replays[1]) {
		t.Fatal("two replays of the same file differ")
	}
	want := replays[0]

	out := filepath.Join(dir, "run-0.csv")
	args := append([]string{
		"run",
		"--set", "input.kafka.brokers=" + broker,
		"--set", "input.kafka.topics=metrics",
		"--set", "output.file.path=" + ofPartitions(out),
		"--set", state,
		"--set", "state.interval=20ms",
		"--set", "log.format=json",
	}, model...)
	size := func() int {
		info, err := os.Stat(out)
		if err != nil {
			return 0
		}
		return int(info.Size())
	}
	// How long the start after a kill -9 waits. A quarter of it is what the last
	// batch may take when a process is told to stop, so the last one has more.
	toBeKilled := append(slices.Clone(args), "--set", "input.kafka.session_timeout=2s")
	live := start(t, "forecaster", toBeKilled...)
	producer := start(t, "forecaster", "produce", data, "--brokers", broker, "--topic", "metrics", "--rate", "1500")
	for kills := 1; kills <= 3; kills++ {
		if !poll(func() bool { return size() > kills*len(want)/5 }) {
			t.Fatalf("run wrote %d of %d bytes", size(), len(want))
		}
		live.kill()
		if kills == 3 {
			live = start(t, "forecaster", args...)
		} else {
			live = start(t, "forecaster", toBeKilled...)
		}
	}
	if !poll(func() bool { return size() >= len(want) }) {
		t.Errorf("run wrote %d of %d bytes", size(), len(want))
	}
	if code := producer.wait(t); code != exitDone {
		t.Errorf("produce: exit code %d", code)
	}
	if code := live.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
	got := readFile(t, out)
	if !bytes.Equal(got, want) {
		t.Errorf("run over Kafka, killed three times, wrote %d bytes, replay %d; the first difference is in line %d",
			len(got), len(want), firstDifference(got, want))
	}
}

func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	return bytes.Count(a[:i], []byte("\n")) + 1
}

// TestCheckpointsInATopic: inspect, verify and reset work on state.topic, too.
func TestCheckpointsInATopic(t *testing.T) {
	t.Parallel()
	broker := startBroker(t, "metrics")
	mustCall(t, "produce", writeSeries(t, t.TempDir()), "--brokers", broker, "--topic", "metrics")
	settings := []string{
		"--set", "input.kafka.brokers=" + broker,
		"--set", "input.kafka.topics=metrics",
		"--set", "output.discard={}",
		"--set", "state.topic=metrics-state",
		"--set", "state.interval=20ms",
		"--set", "log.format=json",
		"--set", "model.type=var1",
	}
	of := func(verb string, more ...string) []string {
		return append(append([]string{"checkpoint", verb}, settings...), more...)
	}
	live := start(t, "forecaster", append([]string{"run"}, settings...)...)
	var list []job.CheckpointInfo
	if !poll(func() bool {
		code, out, _ := call(t, of("inspect", "--output", "json")...)
		return code == exitDone && json.Unmarshal([]byte(out), &list) == nil && len(list) > 0 && list[0].Next == 200 &&
			list[0].Committed != nil && *list[0].Committed // the offset follows the checkpoint
	}) {
		t.Fatalf("%+v", list)
	}
	if list[0].Error != "" || list[0].Settings["model.type"] != "var1" {
		t.Errorf("%+v", list[0])
	}
	if out := mustCall(t, of("verify")...); !strings.Contains(out, "metrics[0]") || !strings.Contains(out, "in use") {
		t.Error(out)
	}
	if code, _, stderr := call(t, of("reset", "--yes")...); code != exitFailed || !strings.Contains(stderr, "the group has members") {
		t.Errorf("reset of a running job: exit code %d, %s", code, stderr)
	}
	if code := live.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
	if code, _, stderr := call(t, of("reset")...); code != exitUsage || !strings.Contains(stderr, "in the topic metrics-state; say --yes") {
		t.Errorf("reset without --yes: exit code %d, %s", code, stderr)
	}
	// One checkpoint when the job learns all rows at once, more when they come in parts.
	if out := mustCall(t, of("reset", "--yes")...); !regexp.MustCompile(`^[1-9]\d* checkpoints? removed\n$`).MatchString(out) {
		t.Error(out)
	}
	if code, _, stderr := call(t, of("inspect")...); code != exitFailed || !strings.Contains(stderr, "no checkpoints in the topic metrics-state") {
		t.Errorf("after the reset: exit code %d, %s", code, stderr)
	}
}

// TestSeveralMembers follows docs/howto/several-members.md. Two members share the partitions; one is stopped, the
// other killed and restarted, and all samples still get their forecasts.
func TestSeveralMembers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("real servers take some seconds to start")
	}
	broker, db := testserver.StartKafka(t), testserver.StartInfluxDB(t)
	db.CreateDatabase("forecasts")
	dir := t.TempDir()
	page := string(readFile(t, "../../docs/howto/several-members.md"))
	_, text, _ := strings.Cut(page, "## 2. One configuration for all\n\n```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	text = strings.NewReplacer("localhost:9092", broker.Addr, "http://localhost:8086", db.URL, `org: "..."`, "org: any",
		`token: "..."`, `token: "a:b"`, "session_timeout: 10s", "session_timeout: 20s", "bucket: forecasts", "bucket: forecasts/autogen").Replace(text)
	file := filepath.Join(dir, "members.yaml")
	writeFile(t, file, []byte(text))

	const series, rows = 8, 60
	at := 0
	produce := func() {
		t.Helper()
		var lines strings.Builder
		for range rows {
			at++
			for k := range series {
				fmt.Fprintf(&lines, `{"series": "s%d", "time": %d, "values": {"x": %d, "y": %d}}`+"\n", k, 1_767_225_600+at, at*k%17, at%(k+2))
			}
		}
		data := filepath.Join(dir, "data.jsonl")
		writeFile(t, data, []byte(lines.String()))
		mustCall(t, "produce", data, "--brokers", broker.Addr, "--topic", "metrics", "--partitions", "6", "--set", "input.json.series_field=series")
	}
	points := func() int {
		time.Sleep(100 * time.Millisecond) // between two questions
		rows, err := db.TryQuery(`from(bucket: "forecasts/autogen") |> range(start: 2025-01-01T00:00:00Z, stop: 2027-01-01T00:00:00Z)
			|> filter(fn: (r) => r._measurement == "observation" and (r._field == "x" or r._field == "y")) |> group() |> count()`)
		if err != nil || len(rows) != 1 {
			return 0
		}
		var n int
		fmt.Sscan(rows[0]["_value"], &n)
		return n
	}
	wait := func(what string) {
		t.Helper()
		if !poll(func() bool { return points() == at*series*2 }) {
			t.Fatalf("%s: %d observations in InfluxDB, want %d", what, points(), at*series*2)
		}
	}
	member := func() *program {
		return start(t, "forecaster", "run", "-c", file, "--set", "server.listen=127.0.0.1:0", "--set", "log.format=json")
	}

	produce()
	one := member()
	wait("one member")
	two := member()
	if !poll(func() bool { return strings.Contains(two.stderr.String(), `"working","partition":"metrics-`) }) {
		t.Fatalf("the second member got nothing:\n%s", two.stderr.String())
	}
	produce()
	wait("two members")
	if code := one.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
	produce()
	wait("one has left")
	two.kill()
	member()
	produce()
	wait("one was killed")
	if out := mustCall(t, "checkpoint", "verify", "-c", file); strings.Count(out, "in use") == 0 {
		t.Error(out)
	}
}

// TestServerOfARun asks a live job for its health and its metrics, and looks for
// the secret in all that it writes.
func TestServerOfARun(t *testing.T) {
	t.Parallel()
	const canary = "canary-51d7"
	dir := t.TempDir()
	broker := startBroker(t, "metrics")
	mustCall(t, "produce", writeSeries(t, dir), "--brokers", broker, "--topic", "metrics")
	live := start(t, "forecaster", "run",
		"--set", "input.kafka.brokers="+broker,
		"--set", "input.kafka.topics=metrics",
		"--set", "output.file.path="+filepath.Join(dir, "out-{partition}.csv"),
		"--set", "output.dead_letters.path="+filepath.Join(dir, "dead-{partition}.jsonl"),
		"--set", "state.dir="+filepath.Join(dir, "state"),
		"--set", "server.enabled=true",
		"--set", "server.listen=127.0.0.1:0",
		"--set", "server.token="+canary,
		"--set", "log.level=debug",
		"--set", "log.format=json",
		"--set", "evaluate.interval=10",
		"--set", "model.type=var1",
	)
	address := ""
	if !poll(func() bool { address = logField(live.stderr.String(), "serving", "address"); return address != "" }) {
		t.Fatal("no line about the address")
	}
	get := func(path, token string) (int, string) {
		resp, body := getWithToken(t, address+path, token)
		return resp.StatusCode, body
	}
	if code, _ := get("/healthz", ""); code != http.StatusOK {
		t.Errorf("/healthz: %d", code)
	}
	if !poll(func() bool { code, _ := get("/readyz", ""); return code == http.StatusOK }) {
		t.Error("/readyz: not ready")
	}
	if code, text := get("/", canary); code != http.StatusOK || !strings.Contains(text, "<!doctype html>") {
		t.Errorf("the live page: %d", code)
	}
	if code, _ := get("/metrics", "wrong"); code != http.StatusUnauthorized {
		t.Errorf("/metrics with a wrong token: %d", code)
	}
	names := []string{
		`forecaster_records_total{result="learnt"} 200`, "forecaster_build_info{", `forecaster_consumer_lag{partition="0",topic="metrics"} 0`, "forecaster_series 1",
		`forecaster_skill{horizon="1",model="var1"}`, `forecaster_scv_mse{horizon="1",model="var1"}`,
		`forecaster_stage_duration_seconds_count{stage="write"}`, "forecaster_watermark_lag_seconds", "forecaster_checkpoint_age_seconds",
		"forecaster_checkpoint_written_bytes_total", "forecaster_damaged_checkpoints_total 0", "forecaster_stalled_seconds 0",
		`forecaster_points_written_total{kind="forecast"}`, `forecaster_dead_letters_total{reason="late"} 0`, "go_goroutines", "process_",
	}
	var text string
	lacking := ""
	if !poll(func() bool {
		_, text = get("/metrics", canary)
		i := slices.IndexFunc(names, func(name string) bool { return !strings.Contains(text, name) })
		if i < 0 {
			return true
		}
		lacking = names[i]
		return false
	}) {
		t.Errorf("/metrics lacks %s", lacking)
	}
	if code, text := get("/api/v1/series", canary); code != http.StatusOK || !strings.Contains(text, `"name":"data"`) {
		t.Errorf("/api/v1/series: %d %s", code, text)
	}
	if code := live.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
	if strings.Contains(live.stderr.String(), canary) || strings.Contains(text, canary) {
		t.Error("the secret was written")
	}
}

func writeSeries(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "data.csv")
	writeFile(t, file, seriesCSV(200, 2, 0, 1))
	return file
}

// logField returns a field of the JSON log line with this message.
func logField(log, message, field string) string {
	for line := range strings.Lines(log) {
		var entry map[string]any
		if json.Unmarshal([]byte(line), &entry) == nil && entry["msg"] == message {
			return fmt.Sprint(entry[field])
		}
	}
	return ""
}

// TestInfluxDB replays a file into a real server, twice, and reads it back:
// the second replay overwrites the points of the first.
func TestInfluxDB(t *testing.T) {
	t.Parallel()
	server := testserver.StartInfluxDB(t)
	server.CreateDatabase("forecasts")
	file := writeSeries(t, t.TempDir())
	args := []string{
		"replay", file, "--model", "var1", "--horizon", "2", "--output", "json",
		"--set", "output.influxdb.url=" + server.URL, "--set", "output.influxdb.bucket=forecasts/autogen",
	}
	var report struct{ Forecasts int64 }
	for range 2 {
		unmarshal(t, mustCall(t, args...), &report)
	}
	rows := server.Query(`from(bucket: "forecasts/autogen") |> range(start: 2025-01-01T00:00:00Z, stop: 2027-01-01T00:00:00Z)
		|> filter(fn: (r) => r._measurement == "forecast" and r._field !~ /_(lower|upper)$/) |> group() |> count()`)
	if want := fmt.Sprint(2 * report.Forecasts); len(rows) != 1 || rows[0]["_value"] != want { // two variables
		t.Errorf("got %v, want %s points", rows, want)
	}
	if out := mustCall(t, "lint", "--connect",
		"--set", "input.stdin={}", "--set", "output.influxdb.url="+server.URL, "--set", "output.influxdb.bucket=forecasts/autogen"); !strings.HasSuffix(out, " accepts writes to forecasts/autogen\nok\n") {
		t.Errorf("lint --connect: %s", out)
	}
}

// TestWrongToken: lint says it in a line; a live job waits for somebody to repair
// it, says so once, and still ends in time.
func TestWrongToken(t *testing.T) {
	t.Parallel()
	const canary = "canary-77e2"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"code":"unauthorized","message":"unauthorized access"}`)
	}))
	defer server.Close()
	dir := t.TempDir()
	settings := []string{
		"--set", "input.file.path=" + writeSeries(t, dir),
		"--set", "output.influxdb.url=" + server.URL,
		"--set", "output.influxdb.bucket=forecasts",
		"--set", "output.influxdb.token=" + canary,
		"--set", "state.dir=" + filepath.Join(dir, "state"),
		"--set", "log.format=json",
		"--set", "model.type=var1",
	}
	code, stdout, _ := call(t, append([]string{"lint", "--connect"}, settings...)...)
	if code != exitFailed || strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, "output.influxdb: ") || !strings.Contains(stdout, "401 Unauthorized") {
		t.Errorf("lint --connect: exit code %d\n%s", code, stdout)
	}
	live := start(t, "forecaster", append([]string{"run"}, settings...)...)
	const message = "InfluxDB accepts no points: check the URL, the token, the bucket and the quotas; nothing is dropped, and writing is repeated"
	if !poll(func() bool { return logField(live.stderr.String(), message, "reason") == "401" }) {
		t.Errorf("no line about the token:\n%s", live.stderr.String())
	}
	if code := live.terminate(t); code != exitFailed {
		t.Errorf("SIGTERM: exit code %d", code)
	}
	if n := strings.Count(live.stderr.String(), message); n != 1 {
		t.Errorf("%d lines about the token", n)
	}
	if strings.Contains(stdout+live.stderr.String(), canary) {
		t.Error("the secret was written")
	}
}

// getWithToken sends a request with a token, if it is not "", and reads the answer.
func getWithToken(t *testing.T, url, token string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp, body.String()
}
