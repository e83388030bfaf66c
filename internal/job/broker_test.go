package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/refuse"
)

// topicLines reads the first n messages of a topic from its beginning, as key and value.
func topicLines(t *testing.T, addr, topic string, n int) (lines []string) {
	t.Helper()
	_, connection := connect(t, "input.kafka.brokers="+addr, "input.kafka.topics="+topic, "output.discard={}")
	g, err := kafka.NewGroup(kafka.GroupConfig{Connection: connection, Topics: []string{topic}, Group: "reader", Offset: kafka.Oldest, Log: logtest.Discard()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = g.Run(ctx, func(ctx context.Context, p *kafka.Partition) error {
		defer cancel()
		dst := make([]stream.Message, 10)
		for len(lines) < n {
			k, err := p.Read(ctx, dst)
			if err != nil {
				return err
			}
			for _, m := range dst[:k] {
				lines = append(lines, string(m.Key)+" "+string(m.Value))
			}
		}
		return nil
	})
	if err != nil || len(lines) < n {
		t.Fatalf("%d messages in %s, want %d; error %v", len(lines), topic, n, err)
	}
	return lines[:n]
}

// A file is published row by row with its series as the key; rows that cannot be read are counted and left out, those that
// delete an earlier one are left out.
func TestProduce(t *testing.T) {
	b, err := devbroker.Start(1, []string{"exists"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	path := filepath.Join(t.TempDir(), "in.jsonl")
	text := `{"series":"a","time":"2024-01-01T00:00:00Z","values":{"x":1,"y":null}}` + "\n" + `{"series":` + "\n" +
		`{"payload":null}` + "\n" + `{"series":"b","time":"2024-01-01T00:00:01.5Z","values":{"x":0.1,"y":2}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	load := func(addr, topic string) *config.Config {
		cfg, err := loadConfig(t, "input.kafka.brokers="+addr, "input.kafka.topics="+topic, "output.discard={}")
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	watched := int64(-1) // messages when the watch stops
	p := Produce{Path: path, Partitions: 1, Log: logtest.Discard(), Watch: func(_ *file.Source, samples func() int64) (stop func()) {
		return func() { watched = samples() }
	}}
	done, err := p.Run(context.Background(), load(b.Addr(), "new"))
	if watched != 2 {
		t.Errorf("the watch has seen %d messages, want 2", watched)
	}
	if err != nil || done.Topic != "new" || done.Messages != 2 || done.Refusals.Total() != 1 || done.Elapsed <= 0 || done.Cut {
		t.Fatalf("%+v, error %v", done, err)
	}
	want := []string{`a {"time":"2024-01-01T00:00:00Z","values":{"x":1,"y":null}}`, `b {"time":"2024-01-01T00:00:01.5Z","values":{"x":0.1,"y":2}}`}
	if got := topicLines(t, b.Addr(), "new", 2); !slices.Equal(got, want) {
		t.Errorf("published %q", got)
	}

	// Again and again, two rows of a second's rate, until it is stopped.
	begun := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	p.Loop, p.Rate, p.Now = true, 20, true
	done, err = p.Run(ctx, load(b.Addr(), "exists"))
	if most := 2 + 20*time.Since(begun).Seconds(); err != nil || done.Messages < 3 || float64(done.Messages) > most || done.Cut {
		t.Errorf("%d messages at 20 a second, at most %.0f can be; error %v", done.Messages, most, err)
	}
	if got := topicLines(t, b.Addr(), "exists", 1)[0]; !strings.Contains(got, time.Now().UTC().Format("2006-01-02T")) {
		t.Errorf("with --now %s", got)
	}

	p = Produce{Path: filepath.Join(t.TempDir(), "none.csv"), Log: p.Log}
	if _, err := p.Run(context.Background(), load(b.Addr(), "exists")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is missing: %v", err)
	}
	p.Path = path
	for topics, says := range map[string]string{"none": "(--topic): there is no topic none: create it", "a,b": "these are 2: a, b; name one"} {
		if _, err := p.Run(context.Background(), load(b.Addr(), topics)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("topics %s: %v", topics, err)
		}
	}
	bad := Produce{Path: filepath.Join(t.TempDir(), "bad.jsonl"), Loop: true, Log: p.Log}
	if err := os.WriteFile(bad.Path, []byte(`{"time":"no","values":{"x":1}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bad.Run(context.Background(), load(b.Addr(), "exists")); err == nil || !strings.HasSuffix(err.Error(), "bad.jsonl: no usable rows") {
		t.Errorf("again and again without rows: %v", err)
	}
	if err := atBrokers(context.DeadlineExceeded); err.Error() != "input.kafka.brokers (--brokers): context deadline exceeded; check the address, and whether the server expects TLS" {
		t.Errorf("a server that does not answer: %v", err)
	}
	if _, err := p.Run(context.Background(), load("127.0.0.1:1", "exists")); err == nil || !strings.HasPrefix(err.Error(), "input.kafka.brokers (--brokers): ") {
		t.Errorf("no broker: %v", err)
	}
}

// sendTo writes a message to a topic of the broker of a configuration.
func sendTo(t *testing.T, cfg *config.Config, topic, key, value string) {
	t.Helper()
	connection, err := wire.InputKafka(cfg).Connection()
	if err != nil {
		t.Fatal(err)
	}
	p, err := kafkasink.NewProducer(connection, topic, logtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Send(context.Background(), []stream.Message{{Key: []byte(key), Value: []byte(value)}}); err != nil {
		t.Fatal(err)
	}
}

// Records of several topics come into one, with their series as the key; a message that cannot be read keeps
// its key. No record is copied twice.
func TestMerge(t *testing.T) {
	b, err := devbroker.Start(1, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	cfg, err := loadConfig(t, "input.kafka.brokers="+b.Addr(), "input.kafka.topics=a,b", "input.kafka.join=all", "input.kafka.session_timeout=6s", "input.json.series_field=series", "output.discard={}")
	if err != nil {
		t.Fatal(err)
	}
	send := func(topic, key, value string) {
		t.Helper()
		sendTo(t, cfg, topic, key, value)
	}
	merged := func(n, copied int) (lines []string) {
		t.Helper()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		var log bytes.Buffer
		go func() { done <- Merge(ctx, cfg, 1, logtest.New(&log)) }()
		lines = topicLines(t, b.Addr(), "all", n)
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if text := log.String(); !strings.Contains(text, "msg=merging to=all\n") || !strings.HasSuffix(text, fmt.Sprintf("msg=ended records=%d\n", copied)) {
			t.Errorf("%d records were copied; the log says\n%s", copied, text)
		}
		slices.Sort(lines)
		return lines
	}
	text := sampleText("s", 0)
	send("a", "k", text)
	send("b", "k", `{"series":`)
	want := []string{`k {"series":`, "s " + text}
	if got := merged(2, 2); !slices.Equal(got, want) {
		t.Errorf("merged %q, want %q", got, want)
	}
	later := sampleText("s", 1)
	send("a", "k", later)
	want = append(want, "s "+later)
	slices.Sort(want)
	if got := merged(3, 1); !slices.Equal(got, want) {
		t.Errorf("after a second start %q, want %q", got, want)
	}
	send("a", "k", sampleText("s", 2))
	fault := b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	if err := Merge(t.Context(), cfg, 1, logtest.Discard()); err == nil || !strings.Contains(err.Error(), "writing to topic all: ") {
		t.Errorf("records that nobody takes: %v", err)
	}
	fault.Remove()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Merge(ended, cfg, 1, logtest.Discard()); err != nil {
		t.Errorf("stopped before there was anything to do: %v", err)
	}
	avro, err := loadConfig(t, "input.kafka.brokers="+b.Addr(), "input.kafka.topics=a,b", "input.kafka.join=all", "input.data_format=avro", "input.avro.schema_file=none.avsc", "output.discard={}")
	if err != nil {
		t.Fatal(err)
	}
	if err := Merge(t.Context(), avro, 1, logtest.Discard()); err == nil || !strings.Contains(err.Error(), "none.avsc") {
		t.Errorf("without its schema: %v", err)
	}
	b.Close()
	if err := Merge(t.Context(), cfg, 1, logtest.Discard()); err == nil || !strings.HasPrefix(err.Error(), "input.kafka.brokers (--brokers): ") {
		t.Errorf("without a broker: %v", err)
	}
}

// A member that copies goes on after another one has come and gone, and copies nothing twice: each time, all partitions
// are given back and assigned again.
func TestMergeGoesOnAfterAnotherMember(t *testing.T) {
	b, err := devbroker.Start(1, []string{"a", "b"}, kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "500"}))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	cfg, err := loadConfig(t, "input.kafka.brokers="+b.Addr(), "input.kafka.topics=a,b", "input.kafka.join=all", "input.kafka.session_timeout=10s", "output.discard={}")
	if err != nil {
		t.Fatal(err)
	}
	member := func() (log *loggedText, stop func()) {
		log = new(loggedText)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- Merge(ctx, cfg, 1, logtest.New(log)) }()
		return log, func() {
			t.Helper()
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	_, stop := member()
	defer stop()
	copied := func(what string, n int) {
		t.Helper()
		sendTo(t, cfg, "a", "s", sampleText("s", n))
		var want []string
		for i := range n + 1 {
			want = append(want, "s "+sampleText("s", i))
		}
		if got := topicLines(t, b.Addr(), "all", n+1); !slices.Equal(got, want) {
			t.Errorf("%s: copied %q, want %q", what, got, want)
		}
	}
	copied("alone", 0)
	other, stopOther := member()
	until(t, "another member is there", func() bool { return other.has("partitions were assigned") })
	copied("beside another member", 1)
	stopOther()
	copied("alone again", 2)
}

// badEnd is a source whose last message cannot be decoded and comes with the end.
type badEnd struct{ stream.Source }

func (badEnd) Read(_ context.Context, dst []stream.Message) (int, error) {
	dst[0] = stream.Message{Value: []byte("{")}
	return 1, io.EOF
}

type refusing struct{ stream.Decoder }

func (refusing) Decode(*stream.Record, *stream.Message) error {
	return refuse.New(refuse.Malformed, "no")
}

// A paced source passes the end on, also with a message that nobody can decode, and delivers at its pace.
func TestPaceKeepsTheEnd(t *testing.T) {
	n, err := paced(badEnd{}, refusing{}, 1).Read(context.Background(), make([]stream.Message, 3))
	if n != 1 || !errors.Is(err, io.EOF) {
		t.Errorf("%d messages, error %v", n, err)
	}
	p, begun := newPacer(50), time.Now()
	for range 6 {
		if err := p.wait(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(begun); took < 100*time.Millisecond { // the sixth is due after five fiftieths
		t.Errorf("six iterations at 50 a second took %v", took)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range []*pacer{newPacer(0), newPacer(1e-9)} {
		first := p.wait(ctx, 1) // may be due
		if second := p.wait(ctx, 1); first == nil && second == nil {
			t.Error("a pacer outlives its context")
		}
	}
}

// A change of the file is taken when two polls agree on it, and arrives at the outputs of a job that works; an invalid one
// changes nothing. The log names the changes, and those that need a restart.
func TestReload(t *testing.T) {
	var asked loggedText // tokens and points
	db := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintln(&asked, r.Header.Get("Authorization"), string(body))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer db.Close()
	path := filepath.Join(t.TempDir(), "c.yaml")
	write := func(token, rest string) {
		t.Helper()
		text := "input: {simulated: {rows: 0, speed: 20}}\nmodel: {type: persistence}\noutput: {influxdb: {url: " + db.URL + ", bucket: b, token: " + token + "}}\n"
		if err := os.WriteFile(path, []byte(text+rest), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first", "")
	load := func() (*config.Config, error) { return wire.Load(config.Sources{Files: []string{path}}) }
	cfg, err := load()
	if err != nil {
		t.Fatal(err)
	}
	var log loggedText
	l := NewLive(cfg, logtest.New(&log), "")
	l.Level = new(slog.LevelVar)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Process(ctx) }()
	hup := make(chan os.Signal)
	stop := NewReloader([]string{path}, load, l).Watch(context.Background(), hup)
	defer stop()
	until(t, "points with the first token", func() bool { return asked.has("Token first ") })
	write("second", "log: {level: debug}\n")
	until(t, "the configuration was read again", func() bool { return l.reloads.taken.Load() == 1 })
	until(t, "its level is in force", func() bool { return l.Level.Level() == slog.LevelDebug })
	until(t, "points with the second token", func() bool { return asked.has("Token second ") })
	until(t, "an event that names the changes", func() bool {
		return asked.has("kind=reload") && asked.has("changed: output.influxdb.token, log.level")
	})
	write("second", "log: {level: debug}\nmodel: {horizon: 7, type: persistence}\n")
	until(t, "a duplicate key was refused", func() bool { return l.reloads.refused.Load() == 1 })
	write("third", "log: {level: debug}\nstate: {rebuild: 5}\nserver: {listen: '127.0.0.1:1'}\n")
	until(t, "a third configuration was read", func() bool { return l.reloads.taken.Load() == 2 })
	hup <- os.Interrupt // reads the file although it is the same
	until(t, "it was read again", func() bool { return l.reloads.taken.Load() == 3 })
	write("third", "log: {level: debug}\n")
	until(t, "the one in force was read", func() bool { return l.reloads.taken.Load() == 4 })
	if l.Level.Level() != slog.LevelDebug || l.reloads.refused.Load() != 1 || l.current.Load().Server.Listen != cfg.Server.Listen {
		t.Errorf("level %v, %d refused, %s", l.Level.Level(), l.reloads.refused.Load(), l.current.Load().Server.Listen)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"level=INFO msg=\"configuration reloaded\" changed=\"[output.influxdb.token log.level]\"\n",
		"level=ERROR msg=\"configuration refused, the previous one stays in force\" error=",
		"level=WARN msg=\"configuration reloaded\" changed=[output.influxdb.token] needs_restart=\"[state.rebuild server.listen]\"\n",
		"level=WARN msg=\"configuration reloaded\" changed=[] needs_restart=\"[state.rebuild server.listen]\"\n",
		"level=INFO msg=\"configuration reloaded without a change\"\n",
	} {
		if log.count(want) != 1 {
			t.Errorf("the log lacks %s\n%s", want, &log)
		}
	}
}

// A job has one score for all series that have some: the mean error, and the skill of the summed errors.
func TestScoresAreMeans(t *testing.T) {
	cfg, err := loadConfig(t, "input.simulated.rows=1", "output.discard={}", "server.enabled=true", "server.listen=127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := NewLive(cfg, logtest.Discard(), "")
	b := &stream.Batch{}
	// Persistence has the errors .5/(1 - .5) = 1 and 1/(1 - .75) = 4: the skill is 1 - 1.5/5.
	for i, v := range [][3]float64{{1, .5, .5}, {4, 1, .75}, {math.NaN(), 9, .5}} {
		m := stream.Metric{Series: &stream.Series{Name: fmt.Sprint("s", i), Variables: []string{"x"}}, Target: stream.AllTargets, Horizon: 2, Model: "m", Time: 1}
		m.Score.SCVMSE, m.Score.NMSE, m.Score.SkillVsNaive = v[0], v[1], v[2]
		b.Metrics = append(b.Metrics, m)
	}
	if err := l.Board.Write(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	stop, err := l.ServeHTTP()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	_, text := askPath(t, l, "/metrics")
	for _, want := range []string{`forecaster_scv_mse{horizon="2",model="m"} 2.5`, `forecaster_skill{horizon="2",model="m"} 0.7`, `forecaster_config_reloads_total{result="taken"} 0`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if strings.Contains(text, "forecaster_consumer_lag{") || strings.Contains(text, "forecaster_watermark_lag_seconds ") {
		t.Error("a job without Kafka and samples has a lag")
	}
}
