//go:build unix

package soak

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

var (
	duration = flag.Duration("duration", 0, "how long failures are injected; without it TestSoak is skipped")
	every    = flag.Duration("every", 8*time.Second, "time between two failures, on average")
	seed     = flag.Uint64("seed", 1, "draws the failures")
	only     = flag.String("only", "", "the one kind of failure, such as kill")
	rate     = flag.Int("rate", 20, "samples of each series per second")
)

const (
	processes  = 3
	partitions = 6
	series     = 24
	topic      = "in"
	group      = "soak"
)

// world is everything that can fail.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	dir    string
	binary string
	kafka  *testserver.Kafka
	influx *testserver.InfluxDB
	toK    *testserver.Proxy
	toI    *testserver.Proxy
	procs  [processes]*exec.Cmd
	counts map[string]int
	sent   int // samples of each series
	output output
	places int // that replays have written to

	session time.Duration // of the group; 0 means 6 s, so that failures are noticed soon
}

func TestSoak(t *testing.T) {
	if *duration == 0 {
		t.Skip("it takes minutes: make soak, or go test ./internal/tools/soak -v -timeout 0 -duration 5m")
	}
	w := &world{t: t, rng: rand.New(rand.NewPCG(*seed, 0)), dir: t.TempDir(), counts: make(map[string]int), output: outputs[0]}
	w.start()
	t.Cleanup(w.end)

	stop := w.startProducing()
	began := time.Now()
	for time.Since(began) < *duration {
		time.Sleep(*every/2 + time.Duration(w.rng.Int64N(int64(*every))))
		all := w.faults()
		if *only != "" {
			all = slices.DeleteFunc(all, func(f fault) bool { return f.name != *only })
		}
		if len(all) == 0 {
			t.Fatalf("there is no failure of the kind %q", *only)
		}
		w.inject(all[w.rng.IntN(len(all))])
	}
	stop()
	t.Logf("%v of failures: %v", time.Since(began).Round(time.Second), w.counts)

	w.waitUntilCommitted()
	for i := range w.procs {
		w.signal(i, syscall.SIGTERM)
		if err := w.procs[i].Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
		w.procs[i] = nil
	}
	w.compare()
}

var kills = flag.Int("kills", 0, "how often TestKill9 kills a process; without it it is skipped")

// TestKill9 repeatedly kills a process at a random point of its work, and compares its output with that of an offline
// replay.
//
//	go test ./internal/tools/soak -v -timeout 0 -run Kill9 -kills 25
func TestKill9(t *testing.T) {
	if *kills == 0 {
		t.Skip("it takes minutes: go test ./internal/tools/soak -v -timeout 0 -run Kill9 -kills 25")
	}
	for i, o := range outputs {
		t.Run(o.name, func(t *testing.T) {
			w := &world{t: t, rng: rand.New(rand.NewPCG(*seed, 2+uint64(i))), dir: t.TempDir(), counts: make(map[string]int), output: o}
			w.start()
			t.Cleanup(w.end)
			for range *kills {
				stop := w.startProducing()
				time.Sleep(time.Duration(w.rng.IntN(3000)) * time.Millisecond)
				kill := w.faults()[0]
				w.inject(kill)
				time.Sleep(time.Duration(w.rng.IntN(1000)) * time.Millisecond)
				stop()
				w.waitUntilCommitted()
				w.compare()
				if t.Failed() {
					return
				}
			}
		})
	}
}

// end kills what still runs.
func (w *world) end() {
	for _, p := range w.procs {
		if p != nil && p.Process != nil {
			p.Process.Signal(syscall.SIGCONT)
			p.Process.Kill()
			p.Wait()
		}
	}
	if w.t.Failed() {
		w.printLogs()
	}
}

func (w *world) start() {
	t := w.t
	w.binary = filepath.Join(w.dir, "forecaster")
	build := exec.Command("go", "build", "-o", w.binary, "github.com/orffvar/forecaster/cmd/forecaster")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.toK, w.toI = testserver.StartProxy(t, ""), testserver.StartProxy(t, "")
	w.kafka = testserver.StartKafka(t, testserver.KafkaAdvertised(w.toK.Addr))
	w.toK.SetTarget(w.kafka.Addr)
	w.kafka.CreateTopic(topic, partitions)
	w.influx = testserver.StartInfluxDB(t)
	w.toI.SetTarget(strings.TrimPrefix(w.influx.URL, "http://"))
	w.output.create(w, live)
	w.write("live.yaml", common+fmt.Sprintf(`
input:
  kafka: {brokers: [%q], topics: [%s], consumer_group: %s, session_timeout: %s}
  json: {series_field: series}
%s
state: {topic: soak-state, interval: 1s}
server: {enabled: true, listen: "127.0.0.1:0"}
`, w.toK.Addr, topic, group, cmp.Or(w.session, 6*time.Second), w.output.config(w, live)))
	for i := range w.procs {
		w.launch(i)
	}
}

