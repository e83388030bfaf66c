package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// rowsFile writes rows first … last-1 of a series at one sample a minute.
func rowsFile(t *testing.T, name string, first, last int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("time,x\n")
	for i := first; i < last; i++ {
		fmt.Fprintf(&b, "%s,%d\n", time.Unix(1.7e9+int64(60*i), 0).UTC().Format(time.RFC3339), i%5)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func replay(t *testing.T, input, output, state string, sets ...string) (*Replayed, error) {
	t.Helper()
	cfg, err := loadConfig(t, append([]string{
		"input.file.path=" + input, "output.file.path=" + output, "input.file.series=s", "model.type=persistence", "model.horizon=1",
	}, sets...)...)
	if err != nil {
		t.Fatal(err)
	}
	return Replay(context.Background(), cfg, ReplayOptions{Log: logtest.Discard(), State: state})
}

func countLines(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// A replay with a state directory reads the new rows of its file alone, goes on with another file, and
// leaves no checkpoint behind when it has learnt nothing.
func TestReplayGoesOn(t *testing.T) {
	dir := t.TempDir()
	input, output, state := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "state")
	rowsFile(t, input, 0, 100)
	r, err := replay(t, input, output, state)
	if err != nil || r.Records != 100 || r.Resumed || r.Forecasts != 99 || countLines(t, output) != 99 {
		t.Fatalf("first: %+v, error %v", r, err)
	}
	if r, err = replay(t, input, output, state); err != nil || r.Records != 0 || !r.Resumed ||
		len(r.Notes) == 0 || !strings.HasPrefix(r.Notes[0], "no new rows: "+state+" has learnt all of "+input+", ") {
		t.Fatalf("again: %+v, error %v", r, err)
	}
	rowsFile(t, input, 0, 130)
	if r, err = replay(t, input, output, state, "model.levels=0.5"); err != nil || r.Records != 30 || !r.Resumed || countLines(t, output) != 129 {
		t.Fatalf("with 30 more rows: %+v, error %v", r, err)
	}
	// Another file: all its rows, by a model that knows the spacing; its forecasts follow.
	other := rowsFile(t, filepath.Join(dir, "in2.csv"), 130, 160)
	if r, err = replay(t, other, output, state); err != nil || r.Records != 30 || r.Resumed || r.Forecasts != 30 || countLines(t, output) != 159 {
		t.Fatalf("another file: %+v, error %v, %d lines", r, err, countLines(t, output))
	}
	if want := state + " has learnt another file before: the scores are those of all its rows and of these"; !slices.Contains(r.Notes, want) {
		t.Errorf("another file: notes %q", r.Notes)
	}
	// An earlier file is refused, and the state stays.
	before, _ := Directory(state).List(context.Background())
	early := rowsFile(t, filepath.Join(dir, "early.csv"), 0, 20)
	if _, err = replay(t, early, filepath.Join(dir, "early.jsonl"), state); err == nil ||
		!strings.Contains(err.Error(), "all 20 rows were refused") || !strings.Contains(err.Error(), "give --state another directory") || !strings.Contains(err.Error(), "; nothing was written to "+filepath.Join(dir, "early.jsonl")) {
		t.Errorf("an earlier file: %v", err)
	}
	after, err := Directory(state).List(context.Background())
	if err != nil || len(before) == 0 || after[0].Path != before[0].Path || after[0].Next != 31 { // the newest is first
		t.Errorf("a refused file leaves %+v, before %+v, error %v", after, before, err)
	}
	if n, err := Directory(state).Reset(context.Background()); err != nil || n != len(after) {
		t.Errorf("%d of %d checkpoints are removed, error %v", n, len(after), err)
	}
	if _, err := Directory(state).List(context.Background()); err == nil || !strings.Contains(err.Error(), "no checkpoints below") {
		t.Errorf("after a reset: %v", err)
	}
}

// A replay beside a live page is counted there, as its only partition; the counts outlive it.
func TestReplayIsCounted(t *testing.T) {
	dir := t.TempDir()
	cfg, err := loadConfig(t, "input.file.path="+rowsFile(t, filepath.Join(dir, "in.csv"), 0, 100), "output.discard={}", "model.type=persistence", "model.horizon=1", "server.enabled=true", "server.listen=127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := NewLive(cfg, logtest.Discard(), "")
	working := 0
	watch := &countedTap{func() { _, working = l.heldOutputs() }}
	if _, err := Replay(t.Context(), cfg, ReplayOptions{Log: logtest.Discard(), Live: l, Taps: []stream.Sink{watch}}); err != nil {
		t.Fatal(err)
	}
	_, after := l.heldOutputs()
	if s := l.Stats(); working != 1 || after != 0 || len(s) != 1 || s["file"].Records != 100 || s["file"].Forecasts != 99 {
		t.Errorf("%d partitions at work, %d afterwards, counts %+v", working, after, s)
	}
}

// countedTap calls a function with each batch.
type countedTap struct{ seen func() }

func (c *countedTap) Write(context.Context, *stream.Batch) error { c.seen(); return nil }
func (*countedTap) Close() error                                 { return nil }

// A replay without a state refuses a path that is taken, an empty file and one whose rows are all bad.
func TestReplayRefuses(t *testing.T) {
	dir := t.TempDir()
	empty, bad, blank := filepath.Join(dir, "empty.csv"), filepath.Join(dir, "bad.csv"), filepath.Join(dir, "blank.jsonl")
	for name, text := range map[string]string{empty: "time,x\n", blank: "\n\n", bad: "time,x\n2024-01-01T00:00:00Z,1e300\n2024-01-01T00:01:00Z,1e300\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		input, want string
		sets        []string
	}{
		{empty, "empty.csv has no data", nil},
		{blank, "blank.jsonl: no rows", nil},
		{bad, "all 2 rows were refused; the first: ", nil},
		{bad, "; nothing was written to " + filepath.Join(dir, "out.jsonl"), nil},
		{rowsFile(t, filepath.Join(dir, "good.csv"), 0, 10), `pipeline.variables: there is no variable "y"; the file has x`, []string{"pipeline.variables=y"}},
	} {
		if r, err := replay(t, c.input, filepath.Join(dir, "out.jsonl"), "", c.sets...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, error %v, want one with %q", filepath.Base(c.input), r, err, c.want)
		}
	}
}

// A replay that writes the column y cannot resume from a checkpoint. The list of checkpoints names the damage of a
// damaged file.
func TestReplayWithAState(t *testing.T) {
	dir := t.TempDir()
	input, state := rowsFile(t, filepath.Join(dir, "in.csv"), 0, 10), filepath.Join(dir, "state")
	for _, sets := range [][]string{{"output.file.columns=y"}, {"output.file.path=" + filepath.Join(dir, "out.parquet")}} {
		if _, err := replay(t, input, filepath.Join(dir, "out.csv"), state, sets...); err == nil || !strings.Contains(err.Error(), "without y, or leave out --state") {
			t.Errorf("%v: %v", sets, err)
		}
	}
	one := rowsFile(t, filepath.Join(dir, "one.csv"), 0, 1)
	if r, err := replay(t, one, filepath.Join(dir, "none.csv"), ""); err != nil || !slices.Equal(r.Notes, []string{"nothing was written to " + filepath.Join(dir, "none.csv") + ": there is no new forecast"}) {
		t.Errorf("one row: %+v, error %v", r, err)
	}
	var log bytes.Buffer
	warm := warmStart(state, "in-0", logtest.New(&log))
	if list, err := warm(); !errors.Is(err, checkpoint.ErrNoCheckpoint) || log.Len() > 0 {
		t.Errorf("a warm start from nothing: %v, error %v, log %s", list, err, &log)
	}
	if _, err := replay(t, input, filepath.Join(dir, "out.csv"), state); err != nil {
		t.Fatal(err)
	}
	chain, err := warm()
	if last := len(chain) - 1; err != nil || chain[last].Next != 11 || chain[last].Outputs != nil || !strings.HasSuffix(log.String(), "partition=in-0 checkpoint="+filepath.Join(state, ofFile)+"\n") {
		t.Errorf("a warm start: %+v, error %v, log %s", chain, err, &log)
	}
	list, err := Directory(state).List(t.Context())
	if err != nil || len(list) != 1 || list[0].Error != "" || list[0].Next != 11 || list[0].Bytes == 0 || list[0].Settings["model.type"] != "persistence" {
		t.Fatalf("%+v, error %v", list, err)
	}
	if err := os.Truncate(list[0].Path, 20); err != nil {
		t.Fatal(err)
	}
	if list, err := Directory(state).List(t.Context()); err != nil || len(list) != 1 || list[0].Error == "" || list[0].Bytes != 20 {
		t.Errorf("damaged: %+v, error %v", list, err)
	}
	if _, err := Directory(filepath.Join(dir, "none")).List(t.Context()); err == nil || !strings.Contains(err.Error(), "no such directory; name that of state.dir") {
		t.Errorf("no directory: %v", err)
	}
	cfg, err := loadConfig(t, "input.file.path="+filepath.Join(dir, "none.csv"), "output.discard={}")
	if err != nil {
		t.Fatal(err)
	}
	if err := Follow(t.Context(), cfg, "", logtest.Discard(), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing to follow: %v", err)
	}
}

// An answer that Kafka does not give in time is said to be one; other errors stay.
func TestInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	failure := errors.New("refused")
	if inTime(ctx, nil) != nil || !errors.Is(inTime(ctx, failure), failure) {
		t.Error("an error was changed in time")
	}
	cancel()
	if err := inTime(ctx, failure); !errors.Is(err, failure) || !strings.HasPrefix(err.Error(), "no answer from Kafka within 5m0s: ") || inTime(ctx, nil) != nil {
		t.Errorf("late: %v", err)
	}
}

// Two partitions cannot write one file, and one that has ended leaves its file to the next.
func TestOutputsAreReserved(t *testing.T) {
	cfg, err := loadConfig(t, "input.kafka.brokers=a:1", "input.kafka.topics=t", "output.file.path="+filepath.Join(t.TempDir(), "{topic}.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	l := NewLive(cfg, logtest.Discard(), "")
	labels := func(p string) map[string]string { return map[string]string{"topic": "t", "partition": p} }
	_, release, err := l.outputsOf("t-0", labels("0"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.outputsOf("t-1", labels("1")); err == nil || !strings.Contains(err.Error(), "partitions t-0 and t-1 would both write ") {
		t.Errorf("two partitions: %v", err)
	}
	release()
	if _, release, err = l.outputsOf("t-1", labels("1")); err != nil {
		t.Errorf("after the first has ended: %v", err)
	} else {
		release()
	}
}

// Health is asked of this machine when the endpoint listens on all addresses, and anything but success is
// an error with the answer.
func TestAskHealth(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.Error(w, "not ready: waiting", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	}))
	defer server.Close()
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	for listen, host := range map[string]string{"127.0.0.1": "127.0.0.1", "": "localhost", "0.0.0.0": "localhost", "[::]": "localhost"} {
		c := config.Server{Listen: listen + port}
		if answer, err := AskHealth(t.Context(), c, "/readyz"); err != nil || string(answer) != "ok\n" {
			t.Errorf("%s: %q, error %v", listen, answer, err)
		}
		if _, err := AskHealth(t.Context(), c, "/healthz"); err == nil || err.Error() != "http://"+host+port+"/healthz: not ready: waiting" {
			t.Errorf("%s, 503: %v", listen, err)
		}
	}
	if _, err := AskHealth(context.Background(), config.Server{Listen: "localhost"}, "/"); err == nil || !strings.HasPrefix(err.Error(), "server.listen: ") {
		t.Errorf("no port: %v", err)
	}
}

// The endpoint says which setting an occupied port is, and how to choose another one.
func TestPortInUse(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	cfg, err := loadConfig(t, "input.simulated.rows=1", "output.discard={}", "server.enabled=true", "server.listen="+address)
	if err != nil {
		t.Fatal(err)
	}
	err = NewLive(cfg, logtest.Discard(), "").Run(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "server.listen: ") || !strings.Contains(err.Error(), "--set server.listen=127.0.0.1:PORT") {
		t.Errorf("%v", err)
	}
}
