//go:build unix

package soak

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

var (
	turns    = flag.Int("turns", 0, "how often each way of TestTelegraf moves the messages; without it it is skipped")
	messages = flag.Int("messages", 100_000, "messages that TestTelegraf moves")
)

// TestTelegraf moves the same messages from Apache Kafka to InfluxDB 1.8 by Telegraf, which
// writes their values, and by the forecaster with its default settings, which also writes
// forecasts and scores: in turns, each into a database of its own. It prints medians of the
// rate, of the processor time per 100,000 messages, which other work on the machine disturbs
// less, and of the size of the database after compaction.
//
//	internal/tools/testserver/install.sh telegraf
//	go test ./internal/tools/soak -v -timeout 0 -run Telegraf -turns 3
func TestTelegraf(t *testing.T) {
	if *turns == 0 {
		t.Skip("it takes minutes: make telegraf")
	}
	telegraf := testserver.Telegraf(t)
	dir := t.TempDir()
	binary := filepath.Join(dir, "forecaster")
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/orffvar/forecaster/cmd/forecaster").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	testserver.CompactSoon(t)
	m := &mover{t: t, dir: dir, kafka: testserver.StartKafka(t), influx: testserver.StartInfluxDB(t)}
	m.kafka.CreateTopic(topic, 2)
	m.produce()

	ways := []way{{name: "Telegraf", binary: telegraf, arguments: []string{"--config"}, config: telegrafConfig, arrived: `SELECT count(memory) FROM metrics`}}
	for _, s := range []string{"tier: light", "tier: full"} {
		for _, layout := range []string{"wide", "long"} {
			w := way{
				name: "forecaster, " + s + ", " + layout, binary: binary, arguments: []string{"run", "-c"},
				config: forecasterConfig(s, layout), arrived: `SELECT count(memory) FROM observation`,
			}
			if layout == "long" {
				w.arrived = `SELECT count(y) FROM observation WHERE target = 'memory'`
			}
			ways = append(ways, w)
		}
	}
	for turn := range *turns {
		for i := range ways {
			m.move(&ways[i], fmt.Sprintf("w%dt%d", i, turn))
		}
	}
	t.Logf("%-32s %12s %22s %22s %10s", "", "messages/s", "its CPU s per 100,000", "InfluxDB's per 100,000", "MB on disk")
	for _, w := range ways {
		t.Logf("%-32s %12.0f %22.2f %22.2f %10.1f", w.name, median(w.rate), median(w.cpu), median(w.database), median(w.disk))
	}
}

// way is one of moving the messages, with the figures of each turn.
type way struct {
	name, binary string
	arguments    []string // before the configuration
	config       func(m *mover, name string) string
	arrived      string // counts samples

	rate, cpu, database, disk []float64
}

type mover struct {
	t      *testing.T
	dir    string
	kafka  *testserver.Kafka
	influx *testserver.InfluxDB
}

// The settings of Telegraf are those with which it is fastest here: with its defaults it waits
// for each thousand messages.
func telegrafConfig(m *mover, name string) string {
	return fmt.Sprintf(`
[agent]
  omit_hostname = true
  metric_batch_size = 5000
  metric_buffer_limit = 100000
  flush_interval = "1s"
  quiet = true
[[inputs.kafka_consumer]]
  brokers = [%q]
  topics = [%q]
  consumer_group = %q
  kafka_version = "2.6.0"
  offset = "oldest"
  max_undelivered_messages = 20000
  name_override = "metrics"
  data_format = "json"
  tag_keys = ["host"]
  json_time_key = "time"
  json_time_format = "unix"
[[outputs.influxdb]]
  urls = [%q]
  database = %q
  skip_database_creation = true
`, m.kafka.Addr, topic, name, m.influx.URL, name)
}