// common is the part of the configuration that results depend on.
const common = `
pipeline: {interval: 1s}
model: {type: orffvar, order: 2, horizon: 2, frequencies: 10}
evaluate: {interval: 50}
log: {level: error, format: json}
`

func (w *world) write(name, text string) string {
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) logPath(i int) string { return filepath.Join(w.dir, fmt.Sprintf("process%d.log", i)) }

// launch starts a process; what it logs is kept with that of its predecessors.
func (w *world) launch(i int) {
	log, err := os.OpenFile(w.logPath(i), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(w.binary, "run", "-c", filepath.Join(w.dir, "live.yaml"))
	cmd.Stderr, cmd.Stdout = log, log
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.procs[i] = cmd
}

func (w *world) signal(i int, s syscall.Signal) {
	if err := w.procs[i].Process.Signal(s); err != nil {
		w.t.Errorf("process %d has ended by itself: %v", i, err)
	}
}

func (w *world) printLogs() {
	for i := range w.procs {
		b, err := os.ReadFile(w.logPath(i))
		if err == nil {
			w.t.Logf("process %d:\n%s", i, b[max(0, len(b)-3000):])
		}
	}
}

type fault struct {
	name string
	do   func()
}

func (w *world) faults() []fault {
	i := w.rng.IntN(processes)
	seconds := func(from, to int) time.Duration {
		return time.Duration(from*1000+w.rng.IntN((to-from)*1000)) * time.Millisecond
	}
	return []fault{
		{"kill", func() {
			w.signal(i, syscall.SIGKILL)
			w.procs[i].Wait() // its error is the signal
			time.Sleep(seconds(0, 2))
			w.launch(i)
		}},
		{"freeze", func() { // past the session
			w.signal(i, syscall.SIGSTOP)
			time.Sleep(seconds(1, 12))
			w.signal(i, syscall.SIGCONT)
		}},
		{"restart", func() {
			w.signal(i, syscall.SIGTERM)
			if err := w.procs[i].Wait(); err != nil { // after another failure it may not have been able to finish
				w.t.Logf("process %d was told to stop: %v", i, err)
			}
			w.launch(i)
		}},
		{"cut Kafka", w.toK.Reset},
		{"cut InfluxDB", w.toI.Reset},
		{"delay Kafka", func() {
			w.toK.SetDelay(seconds(0, 1) / 5)
			time.Sleep(seconds(2, 8))
			w.toK.SetDelay(0)
		}},
		{"swallow Kafka", func() {
			w.toK.SetBlackHole(true)
			time.Sleep(seconds(2, 8))
			w.toK.SetBlackHole(false)
			w.toK.Reset()
		}},
		{"swallow InfluxDB", func() { // the points arrive, the answers are lost
			w.toI.SetBlackHole(true)
			time.Sleep(seconds(2, 8))
			w.toI.SetBlackHole(false)
			w.toI.Reset()
		}},
		{"kill Kafka", func() {
			w.kafka.Kill()
			time.Sleep(seconds(0, 3))
			w.kafka.Start()
		}},
		{"kill InfluxDB", func() {
			w.influx.Stop()
			time.Sleep(seconds(1, 6))
			w.influx.Start()
		}},
	}
}

func (w *world) inject(f fault) {
	w.t.Logf("%s", f.name)
	w.counts[f.name]++
	f.do()
}

// startProducing sends samples until stop is called.
func (w *world) startProducing() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var producer sync.WaitGroup
	producer.Go(func() { w.produce(ctx) })
	return func() {
		cancel()
		producer.Wait()
	}
}

// produce sends samples until ctx ends. A failing request is repeated, so some
// are in the log twice.
func (w *world) produce(ctx context.Context) {
	p, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{w.toK.Addr}, Timeout: 3 * time.Second}, topic,
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		w.t.Error(err)
		return
	}
	defer p.Close()
	rng := rand.New(rand.NewPCG(*seed, uint64(w.sent)))
	var level [series]float64
	tick := time.NewTicker(time.Second / time.Duration(*rate))
	defer tick.Stop()
	for ; ctx.Err() == nil; w.sent++ {
		i := w.sent
		batch := make([]stream.Message, 0, series)
		for k := range series {
			level[k] = .9*level[k] + rng.NormFloat64()
			name := fmt.Sprintf("s%02d", k)
			value := fmt.Sprintf(`{"series": %q, "time": %d, "values": {"a": %.6g, "b": %.6g}}`, name, 1_600_000_000+i, level[k], rng.NormFloat64())
			if i%50 == k {
				value = "broken"
			}
			batch = append(batch, stream.Message{Key: []byte(name), Value: []byte(value)})
		}
		if err := p.Send(context.WithoutCancel(ctx), batch); err != nil {
			w.t.Error(err)
			return
		}
		<-tick.C
	}
}

