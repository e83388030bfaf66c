//go:build unix && !race

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// scrapeOf returns the samples of /metrics, by name and labels.
func scrapeOf(t *testing.T, address string) map[string]float64 {
	t.Helper()
	resp, err := http.Get(address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]float64)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(name, "forecaster_") {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all[name] = v
	}
	return all
}

// TestAlertsFromRealMetrics: a job is healthy, then its data have an anomaly, a silent series, a limit, refused
// messages and a change that its model fails at, and its database is away while messages come; then all is
// well again. The rules of Prometheus, evaluated by promtool on what /metrics said at these times, fire and clear.
func TestAlertsFromRealMetrics(t *testing.T) {
	promtool, influx := testserver.Promtool(t), testserver.StartInfluxDB(t)
	bucket := influx.CreateDatabase("alerts")
	proxy := testserver.StartProxy(t, strings.TrimPrefix(influx.URL, "http://"))
	broker := startBroker(t, "metrics")
	client := &kafka.Client{Addr: kafka.TCP(broker)}
	var sent []kafka.Record
	flush := func() {
		t.Helper()
		for len(sent) > 0 {
			n := min(len(sent), 10_000)
			resp, err := client.Produce(context.Background(), &kafka.ProduceRequest{Topic: "metrics", RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(sent[:n]...)})
			if err != nil || resp.Error != nil {
				t.Fatal(err, resp.Error)
			}
			sent = sent[n:]
		}
	}
	rows := map[string]int{}
	begin := time.Now()
	send := func(series string, v float64) {
		at := begin.Add(time.Duration(rows[series]) * 50 * time.Millisecond)
		rows[series]++
		value := fmt.Sprintf(`{"time":%q,"v":%.4f}`, at.UTC().Format(time.RFC3339Nano), v)
		sent = append(sent, kafka.Record{Key: kafka.NewBytes([]byte(series)), Value: kafka.NewBytes([]byte(value))})
	}
	rng := rand.New(rand.NewPCG(5, 6))
	cycle := func(series string, n int) {
		for range n {
			send(series, 10*math.Sin(2*math.Pi*float64(rows[series])/24)+.1*rng.NormFloat64())
		}
	}
	p := start(t, "forecaster", "run", "--set", "input.kafka.brokers="+broker, "--set", "input.kafka.topics=metrics",
		"--set", "output.influxdb.url=http://"+proxy.Addr, "--set", "output.influxdb.bucket="+bucket, "--set", "output.influxdb.include=metrics",
		"--set", "model.type=seasonal", "--set", "model.season=24", "--set", "model.horizon=4", "--set", "model.limits=v <= 50",
		"--set", "pipeline.interval=50ms", "--set", "evaluate.interval=10", "--set", "evaluate.window=50",
		"--set", "server.enabled=true", "--set", "server.listen=127.0.0.1:0")
	address := served(t, p)
	skill := func(m map[string]float64) float64 { return m[`forecaster_skill{horizon="1",model="seasonal"}`] }
	await := func(what string, more func(), ok func(m map[string]float64) bool) (m map[string]float64) {
		t.Helper()
		if !poll(func() bool { more(); flush(); m = scrapeOf(t, address); return ok(m) }) {
			t.Fatalf("%s: %v\n%s", what, m, p.stderr.String())
		}
		return m
	}
	healthy := func(m map[string]float64) bool {
		return m["forecaster_silent_series"] == 0 && m["forecaster_limits_expected"] == 0 && skill(m) > .5 &&
			m[`forecaster_consumer_lag{partition="0",topic="metrics"}`] == 0 && m["forecaster_series"] == 2
	}
	both := func() { cycle("a", 12); cycle("b", 12) }
	cycle("a", 480)
	cycle("b", 480)
	stages := []map[string]float64{await("healthy", both, healthy)}

	walk := 0.
	send("a", 230) // an anomaly, and beyond the limit
	wander := func(n int) {
		for range n {
			walk = .999*walk + rng.NormFloat64()
			send("a", 200+walk)
		}
	}
	wander(600)
	for range 30 {
		sent = append(sent, kafka.Record{Key: kafka.NewBytes([]byte("a")), Value: kafka.NewBytes([]byte(`{"no time":1}`))})
	}
	await("faults", func() {}, func(m map[string]float64) bool {
		return m["forecaster_silent_series"] > 0 && m["forecaster_limits_expected"] == 1 && skill(m) < 0 &&
			m["forecaster_anomalies_total"] > stages[0]["forecaster_anomalies_total"] && m[`forecaster_dead_letters_total{reason="malformed"}`] == 30
	})
	proxy.SetRefuse(true)
	proxy.Reset()
	for _, n := range []int{115_000, 15_000} {
		wander(n)
		before := stages[len(stages)-1][`forecaster_consumer_lag{partition="0",topic="metrics"}`]
		stages = append(stages, await("the database is away", func() {}, func(m map[string]float64) bool {
			return m[`forecaster_consumer_lag{partition="0",topic="metrics"}`] > max(100_000, before)
		}))
	}

	proxy.SetRefuse(false)
	cycle("a", 480)
	stages = append(stages, await("well again", both, healthy))

	all := timeline{{20, stages[0]}, {40, stages[1]}, {100, stages[2]}, {120, stages[3]}}
	all.check(t, promtool, alertsOfData)
}

