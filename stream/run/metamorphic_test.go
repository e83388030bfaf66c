package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// A fileRun reads testdata of all kinds from a file and writes points, dead letters
// and checkpoints to files. What it writes must depend neither on how the work is
// cut into batches and checkpoints, nor on crashes.
type fileRun struct {
	dir    string
	encode filesink.Encoder
	tune   func(*run.Config)
	engine engine.Config
}

// jsonLines is records as a file of JSON lines, some of them broken.
func jsonLines(n int) string {
	var out strings.Builder
	for i, r := range streamtest.Records(n, 7) {
		switch i % 50 {
		case 10:
			out.WriteString("\n")
		case 20:
			out.WriteString(`{"series": "s1", "time": 3, "values": {"a": 1, "a": 2}}` + "\n")
		case 30:
			out.WriteString("not JSON\n")
		}
		fmt.Fprintf(&out, `{"series": %q, "time": %d, "values": `, r.Series, r.Time)
		open, closing := "{", "}"
		if r.Names == nil {
			open, closing = "[", "]"
		}
		for j, v := range r.Values {
			text := strconv.FormatFloat(v, 'g', -1, 64)
			if math.IsNaN(v) {
				text = "null"
			} else if math.IsInf(v, 0) {
				text = "1e999"
			}
			if r.Names != nil {
				text = strconv.Quote(r.Names[j]) + ": " + text
			}
			out.WriteString(open + text)
			open = ", "
		}
		out.WriteString(closing + "}\n")
	}
	return out.String()
}