// client speaks to the broker without the proxy.
func (w *world) client() *kafkago.Client {
	return &kafkago.Client{Addr: kafkago.TCP(w.kafka.Addr), Timeout: 10 * time.Second}
}

// ends returns the end of the log of each partition of a topic.
func (w *world) ends(topic string) map[int]int64 {
	var requests []kafkago.OffsetRequest
	for i := range partitions {
		requests = append(requests, kafkago.LastOffsetOf(i))
	}
	resp, err := w.client().ListOffsets(context.Background(), &kafkago.ListOffsetsRequest{Topics: map[string][]kafkago.OffsetRequest{topic: requests}})
	if err != nil {
		w.t.Fatal(err)
	}
	ends := make(map[int]int64)
	for _, p := range resp.Topics[topic] {
		ends[p.Partition] = p.LastOffset
	}
	return ends
}

func (w *world) waitUntilCommitted() {
	ends := w.ends(topic)
	all := make([]int, partitions)
	for i := range all {
		all[i] = i
	}
	committed := make(map[int]int64)
	for deadline := time.Now().Add(15 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		resp, err := w.client().OffsetFetch(context.Background(), &kafkago.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{topic: all}})
		if err != nil {
			continue
		}
		for _, p := range resp.Topics[topic] {
			committed[p.Partition] = max(0, p.CommittedOffset)
		}
		if maps.Equal(committed, ends) {
			return
		}
	}
	w.t.Fatalf("committed %v of %v", committed, ends)
}

// compare replays each partition by the same program without failures.
func (w *world) compare() {
	w.places++
	place := fmt.Sprintf("replay%d", w.places)
	w.output.create(w, place)
	var records int64
	for i, end := range w.ends(topic) {
		if end == 0 {
			continue
		}
		records += end
		var input bytes.Buffer
		for _, m := range w.messages(topic, i, end) {
			input.Write(m.Value)
			input.WriteByte('\n')
		}
		config := w.write(fmt.Sprintf("offline%d.yaml", i), common+fmt.Sprintf(`
input:
  file: {path: %q, format: jsonl}
  json: {series_field: series}
%s
`, w.write(fmt.Sprintf("in%d.jsonl", i), input.String()), w.output.config(w, place)))
		if out, err := exec.Command(w.binary, "run", "-c", config).CombinedOutput(); err != nil {
			w.t.Fatalf("replay of partition %d: %v\n%s", i, err, out)
		}
	}
	got, want := w.output.read(w, live), w.output.read(w, place)
	// The scores over all series of a partition have its name, which a file has not.
	for _, values := range []map[string]string{got, want} {
		maps.DeleteFunc(values, func(key, _ string) bool { return strings.Contains(key, ",id="+stream.AllSeries) })
	}
	w.t.Logf("%d records, %d values, %d in the replay", records, len(got), len(want))
	if len(want) == 0 {
		w.t.Fatal("nothing to compare")
	}
	differences := 0
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if g, ok := got[key]; !ok || g != want[key] {
			if differences++; differences <= 10 {
				w.t.Errorf("%s = %q, want %q", key, g, want[key])
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			if differences++; differences <= 10 {
				w.t.Errorf("%s = %q is not in the replay", key, got[key])
			}
		}
	}
	if differences > 0 {
		w.t.Errorf("%d values differ", differences)
	}
}

// messages returns the messages of a partition before an offset.
func (w *world) messages(topic string, partition int, end int64) (list []kafkago.Message) {
	conn, err := kafkago.DialLeader(context.Background(), "tcp", w.kafka.Addr, topic, partition)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Seek(0, kafkago.SeekStart); err != nil {
		w.t.Fatal(err)
	}
	for int64(len(list)) < end {
		batch := conn.ReadBatchWith(kafkago.ReadBatchConfig{MinBytes: 1, MaxBytes: 8 << 20})
		for {
			m, err := batch.ReadMessage()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				w.t.Fatal(err)
			}
			if m.Offset != int64(len(list)) {
				w.t.Fatalf("offset %d after %d", m.Offset, len(list))
			}
			list = append(list, m)
		}
		if err := batch.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
	return list
}
