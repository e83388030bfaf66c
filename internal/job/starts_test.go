package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/refuse"
)

// TestStartsFail: a missing part ends the start of a command with an error that names it, for each command and each
// thing; before, it was there when the configuration was read.
func TestStartsFail(t *testing.T) {
	b, err := devbroker.Start(2, []string{"in", "joined"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	dir := t.TempDir()
	log := logtest.Discard()
	input := rowsFile(t, filepath.Join(dir, "in.csv"), 0, 20)
	live := func(ctx context.Context, c *config.Config) error { return NewLive(c, log, "").Run(ctx) }
	merge := func(ctx context.Context, c *config.Config) error { return Merge(ctx, c, 0, log) }
	produce := func(ctx context.Context, c *config.Config) error {
		_, err := (&Produce{Path: input, Log: log}).Run(ctx, c)
		return err
	}
	replay := func(ctx context.Context, c *config.Config) error {
		_, err := Replay(ctx, c, ReplayOptions{Log: log})
		return err
	}
	follow := func(ctx context.Context, c *config.Config) error {
		return Follow(ctx, c, "", log, func(*stream.Batch) error { return nil })
	}
	broker := "input.kafka.brokers=" + b.Addr() + ";input.kafka.topics=in;model.type=persistence"
	file := "input.file.path=GONE;output.discard={};model.type=persistence"
	const ca = ";input.kafka.tls_enable=true;input.kafka.tls_ca=GONE;output.discard={}"
	const registry = ";input.data_format=avro;input.avro.schema_file=GONE;output.discard={}"
	type command = func(context.Context, *config.Config) error
	cert, key := testserver.Certificate(t, "127.0.0.1", 1, time.Now().Add(time.Hour))
	for _, c := range []struct {
		what     string
		sets     string // GONE is a file that is removed, FOLDER one that is none any more
		commands []command
		want     string
	}{
		{"authority", broker + ca, []command{live, produce}, "GONE"},
		{"authority", broker + ca + ";input.kafka.join=joined", []command{live, merge}, "GONE"},
		{"schema", broker + registry, []command{live}, "GONE"},
		{"schema", broker + registry + ";input.kafka.join=joined", []command{merge}, "GONE"},
		{"input", file, []command{live, replay, follow}, "GONE"},
		{"folder of the output", "input.file.path=" + input + ";output.file.path=FOLDER/out.csv;model.type=persistence", []command{live, replay}, "FOLDER"},
		{"folder of the output", broker + ";output.file.path=FOLDER/{partition}.csv", []command{live}, "FOLDER"},
		{"certificate", "input.file.path=" + input + ";output.discard={};server.enabled=true;server.tls_cert=GONE;server.tls_key=GONE", []command{live}, "server.tls_cert: "},
	} {
		content := slices.Concat(cert, key)
		if c.what == "schema" {
			content = []byte(`{"type":"record","name":"r","fields":[{"name":"x","type":"double"}]}`)
		}
		gone, folder := filepath.Join(dir, "gone"), filepath.Join(dir, "folder")
		named := strings.NewReplacer("GONE", gone, "FOLDER", folder)
		for _, run := range c.commands {
			if err := errors.Join(os.WriteFile(gone, content, 0o600), os.MkdirAll(folder, 0o700)); err != nil {
				t.Fatal(err)
			}
			cfg, err := loadConfig(t, strings.Split(named.Replace(c.sets), ";")...)
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
				break
			}
			if err := errors.Join(os.RemoveAll(gone), os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			if err := run(ctx, cfg); err == nil || !strings.Contains(err.Error(), named.Replace(c.want)) {
				t.Errorf("without %s, %s: error %v", c.what, c.sets, err)
			}
			cancel()
			if err := os.Remove(folder); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestStopsBeforeTheStart: a command that is stopped while it waits for its brokers has done nothing wrong.
func TestStopsBeforeTheStart(t *testing.T) {
	cfg, err := loadConfig(t, "input.kafka.brokers=127.0.0.1:1", "input.kafka.topics=in", "input.kafka.join=joined", "output.discard={}", "model.type=persistence")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	log := logtest.Discard()
	if err := NewLive(cfg, log, "").Run(ctx); err != nil {
		t.Errorf("run: %v", err)
	}
	if err := Merge(ctx, cfg, 1, log); err != nil {
		t.Errorf("merge: %v", err)
	}
}

// TestMessagesOfTheDemo: the demo has all rows of its two series, evenly mixed, each as a message that can be read.
func TestMessagesOfTheDemo(t *testing.T) {
	all := DemoMessages(50)
	total, seen := make(map[string]int), make(map[string]int)
	for _, m := range all {
		total[string(m.Key)]++
	}
	if len(total) != 2 || total["macrodata"] != 203 || len(all) != 203+50 {
		t.Fatalf("the messages are %v", total)
	}
	decoder := newDecoder(t)
	last := make(map[string]int64)
	for i, m := range all {
		var r stream.Record
		if err := decoder.Decode(&r, &m); err != nil || r.Series != string(m.Key) || len(r.Values) == 0 || last[r.Series] != 0 && r.Time <= last[r.Series] {
			t.Fatalf("message %d: %s, error %v", i, m.Value, err)
		}
		last[r.Series] = r.Time
		seen[r.Series]++
		for name, n := range total { // at most one behind or ahead of its share
			if share := float64(n) * float64(i+1) / float64(len(all)); float64(seen[name]) < share-1 || float64(seen[name]) > share+1 {
				t.Fatalf("after %d messages %d are of %s, a share of %.1f", i+1, seen[name], name, share)
			}
		}
	}
}

// TestPublishStops: a topic that refuses ends the demo's producer.
func TestPublishStops(t *testing.T) {
	b, err := devbroker.Start(1, []string{"in"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	log := logtest.Discard()
	messages := make([]stream.Message, 12)
	for i := range messages {
		messages[i].Value = []byte(strconv.Itoa(i))
	}
	if err := Publish(t.Context(), b.Addr(), "in", messages, 0, log); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := Publish(t.Context(), b.Addr(), "in", messages[:3], 20, log); err != nil { // one each 50 ms, the first at once
		t.Fatal(err)
	}
	if d := time.Since(begun); d < 100*time.Millisecond {
		t.Errorf("three messages at 20 a second took %v", d)
	}
	var got []string
	for _, line := range topicLines(t, b.Addr(), "in", 15) {
		got = append(got, strings.TrimSpace(line))
	}
	if want := strings.Split("0 1 2 3 4 5 6 7 8 9 10 11 0 1 2", " "); !slices.Equal(got, want) {
		t.Errorf("published %q", got)
	}
	large := []stream.Message{{Value: make([]byte, 64<<20)}}
	if err := Publish(t.Context(), b.Addr(), "in", large, 0, log); err == nil {
		t.Error("a message beyond every limit was published")
	}
}

// TestGapWatchInOrder: a sample of an earlier time is no step, and its remedy is to sort; what the engine has
// taken after a late one goes on from its time. A thousand series are watched.
func TestGapWatchInOrder(t *testing.T) {
	g := NewGapWatch(config.Default())
	for i := range 1001 {
		g.Add(fmt.Sprint(i), 1)
	}
	if len(g.series) != 1000 {
		t.Errorf("%d series are watched", len(g.series))
	}
	if g.Add("0", 1); g.Order() != "" {
		t.Errorf("a time twice: %s", g.Order())
	}
	const minute = int64(time.Minute)
	w := NewGapWatch(config.Default())
	s := &stream.Series{Name: "s"}
	write := func(at int64) {
		t.Helper()
		if err := w.Write(t.Context(), &stream.Batch{Observations: []stream.Observation{{Series: s, Time: at}}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range int64(50) {
		write(1000*minute + i*minute)
	}
	if w.Order() != "" || w.Hint() != "" {
		t.Errorf("in order: %q, %q", w.Order(), w.Hint())
	}
	for i := range int64(50) { // the clock was wrong: the series goes on from an earlier time
		write(i * minute)
	}
	if !strings.Contains(w.Order(), "--sort") || w.series["s"].regular != 98 || w.series["s"].others != 0 {
		t.Errorf("out of order: %q, %+v", w.Order(), w.series["s"])
	}
	if err := errors.Join(g.Close(), w.Close()); err != nil {
		t.Error(err)
	}
}

// TestResetCommands: the command that removes the checkpoints has the files of the job, and not its settings.
func TestResetCommands(t *testing.T) {
	for _, c := range []struct {
		files, sets []string
		want        string
	}{
		{nil, nil, "forecaster checkpoint reset --yes"},
		{[]string{"a.yaml", "b c.yaml"}, nil, "forecaster checkpoint reset -c a.yaml -c \"b c.yaml\" --yes"},
		{[]string{"a.yaml"}, []string{"server.token=secret"}, "forecaster checkpoint reset -c a.yaml --set … --yes"},
	} {
		if got := ResetCommand(c.files, c.sets); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if err := advise(checkpoint.ErrCorrupt, ""); !errors.Is(err, checkpoint.ErrCorrupt) || strings.Contains(err.Error(), "with:") {
		t.Errorf("without a command: %v", err)
	}
	if advise(nil, "reset") != nil {
		t.Error("advice without an error")
	}
	for _, err := range []error{kafka.ErrBeyondEnd, kafka.ErrPartitions} {
		if got := advise(err, "reset").Error(); got != err.Error()+". Start over with: reset" {
			t.Errorf("got %q", got)
		}
	}
	if where := Directory("state").Where() + ", " + (&StateTopic{Topic: "s"}).Where(); where != "state, the topic s" {
		t.Error(where)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inTime(ended, io.EOF); !errors.Is(err, io.EOF) || !strings.HasPrefix(err.Error(), "no answer from Kafka within 5m0s: ") {
		t.Errorf("after the end: %v", err)
	}
	if err := inTime(t.Context(), io.EOF); !errors.Is(err, io.EOF) || err.Error() != io.EOF.Error() {
		t.Errorf("in time: %v", err)
	}
	if err := inTime(ended, nil); err != nil {
		t.Errorf("no error: %v", err)
	}
}

// TestSleepEndsWithItsContext: a wait ends with the error of its context, also one that has nothing to wait for.
func TestSleepEndsWithItsContext(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, d := range []time.Duration{-1, 0, time.Hour} {
		if err := sleep(ended, d); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", d, err)
		}
	}
	for _, rate := range []float64{0, 1e-3} {
		p := newPacer(rate)
		if err := p.wait(t.Context(), 5); err != nil { // the first is due at once
			t.Errorf("rate %v: %v", rate, err)
		}
		if err := p.wait(ended, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("rate %v: %v", rate, err)
		}
	}
	if err := sleep(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
}

// TestMemoryOfAFile: the only partition of a file has the whole memory and all processors, and its scores the name of all
// series.
func TestMemoryOfAFile(t *testing.T) {
	cfg, err := loadConfig(t, "input.simulated.rows=1", "output.discard={}", "model.memory=64MiB", "model.type=persistence")
	if err != nil {
		t.Fatal(err)
	}
	l := NewLive(cfg, logtest.Discard(), "")
	if ec := l.engineConfig(cfg, ofFile, nil); ec.Memory != 64<<20 || ec.Pool != stream.AllSeries || ec.Together == nil {
		t.Errorf("memory %d, the scores of %s", ec.Memory, ec.Pool)
	}
	if ec := l.engineConfig(cfg, "t-1", map[string]string{"topic": "t", "partition": "1"}); ec.Pool != stream.AllSeries+" t-1" {
		t.Errorf("the scores of a partition of several are of %s", ec.Pool)
	}
}

// TestPatienceBeginsWhenAPartitionIsEmpty: a partition that has delivered until now holds the others, however long it
// has been there.
func TestPatienceBeginsWhenAPartitionIsEmpty(t *testing.T) {
	a, b := newSource(new(partitionAtEnd), "a", 0), newSource(new(partitionAtEnd), "b", 0)
	j := newJoining(nil, func() int { return 2 }, time.Hour, logtest.Discard())
	a.since = time.Now().Add(-2 * time.Hour)
	j.add(a)
	select {
	case <-j.changed:
	default:
		t.Error("a new source does not wake who joins")
	}
	j.add(b)
	a.blocks <- []entry{{time: 1, next: 1}}
	b.blocks <- []entry{{time: 2, next: 1}}
	if from, held := j.take(); len(from) != 1 || from[0] != a || !held || len(j.out) != 1 {
		t.Errorf("%d sources and %d records taken, held %t", len(from), len(j.out), held)
	}
	if from, held := j.take(); len(from) != 0 || !held {
		t.Errorf("b does not wait for a: %d sources, held %t", len(from), held)
	}
	a.since = time.Now().Add(-2 * time.Hour) // no more patience
	if from, _ := j.take(); len(from) != 1 || from[0] != b {
		t.Errorf("%d sources", len(from))
	}
}

// TestErrorsOfLaterSamples: a receiver that fails while the records are looked at ends the look with its error.
func TestErrorsOfLaterSamples(t *testing.T) {
	dir := t.TempDir()
	cfg, err := loadConfig(t, "input.file.path="+rowsFile(t, filepath.Join(dir, "in.csv"), 0, 10), "output.discard={}")
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	n := 0
	err = firstRecords(t.Context(), cfg, func(*stream.Record, *refuse.Error) error {
		if n++; n == 4 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || n != 4 {
		t.Errorf("after %d records: %v", n, err)
	}
	n = 0
	err = firstRecords(t.Context(), cfg, func(*stream.Record, *refuse.Error) error {
		if n++; n == 4 {
			return io.EOF
		}
		return nil
	})
	if err != nil || n != 4 {
		t.Errorf("enough after %d records: %v", n, err)
	}
	cfg.Input.Set(&wire.FileInput{Path: filepath.Join(dir, "none.csv")})
	if err := firstRecords(t.Context(), cfg, nil); err == nil {
		t.Error("a file that is not there was read")
	}
	if err := checkOrder(t.Context(), cfg); err != nil {
		t.Errorf("one file is in order: %v", err)
	}
}

// busyPartition has a message whenever it is read.
type busyPartition struct{ partitionAtEnd }

func (*busyPartition) Close() error { return nil }

func (*busyPartition) Read(_ context.Context, dst []stream.Message) (int, error) {
	dst[0] = stream.Message{Value: []byte(`{"time":1767225600,"values":{"x":1}}`)}
	return 1, nil
}

// TestReaderEndsWithTheCause: who reads a partition that nobody takes from ends with the cause of its context.
func TestReaderEndsWithTheCause(t *testing.T) {
	decoder := newDecoder(t)
	s := newSource(new(busyPartition), "t", 0)
	j := newJoining(nil, func() int { return 1 }, time.Hour, logtest.Discard())
	ctx, cancel := context.WithCancelCause(t.Context())
	cause, done := errors.New("another member has the partition"), make(chan error, 1)
	go func() { done <- (&splitter{decoder: decoder, log: j.log}).read(ctx, s, j) }()
	<-j.changed // a block is ready, and the next one waits
	cancel(cause)
	if err := <-done; !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	if block := <-s.blocks; len(block) != 1 || block[0].next != 1 {
		t.Errorf("the block is %+v", block)
	}
}

// TestCheckpointsThatAreKept: a replay that has learnt nothing leaves the checkpoints from before, unless none of them is left; a
// place that cannot be read is an error.
func TestCheckpointsThatAreKept(t *testing.T) {
	dir := t.TempDir()
	input := rowsFile(t, filepath.Join(dir, "in.csv"), 0, 20)
	state := filepath.Join(dir, "state")
	if _, err := replay(t, input, filepath.Join(dir, "out.jsonl"), state); err != nil {
		t.Fatal(err)
	}
	list := func() (paths []string) {
		all, err := Directory(state).List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			paths = append(paths, c.Path)
		}
		return paths
	}
	before := list()
	if err := keepOnly(state, []string{"gone"}); err != nil || !slices.Equal(list(), before) {
		t.Errorf("none of those is left: %v, error %v", list(), err)
	}
	if _, err := replay(t, rowsFile(t, input, 0, 30), filepath.Join(dir, "out.jsonl"), state); err != nil {
		t.Fatal(err)
	}
	if now := list(); len(now) != 2 {
		t.Fatalf("after two runs: %v", now)
	}
	if err := keepOnly(state, before); err != nil || !slices.Equal(list(), before) {
		t.Errorf("the new one: %v, error %v, want %v", list(), err, before)
	}
	if err := keepOnly(input, before); err == nil {
		t.Error("a file is no state")
	}
}
