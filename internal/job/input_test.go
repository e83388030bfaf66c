package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

// A file is opened when it has the variables that the configuration names, wherever they come first, and
// samples that fit to the interval; the error and the warning name what it has.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lines := func(n int, spacing time.Duration, names ...string) string {
		var b strings.Builder
		for i := range n {
			name := names[min(i*len(names)/n, len(names)-1)]
			fmt.Fprintf(&b, `{"time":"%s","values":{%q:%d}}`+"\n", time.Unix(1.7e9, 0).Add(time.Duration(i)*spacing).UTC().Format(time.RFC3339), name, i%5)
		}
		return b.String()
	}
	refused := `{"time":"2023-01-01T00:00:00Z","values":{"early":"x"}}` + "\n"
	late := write("late.jsonl", refused+lines(600, time.Minute, "a", "a", "b")) // b is beyond the first block
	header := rowsFile(t, filepath.Join(dir, "header.csv"), 0, 300)
	rowsFile(t, write("parts/1.csv", ""), 0, 30)
	rowsFile(t, write("parts/2.csv", ""), 30, 60)
	rowsFile(t, write("overlap/1.csv", ""), 0, 30)
	rowsFile(t, write("overlap/2.csv", ""), 20, 60)
	for _, c := range []struct {
		path, sets  string
		fails, warn string // what the error or the warning has; "" = none
	}{
		{header, "", "", ""},
		{header, "pipeline.variables=x", "", ""},
		{header, "pipeline.variables=x,y", `header.csv: pipeline.variables: there is no variable "y"; the file has x`, ""},
		{header, "pipeline.rate=y", `pipeline.rate: there is no variable "y"`, ""},
		{header, "model.exogenous=x;model.type=var1", "model.exogenous: all columns are inputs, nothing is left to forecast", ""},
		{header, "model.non_negative=y", "", `model.non_negative: there is no variable \"y\"`},
		{header, "model.limits=y >= 0", "", `model.limits: there is no variable \"y\"`},
		{header, "model.bounds=y >= 0", "", `model.bounds: there is no variable \"y\"`},
		{header, "model.anomaly.rules=y 5", "", `model.anomaly.rules: there is no variable \"y\"`},
		{header, "pipeline.interval=1m", "", ""},
		{header, "pipeline.interval=3m", "the rows are 1m apart and pipeline.interval is 3m", ""},
		{header, "pipeline.interval=10s", "every row would stand alone", ""},
		{late, "", "", ""},
		{late, "pipeline.variables=a,b", "", ""},
		{late, "pipeline.variables=b,c", `there is no variable "c"; the file has a, b`, ""},
		{late, "pipeline.variables=early", `there is no variable "early"; the file has a, b`, ""}, // its record is refused
		{late, "model.exogenous=a,b;model.type=var1", "nothing is left to forecast", ""},
		{late, "pipeline.interval=20s", "the rows are 1m apart", ""},
		{late, "pipeline.interval=1m", "", ""},
		{filepath.Join(dir, "parts"), "", "", ""},
		{filepath.Join(dir, "parts", "*.csv"), "pipeline.variables=y", `there is no variable "y"`, ""},
		{filepath.Join(dir, "overlap"), "", "2.csv", ""},
		{filepath.Join(dir, "overlap", "?.csv"), "", "2.csv", ""},
		{filepath.Join(dir, "none.csv"), "", "no such file", ""},
	} {
		cfg, err := loadConfig(t, strings.Split(strings.TrimSuffix("input.file.path="+c.path+";output.discard={};"+c.sets, ";"), ";")...)
		if err != nil {
			t.Errorf("%s: %v", c.sets, err)
			continue
		}
		var log bytes.Buffer
		src, err := OpenFile(t.Context(), cfg, logtest.New(&log))
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s, %s: error %v, want %q", filepath.Base(c.path), c.sets, err, c.fails)
		}
		if text := log.String(); (text != "") != (c.warn != "") || !strings.Contains(text, c.warn) {
			t.Errorf("%s, %s: log %s, want %s", filepath.Base(c.path), c.sets, text, c.warn)
		}
		if src != nil {
			src.Close()
		}
	}
	// The read ends with its context.
	cfg, err := loadConfig(t, "input.file.path="+late, "output.discard={}", "pipeline.variables=c")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := OpenFile(ctx, cfg, logtest.Discard()); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// What OpenFile cannot see of a file without a header, CheckRecords sees in its records: rules and bounds of a
