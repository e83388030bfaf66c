package filesink_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// write writes a new file and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func ExampleCSV() {
	b := &stream.Batch{Forecasts: []stream.Forecast{{
		Series: &stream.Series{Name: "host1", Variables: []string{"cpu", "mem, free"}}, Model: "orffvar", Time: 1767225600e9, Horizon: 1,
		Yhat: []float64{.1, 70}, Lower: []float64{-.1, math.NaN()}, Upper: []float64{.3, math.NaN()},
	}}}
	e := filesink.CSV{Levels: []float64{.9}}
	fmt.Printf("%s%s", e.AppendHeader(nil), e.AppendBatch(nil, b))
	// Output:
	// time,series,target,horizon,model,yhat,yhat_lower,yhat_upper
	// 2026-01-01T00:00:00Z,host1,cpu,1,orffvar,0.1,-0.1,0.3
	// 2026-01-01T00:00:00Z,host1,"mem, free",1,orffvar,70,,
}

func TestSinkContract(t *testing.T) {
	for levels := range 3 {
		for _, enc := range []filesink.Encoder{
			filesink.CSV{Levels: []float64{.9, .5}[:levels]}, lineproto.Encoder{Levels: []float64{.9, .5}[:levels]},
		} {
			t.Run(fmt.Sprintf("%T %d", enc, levels), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "out")
				streamtest.TestSink(t, streamtest.SinkTest{
					Open: func(t *testing.T) stream.Sink {
						s, err := filesink.Create(path, enc)
						if err != nil {
							t.Fatal(err)
						}
						return s
					},
					Contents: func(t *testing.T) string {
						b, err := os.ReadFile(path)
						if err != nil {
							t.Fatal(err)
						}
						return string(b)
					},
					Levels: levels,
				})
			})
		}
	}
}

