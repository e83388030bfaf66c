package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/run"
)

// loggedText is a log that may be read while it is written.
type loggedText struct{ logtest.Buffer }

func (l *loggedText) has(text string) bool { return strings.Contains(l.String(), text) }

func (l *loggedText) count(text string) int {
	return strings.Count(l.String(), text)
}

// A job that reads a file stops at the end of the file. After the file has grown, a restart resumes from the
// checkpoint. The log names the assumptions about the file and the number of rows.
func TestJobOfAFile(t *testing.T) {
	dir := t.TempDir()
	input, output := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.jsonl")
	for i, c := range []struct {
		rows int
		has  string
	}{{50, "records=50 refused=0 forecasts=49 next=51 checkpoints=1"}, {80, "records=30 refused=0 forecasts=30 next=81 checkpoints=1"}} {
		rowsFile(t, input, 0, c.rows)
		cfg, err := loadConfig(t, "input.file.path="+input, "output.file.path="+output, "state.dir="+filepath.Join(dir, "state"), "model.type=persistence")
		if err != nil {
			t.Fatal(err)
		}
		var log loggedText
		l := NewLive(cfg, logtest.New(&log), "")
		if err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := countLines(t, output); n != c.rows-1 || !log.has(c.has) || !log.has("msg=starting input=") || !log.has("msg=model type=persistence") {
			t.Errorf("run %d: %d forecasts, log\n%s", i, n, &log)
		}
		for name, s := range l.Stats() {
			if name != ofFile || s.Series != 1 {
				t.Errorf("run %d: %s has %+v", i, name, s)
			}
		}
	}
}

// The log of a job has all that its person should know: how the file is read, settings without effect, rows that are refused
// or do not fit to the interval, counters, events and the end. testdata/log.txt has the lines; UPDATE_DOCS=1 writes it.
func TestLogOfAJob(t *testing.T) {
	dir := t.TempDir()
	var rows strings.Builder
	rows.WriteString("time,load,total\n")
	total := 0
	for i := range 400 {
		total += 1 + i*i%17
		load := fmt.Sprint(i * i % 31)
		switch i {
		case 250:
			load = "x"
		case 300:
			load = "1e6"
		}
		fmt.Fprintf(&rows, "%s,%s,%d\n", time.Unix(1.7e9+int64(i)*60, 0).UTC().Format(time.RFC3339), load, total)
	}
	input := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(input, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := loadConfig(t, "input.file.path="+input, "output.file.path="+filepath.Join(dir, "out.jsonl"), "model.type=persistence", "model.horizon=1", "model.order=5",
		"pipeline.interval=10s", "server.enabled=true", "server.listen=127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log loggedText
	options := slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime && a.Value.Time().After(time.Unix(1.75e9, 0)) || a.Key == "address" || a.Key == "memory" {
			return slog.Attr{} // other ones each time
		}
		return a
	}}
	l := NewLive(cfg, slog.New(slog.NewTextHandler(&log, &options)), "")
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := l.Stats()[ofFile]; s.Records != 400 || s.Damaged != 0 {
		t.Errorf("without checkpoints %d are damaged, after %d records", s.Damaged, s.Records)
	}
	got, gaps := "", 0
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "event=gap") {
			if gaps++; gaps > 1 {
				continue // one a row
			}
		}
		got += strings.ReplaceAll(line, dir, "DIR")
	}
	golden := filepath.Join("testdata", "log.txt")
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || got != string(want) {
		t.Errorf("%v; the log is\n%s\nwant\n%s", err, got, want)
	}
}

// hung is a tap that returns nothing, whatever happens to its context.
type hung struct{ end chan struct{} }

func (h hung) Write(context.Context, *stream.Batch) error { <-h.end; return nil }
func (hung) Close() error                                 { return nil }

// Work that gives no heartbeat ends the job with the stage that hangs.
func TestJobThatHangsEnds(t *testing.T) {
	cfg, err := loadConfig(t, "input.simulated.rows=100", "output.discard={}", "model.type=persistence", "state.stall_timeout=1s")
	if err != nil {
		t.Fatal(err)
	}
	var log loggedText
	l := NewLive(cfg, logtest.New(&log), "")
	h := hung{make(chan struct{})}
	defer close(h.end)
	l.Taps = append(l.Taps, h)
	stalled := new(run.StalledError)
	if err := l.Run(t.Context()); !errors.As(err, &stalled) || stalled.Stage != run.StageWrite {
		t.Errorf("error %v", err)
	}
	if !log.has("the work has hung; the process ends") || !log.has("stage=write") {
		t.Errorf("the log has\n%s", &log)
	}
}

// A file that a frozen member still holds is waited for, up to the time of a session; a job of a file does not wait.
func TestOutputInUse(t *testing.T) {
	load := func(input string) *config.Config {
		t.Helper()
		cfg, err := loadConfig(t, append(strings.Fields(input), "output.file.path="+filepath.Join(t.TempDir(), "out.jsonl"))...)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	var log loggedText
	text := logtest.New(&log)
	open := func(cfg *config.Config) *wire.Outputs {
		t.Helper()
		out, err := wire.OpenOutputs(cfg, text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	alone := load("input.simulated.rows=1")
	held := open(alone)
	defer held.Close()
	if _, err := NewLive(alone, text, "").openOutputs(t.Context(), alone, nil); err == nil || log.has("waiting") {
		t.Errorf("a job of a file: error %v", err)
	}
	if err := NewLive(alone, text, "").Run(t.Context()); !errors.Is(err, filesink.ErrInUse) {
		t.Errorf("the job of a file ends with %v", err)
	}
	group := load("input.kafka.brokers=a:1 input.kafka.topics=t")
	l := NewLive(group, text, "")
	_, release, err := l.outputsOf("t-0", map[string]string{"topic": "t", "partition": "0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.work(t.Context(), "t-1", nil, nil, map[string]string{"topic": "t", "partition": "1"}); err == nil || !strings.Contains(err.Error(), "out.jsonl") {
		t.Errorf("a second partition with one file: %v", err)
	}
	release()
	frozen := open(group)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := NewLive(group, text, "").openOutputs(stopped, group, nil); !errors.Is(err, filesink.ErrInUse) {
		t.Errorf("a job that stops while it waits: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		out, err := NewLive(group, text, "").openOutputs(context.Background(), group, nil)
		if err == nil {
			err = out.Close()
		}
		done <- err
	}()
	until(t, "it waits", func() bool { return log.count("waiting for a file of an output") == 2 }) // as the one that stopped did
	if err := frozen.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("after the file was released: %v", err)
	}
}