// variable that does not come.
func TestCheckRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(path, []byte(`{"time":"2024-01-01T00:00:00Z","values":{"a":1}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("read")
	for _, c := range []struct {
		set, warn string
		err       error
	}{
		{"model.non_negative=a", "", nil}, {"model.non_negative=b", "model.non_negative: there is no variable", nil}, {"model.non_negative=a", "", failure},
		{"pipeline.interval=1h", "", nil}, // OpenFile has looked at the times
	} {
		cfg, err := loadConfig(t, "input.file.path="+path, "output.discard={}", c.set)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		log := logtest.New(&text)
		src, err := OpenFile(t.Context(), cfg, log)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		err = CheckRecords(cfg, log, src, func(f func(*stream.Record)) error {
			for i := range int64(5) {
				f(&stream.Record{Series: "s", Names: []string{"a"}, Values: []float64{1}, Time: i * 60e9})
			}
			return c.err
		})
		if !errors.Is(err, c.err) || strings.Count(text.String(), "\n") != min(len(c.warn), 1) || !strings.Contains(text.String(), c.warn) {
			t.Errorf("%s: error %v, log %q, want %q", c.set, err, text.String(), c.warn)
		}
	}
	var usage *config.UsageError
	w := NewGapWatch(&config.Config{Pipeline: config.Pipeline{Interval: config.Interval(time.Hour)}})
	for i := range int64(5) {
		w.Add("s", i*60e9)
	}
	if err := w.check(); !errors.As(err, &usage) {
		t.Errorf("rows a minute apart in hours: %v", err)
	}
}

// The newest forecasts of each series are those of its last origin, in the order of the series, and no memory of the
// batch.
func TestNewestForecasts(t *testing.T) {
	a, b := &stream.Series{Name: "a"}, &stream.Series{Name: "b"}
	forecast := func(s *stream.Series, origin int64, horizon int, y float64) stream.Forecast {
		v := func(x float64) []float64 { return []float64{x} }
		return stream.Forecast{Series: s, Origin: origin, Horizon: horizon, Yhat: v(y), Lower: v(y - 1), Upper: v(y + 1), Reach: v(.1), JointLower: v(y - 2), JointUpper: v(y + 2)}
	}
	n := NewNewestForecasts()
	for _, list := range [][]stream.Forecast{
		{forecast(b, 1, 1, 10), forecast(b, 1, 2, 11), forecast(b, 2, 1, 20)},
		{forecast(a, 1, 1, 30), forecast(b, 2, 2, 21)},
		{forecast(a, 3, 1, 40), forecast(a, 3, 2, 41)},
	} {
		if err := n.Write(t.Context(), &stream.Batch{Forecasts: list}); err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			for _, v := range [][]float64{f.Yhat, f.Lower, f.Upper, f.Reach, f.JointLower, f.JointUpper} {
				v[0] = math.NaN()
			}
		}
	}
	var got []string
	for _, f := range n.All() {
		got = append(got, fmt.Sprint(f.Series.Name, f.Origin, f.Horizon, f.Yhat, f.Lower, f.Upper, f.Reach, f.JointLower, f.JointUpper))
	}
	want := []string{
		"b2 1 [20] [19] [21] [0.1] [18] [22]", "b2 2 [21] [20] [22] [0.1] [19] [23]",
		"a3 1 [40] [39] [41] [0.1] [38] [42]", "a3 2 [41] [40] [42] [0.1] [39] [43]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Names are looked for in each message of a file, however few are read at a time; one that no message has ends the run.
func TestNamesInLaterMessages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	text := `{"time":1767225600,"values":{"x":1}}` + "\n" + `{"time":1767225660,"values":{"x":2}}` + "\n" + `{"time":1767225720,"values":{"x":3,"y":4}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ variable, want string }{{"y", ""}, {"z", `there is no variable "z"; the file has x, y`}} {
		cfg, err := loadConfig(t, "input.file.path="+path, "output.discard={}", "pipeline.variables=x,"+c.variable)
		if err != nil {
			t.Fatal(err)
		}
		src, err := wire.OpenFile(cfg)
		if err != nil {
			t.Fatal(err)
		}
		named, n := withNames(cfg, logtest.Discard(), src, src), 0
		for err == nil {
			var k int
			k, err = named.Read(t.Context(), make([]stream.Message, 1))
			n += k
		}
		if n != 3 || (c.want == "") != errors.Is(err, io.EOF) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d messages, %v", c.variable, n, err)
		}
		src.Close()
	}
}