// TestCSVReads: encoding/csv reads the file, awkward names included.
func TestCSVReads(t *testing.T) {
	for levels := range 3 {
		e := filesink.CSV{Levels: []float64{.9, .5}[:levels], TimeUnit: timestamp.Seconds}
		b := streamtest.Batch(2, levels)
		rows, err := csv.NewReader(strings.NewReader(string(e.AppendBatch(e.AppendHeader(nil), b)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		f := b.Forecasts[0]
		if want := 1 + len(f.Yhat)*max(1, levels); len(rows) != want {
			t.Fatalf("%d rows of %d", len(rows), want)
		}
		for j, target := range f.Series.Variables {
			row := rows[1+j*max(1, levels)]
			if row[0] != "3" || row[1] != f.Series.Name || row[2] != target || row[5] != fmt.Sprint(f.Yhat[j]) || (row[6] == "") != (levels == 0) {
				t.Errorf("%q", row)
			}
		}
	}
}

func TestDeadLettersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.jsonl")
	d, err := filesink.OpenDeadLetters(path)
	if err != nil {
		t.Fatal(err)
	}
	letter := func(value string) []stream.DeadLetter {
		return []stream.DeadLetter{{
			Message: stream.Message{Topic: "in", Partition: 3, Offset: 9, Time: 1e9, Key: []byte("k"), Value: []byte(value)},
			Error:   refuse.Error{Reason: refuse.Late, Detail: "\"too\"\nlate"},
		}}
	}
	ctx := context.Background()
	for _, v := range []string{"a", "b\xff", "c"} {
		if err := d.WriteDeadLetters(ctx, letter(v)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if d, err = filesink.OpenDeadLetters(path); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteDeadLetters(ctx, letter("d")); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines:\n%s", len(lines), b)
	}
	const want = `{"origin":"in[3]@9","topic":"in","partition":3,"offset":9,"time":"1970-01-01T00:00:01Z","reason":"late","detail":"\"too\"\nlate","key":"k","value":"d"}`
	if lines[3] != want {
		t.Errorf("got  %s\nwant %s", lines[3], want)
	}
	var bytes struct {
		Value []byte `json:"value_base64"`
	}
	if err := json.Unmarshal([]byte(lines[1]), &bytes); err != nil || string(bytes.Value) != "b\xff" {
		t.Errorf("%s: %v", lines[1], err)
	}
}

func TestResumeRefuses(t *testing.T) {
	path := write(t, "out", "0123456789")
	s, err := filesink.Create(path, filesink.CSV{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Resume(checkpoint.Positions{{Output: "file " + path, Length: 11}}); err == nil || !strings.Contains(err.Error(), "it has 10 bytes, the checkpoint says 11") {
		t.Errorf("a file that was cut gave %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "0123456789" {
		t.Errorf("a refused Resume left %q", b)
	}
	const columns = "time,series,target,horizon,model,yhat,yhat_lower,yhat_upper"
	path = write(t, "columns", columns+",level\n")
	s, err = filesink.Create(path, filesink.CSV{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	length := int64(len(columns) + 7)
	if err := s.Resume(checkpoint.Positions{{Output: "file " + path, Length: length}}); err == nil || !strings.Contains(err.Error(), "has the columns "+columns+",level, and this configuration writes "+columns+". Give") {
		t.Errorf("a file with other columns gave %v", err)
	}
	if _, err := filesink.Create(filepath.Join(t.TempDir(), "no", "such", "dir"), filesink.CSV{}); err == nil {
		t.Error("a sink in no directory was made")
	}
}

// TestFault39_DiskFull: a write that fails stops the run, and no checkpoint is taken.
func TestFault39_DiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this system")
	}
	src, err := file.OpenSource(write(t, "in.csv", "time,a\n1,1\n2,2\n3,3\n"), file.SourceConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	sink, err := filesink.Create("/dev/full", filesink.CSV{})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	dir := t.TempDir()
	store, err := filestore.Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r, err := run.NewRunner(run.Config{Source: src, Decoder: src.Decoder(), Engine: streamtest.NewEngine(t, streamtest.DriftConfig()), Sink: sink, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v", err)
	}
	if c, err := filestore.Checkpoints(dir); err != nil || len(c) != 0 {
		t.Errorf("checkpoints %v, %v", c, err)
	}
}

// TestFolderOfAnOutput: the error of an output asks for a folder only where it is missing: not for a
// link, in a folder that is there, to a missing one.
func TestFolderOfAnOutput(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "gone", "x.csv"), filepath.Join(dir, "link.csv")); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]bool{"no/x.csv": true, "link.csv": false} {
		_, err := filesink.Create(filepath.Join(dir, name), filesink.CSV{})
		if err == nil || strings.Contains(err.Error(), "mkdir -p ") != want {
			t.Errorf("%s: %v, a folder to make: %t", name, err, want)
		}
	}
}

// TestFault70_OneWriter: a file of forecasts or dead letters has one writer at a time, and what others
// append to it is not overwritten.
func TestFault70_OneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	opens := map[string]func() (io.Closer, error){
		"forecasts":    func() (io.Closer, error) { return filesink.Create(path, filesink.JSONLines{}) },
		"dead letters": func() (io.Closer, error) { return filesink.OpenDeadLetters(path) },
		"parquet":      func() (io.Closer, error) { return filesink.CreateParquet(path, nil) },
	}
	for first, open := range opens {
		owner, err := open()
		if err != nil {
			t.Fatal(err)
		}
		for second, open := range opens {
			if _, err := open(); !errors.Is(err, filesink.ErrInUse) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s beside %s: got %v", second, first, err)
			}
		}
		if err := filesink.Check(path); err != nil {
			t.Errorf("a configuration cannot be checked while its job works: %v", err)
		}
		if err := owner.Close(); err != nil {
			t.Fatal(err)
		}
	}
	letters, err := filesink.OpenDeadLetters(path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for range 2 {
		if err := letters.WriteDeadLetters(t.Context(), []stream.DeadLetter{{Message: stream.Message{Topic: "in"}, Error: refuse.Error{Reason: refuse.Late}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := other.WriteString("{\"of\": \"another program without locks\"}\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := letters.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != 4 {
		t.Errorf("%d lines of 4: %s", len(lines), text)
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("a torn line: %s", line)
		}
	}
}
