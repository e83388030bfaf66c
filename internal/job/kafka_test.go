package job

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

// until waits for a condition.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("a minute has passed without: %s", what)
		}
	}
}

// connect returns the configuration with the settings, and the connection to its brokers.
func connect(t *testing.T, settings ...string) (*config.Config, cluster.Connection) {
	t.Helper()
	cfg, err := loadConfig(t, settings...)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := wire.InputKafka(cfg).Connection()
	if err != nil {
		t.Fatal(err)
	}
	return cfg, connection
}

// field is a broker and the jobs that read its topic.
type field struct {
	t      *testing.T
	broker *devbroker.Broker
	dir    string
	sent   map[int]int // messages of each partition
}

const fieldPartitions = 4

func newField(t *testing.T) *field {
	b, err := devbroker.Start(fieldPartitions, []string{"in"}, kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "500"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return &field{t, b, t.TempDir(), make(map[int]int)}
}

// send puts n samples into each partition.
func (f *field) send(n int, text func(series string, i int) string) {
	f.t.Helper()
	_, connection := connect(f.t, f.settings()...)
	p, err := kafkasink.NewProducer(connection, "in", logtest.Discard())
	if err != nil {
		f.t.Fatal(err)
	}
	defer p.Close()
	var all []stream.Message
	for key, partition := range f.keys() {
		for range n {
			all = append(all, stream.Message{Key: []byte(key), Value: []byte(text(key, f.sent[partition]))})
			f.sent[partition]++
		}
	}
	if err := p.Send(context.Background(), all); err != nil {
		f.t.Fatal(err)
	}
}

// keys has a key for each partition, by the hash that all clients of Kafka use.
func (f *field) keys() map[string]int {
	keys, found := make(map[string]int), make(map[int]bool)
	for i := 0; len(found) < fieldPartitions; i++ {
		key := fmt.Sprint("s", i)
		if p := (kafkago.Murmur2Balancer{}).Balance(kafkago.Message{Key: []byte(key)}, 0, 1, 2, 3); !found[p] {
			found[p], keys[key] = true, p
		}
	}
	return keys
}

func sampleText(series string, i int) string {
	return fmt.Sprintf(`{"series":%q,"time":"%s","values":{"x":%d}}`, series, time.Unix(1.7e9+int64(i), 0).UTC().Format(time.RFC3339), i%7)
}

func (f *field) settings(more ...string) []string {
	return append([]string{
		"input.kafka.brokers=" + f.broker.Addr(), "input.kafka.topics=in", "input.kafka.consumer_group=g", "input.kafka.session_timeout=3s",
		"model.type=persistence", "model.horizon=1", "model.memory=64MiB", "state.dir=" + filepath.Join(f.dir, "state"), "state.interval=100ms",
		"output.file.path=" + filepath.Join(f.dir, "out-{partition}.jsonl"), "server.enabled=true", "server.listen=127.0.0.1:0",
	}, more...)
}

// start starts a job, which stop ends.
func (f *field) start(more ...string) (l *Live, stop func()) {
	f.t.Helper()
	cfg, err := loadConfig(f.t, f.settings(more...)...)
	if err != nil {
		f.t.Fatal(err)
	}
	l = NewLive(cfg, logtest.Discard(), "")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		if err := <-done; err != nil {
			f.t.Error(err)
		}
	}
	f.t.Cleanup(stop)
	return l, stop
}

func (l *Live) heldOutputs() (n, working int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open), len(l.working)
}

func records(l *Live) (n int64) {
	for _, c := range l.Stats() {
		n += c.Records
	}
	return n
}