// once runs until the end or an error. faults wraps the edges.
func (r *fileRun) once(t *testing.T, faults *faults) (run.Stats, error) {
	t.Helper()
	src, err := file.OpenSource(filepath.Join(r.dir, "in.jsonl"),
		file.SourceConfig{JSON: format.JSONConfig{Series: "series", TimeUnit: timestamp.Nanoseconds}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	sink, err := filesink.Create(filepath.Join(r.dir, "out"), r.encode)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	letters, err := filesink.OpenDeadLetters(filepath.Join(r.dir, "letters"))
	if err != nil {
		t.Fatal(err)
	}
	defer letters.Close()
	store, err := filestore.Open(filepath.Join(r.dir, "state"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := run.Config{
		Source: faultySource{src, faults}, Decoder: src.Decoder(), Engine: streamtest.NewEngine(t, r.engine),
		Sink: faultySink{sink, faults}, DeadLetters: faultyLetters{letters, faults},
		Store: faultyStore{store, faults},
	}
	r.tune(&c)
	runner, err := run.NewRunner(c)
	if err != nil {
		t.Fatal(err)
	}
	err = runner.Run(context.Background())
	return runner.Stats(), err
}

// output is everything that was written for others to read. A restart may write dead
// letters again, behind one that a crash has torn.
func (r *fileRun) output(t *testing.T) string {
	t.Helper()
	out := read(t, filepath.Join(r.dir, "out"))
	seen := make(map[string]bool)
	for letter := range strings.Lines(read(t, filepath.Join(r.dir, "letters"))) {
		if !seen[letter] && json.Valid([]byte(letter)) {
			out += letter
		}
		seen[letter] = true
	}
	return strings.ReplaceAll(out, r.dir, "")
}

var errCrash = errors.New("crash")

// faults fails the at-th effect of a run, before or after it happens.
type faults struct {
	at, n int
	after bool
}

func (f *faults) effect(do func() error) error {
	f.n++
	crash := f.n == f.at
	if crash && !f.after {
		return errCrash
	}
	if err := do(); err != nil {
		return err
	}
	if crash {
		return errCrash
	}
	return nil
}

type faultySource struct {
	*file.Source
	f *faults
}

func (s faultySource) Commit(context.Context, int64) error {
	return s.f.effect(func() error { return nil })
}

type faultySink struct {
	*filesink.Sink
	f *faults
}

func (s faultySink) Write(ctx context.Context, b *stream.Batch) error {
	return s.f.effect(func() error { return s.Sink.Write(ctx, b) })
}

type faultyLetters struct {
	*filesink.DeadLetters
	f *faults
}

func (s faultyLetters) WriteDeadLetters(ctx context.Context, l []stream.DeadLetter) error {
	return s.f.effect(func() error { return s.DeadLetters.WriteDeadLetters(ctx, l) })
}

type faultyStore struct {
	*filestore.Store
	f *faults
}

func (s faultyStore) Save(ctx context.Context, c checkpoint.Checkpoint) error {
	return s.f.effect(func() error { return s.Store.Save(ctx, c) })
}

func newRun(t *testing.T, input string) *fileRun {
	t.Helper()
	r := &fileRun{dir: t.TempDir(), encode: lineproto.Encoder{Levels: []float64{.8, .5}}, engine: streamtest.DriftConfig(), tune: func(*run.Config) {}}
	if err := os.WriteFile(filepath.Join(r.dir, "in.jsonl"), []byte(input), 0o644); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBatchesAndCheckpointsDoNotMatter: CSV and dead letters are the same to the
// byte, however the work is cut. The order of points in line protocol is by kind
// within a batch, which is why CSV is compared.
func TestBatchesAndCheckpointsDoNotMatter(t *testing.T) {
	input := jsonLines(250)
	var want string
	for _, c := range []struct{ points, bytes, records int }{
		{}, {points: 1}, {points: 7, records: 13}, {points: 100, records: 1}, {bytes: 1000, records: 50}, {records: 259},
	} {
		r := newRun(t, input)
		r.encode = filesink.CSV{Levels: []float64{.8, .5}}
		r.tune = func(rc *run.Config) {
			rc.BatchPoints, rc.BatchBytes, rc.CheckpointRecords = c.points, c.bytes, int64(c.records)
		}
		stats, err := r.once(t, &faults{})
		if err != nil {
			t.Fatal(err)
		}
		if stats.Records != 260 || stats.Series != 5 || stats.DeadLetters[refuse.Malformed] != 10 {
			t.Errorf("%+v", stats)
		}
		got := r.output(t)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%+v changed the output", c)
		}
	}
	if n := strings.Count(want, "\n"); n < 1000 {
		t.Errorf("only %d lines were compared", n)
	}
}

// TestFault02_CrashAnywhere: a crash before or after any effect of a run, and a restart,
// give what a run without crashes gives. A batch torn by the crash is simulated by
// a part of a line at the end of the files.
func TestFault02_CrashAnywhere(t *testing.T) {
	input := jsonLines(100)
	tune := func(c *run.Config) { c.BatchPoints, c.CheckpointRecords = 100, 30 }
	calm := newRun(t, input)
	calm.tune = tune
	var count faults
	if _, err := calm.once(t, &count); err != nil {
		t.Fatal(err)
	}
	want := calm.output(t)
	if count.n < 15 {
		t.Fatalf("only %d effects", count.n)
	}
	for at := 1; at <= count.n; at++ {
		for _, after := range []bool{false, true} {
			r := newRun(t, input)
			r.tune = tune
			if _, err := r.once(t, &faults{at: at, after: after}); !errors.Is(err, errCrash) {
				t.Fatalf("effect %d: the run ended with %v", at, err)
			}
			for _, name := range []string{"out", "letters"} {
				f, err := os.OpenFile(filepath.Join(r.dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprint(f, "observation,id=a a=")
				f.Close()
			}
			if _, err := r.once(t, &faults{at: 3, after: after}); !errors.Is(err, errCrash) {
				// A second crash, unless there was nothing left to do.
				if err != nil {
					t.Fatal(err)
				}
			} else if _, err := r.once(t, &faults{}); err != nil {
				t.Fatal(err)
			}
			if got := r.output(t); got != want {
				t.Fatalf("crash at effect %d, after = %v: the output differs", at, after)
			}
		}
	}
}

// TestFutureIsNotSeen: what comes later changes nothing that was written before,
// with the real model.
func TestFutureIsNotSeen(t *testing.T) {
	lines := strings.SplitAfter(jsonLines(400), "\n")
	forecasts := func(n int) string {
		r := newRun(t, strings.Join(lines[:n], ""))
		r.encode = filesink.CSV{Levels: []float64{.8}}
		r.engine.Levels = []float64{.8}
		r.engine.NewModel = func(dim int) (eval.Model, error) {
			return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: dim, Order: 2, Horizon: 4, Seed: 1})
		}
		if _, err := r.once(t, &faults{}); err != nil {
			t.Fatal(err)
		}
		return read(t, filepath.Join(r.dir, "out"))
	}
	whole := forecasts(len(lines))
	for _, n := range []int{30, 201, 400} {
		if part := forecasts(n); !strings.HasPrefix(whole, part) {
			t.Errorf("the first %d lines alone give other forecasts", n)
		} else if n > 200 && strings.Count(part, "\n") < 100 {
			t.Errorf("only %d forecasts were compared", strings.Count(part, "\n"))
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