func forecasterConfig(model, layout string) func(m *mover, name string) string {
	return func(m *mover, name string) string {
		return fmt.Sprintf(`
input:
  kafka: {brokers: [%q], topics: [%s], consumer_group: %s}
  json: {tags: [host]}
model: {%s}
output:
  influxdb: {url: %q, org: any, token: "a:b", bucket: %s/autogen, layout: %s}
state: {dir: %q}
log: {level: error}
`, m.kafka.Addr, topic, name, model, m.influx.URL, name, layout, filepath.Join(m.dir, name))
	}
}

// produce fills the topic with samples of 20 series at one second.
func (m *mover) produce() {
	const hosts = 20
	p, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{m.kafka.Addr}}, topic, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		m.t.Fatal(err)
	}
	defer p.Close()
	rng := rand.New(rand.NewPCG(*seed, 0))
	var level [hosts]float64
	var batch []stream.Message
	bytes := 0
	for i := range *messages {
		k, at := i%hosts, i/hosts
		level[k] = .99*level[k] + rng.NormFloat64()
		host := fmt.Sprintf("web%02d", k)
		v := func(scale float64) float64 {
			return scale * (10 + level[k] + math.Sin(float64(at)/50) + .1*rng.NormFloat64())
		}
		value := fmt.Appendf(nil, `{"host":%q,"time":%d,"user":%.3f,"system":%.3f,"iowait":%.3f,"memory":%.2f,"swap":%.2f,"received":%.1f,"sent":%.1f}`,
			host, 1_700_006_400+at, v(1), v(.3), v(.1), v(5), v(2), v(1000), v(300))
		bytes += len(value)
		batch = append(batch, stream.Message{Key: []byte(host), Value: value})
		if len(batch) == 5000 || i == *messages-1 {
			if err := p.Send(m.t.Context(), batch); err != nil {
				m.t.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	m.t.Logf("%d messages of %d bytes on average, 7 variables", *messages, bytes / *messages)
}

// move runs a way until the database has every sample.
func (m *mover) move(w *way, name string) {
	t := m.t
	m.influx.CreateDatabase(name)
	config := filepath.Join(m.dir, name+".conf")
	if err := os.WriteFile(config, []byte(w.config(m, name)), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(m.dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(w.binary, append(slices.Clone(w.arguments), config)...)
	cmd.Stdout, cmd.Stderr = log, log
	began, used := time.Now(), m.influx.ProcessorTime()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for deadline := began.Add(20 * time.Minute); n < *messages; n = m.count(name, w.arrived) {
		if time.Now().After(deadline) {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	elapsed := time.Since(began)
	err = cmd.Process.Signal(syscall.SIGTERM)
	if err == nil {
		err = cmd.Wait()
	}
	used = m.influx.ProcessorTime() - used
	if err != nil || n != *messages {
		text, _ := os.ReadFile(log.Name())
		t.Fatalf("%s: %v; %d of %d samples in InfluxDB\n%s", w.name, err, n, *messages, text)
	}
	per := 100_000 / float64(*messages)
	own := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	w.rate = append(w.rate, float64(*messages)/elapsed.Seconds())
	w.cpu = append(w.cpu, own.Seconds()*per)
	w.database = append(w.database, used.Seconds()*per)
	w.disk = append(w.disk, float64(m.influx.CompactedSize(name))/1e6)
	t.Logf("%s: %.0f messages/s", w.name, w.rate[len(w.rate)-1])
}

// count returns the result of a query for a number.
func (m *mover) count(database, query string) int {
	resp, err := http.Get(m.influx.URL + "/query?" + url.Values{"db": {database}, "q": {query}}.Encode())
	if err != nil {
		m.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Results []struct{ Series []struct{ Values [][2]any } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		m.t.Fatal(err)
	}
	if len(answer.Results) == 0 || len(answer.Results[0].Series) == 0 {
		return 0 // nothing has arrived
	}
	n, _ := answer.Results[0].Series[0].Values[0][1].(float64)
	return int(n)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