func askPath(t *testing.T, l *Live, path string) (int, string) {
	t.Helper()
	response, err := http.Get(l.Address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A partition that is given back releases its output, its lag and its part in /metrics; when it comes
// back, its counts and its file go on, with each forecast once.
func TestPartitionsGoAndComeBack(t *testing.T) {
	f := newField(t)
	f.send(50, sampleText)
	one, stopOne := f.start()
	until(t, "one job has read all", func() bool { return records(one) == 4*50 })
	if paths, working := one.heldOutputs(); paths != 4 || working != 4 {
		t.Fatalf("one job works on %d partitions with %d files, want 4 and 4", working, paths)
	}
	if got := one.engineConfig(one.Cfg, "in-0", map[string]string{"topic": "in"}); got.Pool != stream.AllSeries+" in-0" || got.Tags != nil {
		t.Errorf("a partition of the one topic has the pool %q, and tags: %v", got.Pool, got.Tags != nil)
	}
	if got, want := one.engineConfig(one.Cfg, "in-0", map[string]string{"topic": "in"}).Memory, int64(64<<20)/fieldPartitions; got != want {
		t.Errorf("a partition of four may take %d bytes, want %d", got, want)
	}

	two, stopTwo := f.start()
	until(t, "each job has two partitions", func() bool {
		_, a := one.heldOutputs()
		_, b := two.heldOutputs()
		return a == 2 && b == 2
	})
	if paths, _ := one.heldOutputs(); paths != 2 {
		t.Errorf("the first job holds %d files with two partitions", paths)
	}
	f.send(50, sampleText)
	until(t, "two jobs have read all", func() bool { return records(one)+records(two) == 4*100 })
	lags := 0
	metrics := scrape(t, one)
	for partition := range fieldPartitions {
		labels := fmt.Sprintf(`{partition="%d",topic="in"}`, partition)
		if _, ok := metrics["forecaster_consumer_lag"+labels]; ok {
			lags++
		}
		for _, name := range []string{"lost_records_total", "kafka_retries_total"} { // of every partition that it has had
			if _, ok := metrics["forecaster_"+name+labels]; !ok {
				t.Errorf("/metrics lacks %s%s", name, labels)
			}
		}
	}
	if lags != 2 {
		t.Errorf("/metrics has the lag of %d partitions, the job works on 2", lags)
	}
	until(t, "the lag is known", func() bool { return one.status().Lag == 0 })

	stopTwo()
	until(t, "the first job has all again", func() bool { _, a := one.heldOutputs(); return a == 4 })
	f.send(50, sampleText)
	until(t, "the first job has read the rest", func() bool { return records(one)+records(two) == 4*150 })
	if paths, _ := one.heldOutputs(); paths != 4 {
		t.Errorf("the first job holds %d files with four partitions", paths)
	}
	if got := one.Stats()["in-0"].Records + two.Stats()["in-0"].Records; got != 150 {
		t.Errorf("both jobs have counted %d records of a partition, want 150", got)
	}
	stopOne()
	for partition := range fieldPartitions {
		f.checkOnce(partition, 149) // the spacing is known from the second sample on
	}
}

// A job with a topic to join copies what it reads there, and forecasts from the copies: each series from one partition.
func TestJobForecastsFromJoinedTopics(t *testing.T) {
	f := newField(t)
	_, connection := connect(t, f.settings()...)
	if err := connection.CreateTopic(t.Context(), "joined", 2); err != nil {
		t.Fatal(err)
	}
	f.send(20, sampleText)
	l, stop := f.start("input.kafka.join=joined", "input.json.series_field=series")
	until(t, "the job has read the copies", func() bool { return records(l) == 4*20 })
	for name := range l.Stats() {
		if !strings.HasPrefix(name, "joined-") {
			t.Errorf("the job works on %s", name)
		}
	}
	if groups := l.kafkaGroups(); len(groups) != 2 {
		t.Errorf("%d groups", len(groups))
	}
	stop()
	if groups := l.kafkaGroups(); len(groups) != 0 {
		t.Errorf("%d groups of an ended job", len(groups))
	}
	cfg, err := loadConfig(t, f.settings("input.kafka.join=joined", "input.data_format=avro", "input.avro.schema_file=none.avsc")...)
	if err != nil {
		t.Fatal(err)
	}
	if err := NewLive(cfg, logtest.Discard(), "").Run(t.Context()); err == nil || !strings.Contains(err.Error(), "none.avsc") {
		t.Errorf("without the schema of the messages: %v", err)
	}
}

// blocked is a tap that holds its job until it is released.
type blocked struct{ released chan struct{} }

func (b blocked) Write(ctx context.Context, _ *stream.Batch) error {
	select {
	case <-b.released:
	case <-ctx.Done():
	}
	return nil
}

func (blocked) Close() error { return nil }

// The lag is what no partition has read yet, on the page and in /metrics.
func TestLag(t *testing.T) {
	f := newField(t)
	cfg, err := loadConfig(t, f.settings()...)
	if err != nil {
		t.Fatal(err)
	}
	l := NewLive(cfg, logtest.Discard(), "")
	b := blocked{make(chan struct{})}
	l.Taps = append(l.Taps, b)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	const each = 20_000 // more than a partition reads ahead
	f.send(each, sampleText)
	sum := func() (n int64) {
		for name, v := range scrape(t, l) {
			if strings.HasPrefix(name, "forecaster_consumer_lag{") {
				n += int64(v)
			}
		}
		return n
	}
	until(t, "the lag is that of the metrics", func() bool { lag := l.status().Lag; return lag > each && lag == sum() })
	close(b.released)
	until(t, "all is read", func() bool { return records(l) == 4*each && l.status().Lag == 0 })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Series of several topics have the topic as a tag, and a file has no topic.
func TestTagsOfPartitions(t *testing.T) {
	cfg, err := loadConfig(t, "input.kafka.brokers=a:1", "input.kafka.topics=in,other", "output.discard={}")
	if err != nil {
		t.Fatal(err)
	}
	ec := NewLive(cfg, logtest.Discard(), "").engineConfig(cfg, "other-0", map[string]string{"topic": "other"})
	if want := []stream.Tag{{Key: "id", Value: "s"}, {Key: "topic", Value: "other"}}; ec.Tags == nil || !slices.Equal(ec.Tags("s"), want) {
		t.Errorf("no tags %v", want)
	}
	if ec := NewLive(cfg, logtest.Discard(), "").engineConfig(cfg, ofFile, nil); ec.Pool != stream.AllSeries {
		t.Errorf("the pool of a file is %q", ec.Pool)
	}
}

// A job ends with the reason when its state topic does not fit to its input.
func TestStateTopicDoesNotFit(t *testing.T) {
	f := newField(t)
	cfg, connection := connect(t, f.settings("state.dir=", "state.topic=s")...)
	if err := connection.CreateTopic(t.Context(), "s", fieldPartitions-1); err != nil {
		t.Fatal(err)
	}
	if err := NewLive(cfg, logtest.Discard(), "").Run(t.Context()); err == nil || !strings.Contains(err.Error(), "topic s") {
		t.Errorf("error %v", err)
	}
}

// checkOnce wants n forecasts of a partition, in their order.
func (f *field) checkOnce(partition, n int) {
	f.t.Helper()
	file, err := os.Open(filepath.Join(f.dir, fmt.Sprintf("out-%d.jsonl", partition)))
	if err != nil {
		f.t.Fatal(err)
	}
	defer file.Close()
	last, count := "", 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var line struct {
			Time string `json:"time"` // of the target
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			f.t.Fatalf("%v: %s", err, lines.Text())
		}
		if line.Time <= last {
			f.t.Errorf("partition %d: a forecast for %s after that for %s", partition, line.Time, last)
		}
		last, count = line.Time, count+1
	}
	if count != n {
		f.t.Errorf("partition %d has %d forecasts, want %d", partition, count, n)
	}
}

// A job is ready when it can do its work, and says why when it cannot.
func TestReadiness(t *testing.T) {
	f := newField(t)
	cfg, err := loadConfig(t, f.settings()...)
	if err != nil {
		t.Fatal(err)
	}
	if got := NewLive(cfg, logtest.Discard(), "").notReady(); got != "no data: the input has not started yet" {
		t.Errorf("before the start: %q", got)
	}
	waiting, stop := f.start("input.kafka.topics=later")
	until(t, "the job waits for its topic", func() bool { return strings.Contains(waiting.notReady(), "later") })
	if code, text := askPath(t, waiting, "/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(text, "later") {
		t.Errorf("without a topic: %d %s", code, text)
	}
	if code, text := askPath(t, waiting, "/healthz"); code != http.StatusOK || text != "ok\n" {
		t.Errorf("a waiting process is healthy: %d %s", code, text)
	}
	stop()

	l, _ := f.start()
	f.send(1, sampleText)
	until(t, "the job is ready", func() bool { return records(l) == 4 && l.notReady() == "" })
	bad := func(string, int) string { return `{"time":` }
	f.send(allRefused-1, bad)
	until(t, "bad messages are read", func() bool { return records(l) == 4*allRefused })
	if got := l.notReady(); got != "" {
		t.Errorf("nine refusals: %s", got)
	}
	f.send(1, bad)
	until(t, "ten in a row are no work", func() bool {
		return strings.HasPrefix(l.notReady(), fmt.Sprintf("the last %d records were all refused as ", allRefused))
	})
	if code, _ := askPath(t, l, "/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("with refusals only: %d", code)
	}
	f.send(1, sampleText)
	until(t, "a good record makes it ready", func() bool { return l.notReady() == "" })
}