// alertsOfData are those of TestAlertsFromRealMetrics, with the minutes at which they fire.
var alertsOfData = map[string]int{
	"ForecasterAnomaly": 41, "ForecasterDeadLetters": 41, "ForecasterSilent": 99, "ForecasterLimit": 99, "ForecasterSkill": 99, "ForecasterBehind": 99,
}

// timeline has the values of /metrics at some minutes. Values in between are on straight lines; before the first
// minute and after the last one they are constant. A metric that is absent at one end of a line is absent in between.
type timeline []moment

type moment struct {
	minute  int
	metrics map[string]float64
}

// at is a metric in a minute.
func (l timeline) at(name string, minute int) (v float64, ok bool) {
	k := 0
	for k < len(l) && l[k].minute < minute {
		k++
	}
	from, to := l[max(k-1, 0)], l[min(k, len(l)-1)]
	a, known := from.metrics[name]
	b, later := to.metrics[name]
	if k > 0 && k < len(l) {
		a += float64(minute-from.minute) / float64(to.minute-from.minute) * (b - a)
	}
	return a, known && later
}

// check lets promtool evaluate the rules: every alert is silent first, fires at its minute, and is silent at the end.
func (l timeline) check(t *testing.T, promtool string, alerts map[string]int) {
	t.Helper()
	rules, err := filepath.Abs("../../configs/prometheus/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	fmt.Fprintf(&file, "rule_files: [%s]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n", rules)
	names := make(map[string]bool)
	for _, m := range l {
		for name := range m.metrics {
			names[name] = true
		}
	}
	end := l[len(l)-1].minute + 80
	for name := range names {
		metric, labels, _ := strings.Cut(name, "{")
		fmt.Fprintf(&file, "      - series: '%s{instance=\"x\",job=\"forecaster\",%s'\n        values: '", metric, cmp.Or(labels, "}"))
		for minute := range end {
			if v, ok := l.at(name, minute); ok {
				fmt.Fprintf(&file, "%.10g ", v)
			} else {
				file.WriteString("_ ")
			}
		}
		file.WriteString("'\n")
	}
	file.WriteString("    promql_expr_test:\n")
	expect := func(alert string, minute, firing int) {
		fmt.Fprintf(&file, "      - expr: 'max(ALERTS{alertname=\"%s\",alertstate=\"firing\"}) or vector(0)'\n        eval_time: %dm\n        exp_samples: [{labels: '{}', value: %d}]\n", alert, minute, firing)
	}
	for alert, minute := range alerts {
		expect(alert, l[0].minute-1, 0)
		expect(alert, minute, 1)
		expect(alert, end-1, 0)
	}
	path := filepath.Join(t.TempDir(), "alerts.yaml")
	writeFile(t, path, []byte(file.String()))
	if out, err := exec.Command(promtool, "test", "rules", path).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
