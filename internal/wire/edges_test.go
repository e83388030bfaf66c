package wire

import (
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// Try opens each input and output for real, and its answer names the key.
func TestTry(t *testing.T) {
	b, err := devbroker.Start(3, []string{"in", "out"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/schemas/types" {
			_, _ = io.WriteString(w, `["AVRO"]`) // a registry of schemas
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer good.Close()
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no token", http.StatusUnauthorized) }))
	defer bad.Close()
	dir := t.TempDir()
	in, foreign := filepath.Join(dir, "in.csv"), filepath.Join(dir, "foreign.csv")
	for path, text := range map[string]string{in: "time,x\n2026-01-01T00:00:00Z,1\n2026-01-01T00:01:00Z,2\n", foreign: "a,b\n1,2\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const none = "output.discard={}"
	broker, file := "input.kafka.topics=in input.kafka.brokers="+b.Addr()+" ", "input.file.path="+in+" "
	for _, c := range []struct{ sets, found, fails string }{ // parts of the only line and of the only error
		{file + none, "", ""},
		{"input.file.path=" + dir + "/none.csv " + none, "", "input.file.path: "},
		{"input.simulated.rows=1 " + none, "", ""},
		{"input.stdin.format=csv " + none, "", ""},
		{file + "output.file.path=" + dir + "/new.csv", "", ""},
		{file + "output.file.path=" + dir + "/none/new.csv", "", "output.file.path: "},
		{file + "output.file.path=" + foreign, "", "output.file.path: "},
		{file + "output.file.path=" + foreign + " state.dir=" + dir, "", ""},
		{file + none + " output.dead_letters.path=" + dir + "/none/dead.jsonl", "", "output.dead_letters.path: "},
		{file + none + " output.dead_letters.path=" + dir + "/dead.jsonl", "", ""},
		{file + none + " state.dir=" + foreign, "", "state.dir: the job could make no directory in " + foreign + ": "},
		{file + none + " state.dir=" + foreign + "/state", "", "state.dir: the job could make no directory in "},
		{file + none + " state.dir=" + dir + "/new/state", "", ""},
		{file + "output.influxdb.bucket=b output.influxdb.token=t output.influxdb.url=" + good.URL, "output.influxdb: " + good.URL + " accepts writes to b", ""},
		{file + "output.influxdb.bucket=b output.influxdb.token=t output.influxdb.url=" + bad.URL, "", "output.influxdb: "},
		{file + "output.remote_write.url=" + good.URL + "/w", "output.remote_write: " + good.URL + "/w accepts samples", ""},
		{file + "output.remote_write.url=" + bad.URL + "/w", "", "output.remote_write: "},
		{broker + none, "input.kafka: topic in has 3 partitions", ""},
		{broker + none + " input.kafka.topics=other", "", "input.kafka: "},
		{"input.kafka.topics=in input.kafka.brokers=127.0.0.1:1 " + none, "", "input.kafka: "},
		{broker + none + " input.data_format=avro input.avro.registry=" + good.URL, "input.kafka: topic in has 3 partitions\ninput.avro.registry: " + good.URL + " answers", ""},
		{broker + none + " input.data_format=avro input.avro.registry=" + bad.URL, "input.kafka: topic in has 3 partitions", "input.avro.registry: "},
		{broker + none + " input.data_format=avro input.avro.schema_file=" + foreign, "input.kafka: topic in has 3 partitions", "input.avro.schema_file: " + foreign + " is no schema of Avro: "},
		{broker + "output.kafka.topic=out", "input.kafka: topic in has 3 partitions\noutput.kafka: topic out has 3 partitions", ""},
		{broker + none + " state.topic=state", "input.kafka: topic in has 3 partitions\nstate.topic: topic state does not exist; the job will create it with 3 partitions", ""},
		{broker + none + " state.topic=out", "input.kafka: topic in has 3 partitions", "state.topic: "},
		{broker + none + " output.dead_letters.topic=out", "input.kafka: topic in has 3 partitions\noutput.dead_letters: topic out has 3 partitions", ""},
	} {
		cfg, err := loaded(t, "", strings.Fields(c.sets)...)
		if err != nil {
			t.Errorf("%s: %v", c.sets, err)
			continue
		}
		found, errs := Try(t.Context(), cfg)
		if got := strings.Join(found, "\n"); got != c.found {
			t.Errorf("%s: found %q, want %q", c.sets, got, c.found)
		}
		if len(errs) != min(len(c.fails), 1) || len(errs) == 1 && !strings.HasPrefix(errs[0].Error(), c.fails) {
			t.Errorf("%s: errors %v, want %q", c.sets, errs, c.fails)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v are there, %v; want in.csv and foreign.csv", left, err)
	}
}

// A synthetic input keeps the pace of its speed: a test of an hour per sample would not end at another one.
func TestSimulatedPace(t *testing.T) {
	cfg, err := loaded(t, "", "input.simulated.rows=3", "input.simulated.interval=1h", "input.simulated.speed=3.6e6", "output.discard={}")
	if err != nil {
		t.Fatal(err)
	}
	in, err := OpenInput(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	n := 0
	eachMessage(t, in, 3, func(*stream.Message) { n++ })
	if n != 3 {
		t.Errorf("%d samples, want 3", n)
	}
}

// The outputs of a partition go on at the position of a checkpoint together. Outputs that were opened before one that fails
// are closed.
func TestOutputsTogether(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.jsonl")
	load := func(sets ...string) *config.Config {
		t.Helper()
		cfg, err := loaded(t, "", append([]string{"input.simulated.rows=1", "output.file.path=" + path}, sets...)...)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	open := func() (*Outputs, error) { return OpenOutputs(load(), logtest.Discard()) }
	write := func(o *Outputs, yhat float64) {
		t.Helper()
		f := stream.Forecast{Series: &stream.Series{Name: "s", Variables: []string{"x"}}, Model: "m", Time: 2e9, Origin: 1e9, Horizon: 1, Yhat: []float64{yhat}, Lower: []float64{0}, Upper: []float64{9}}
		if err := o.Sink.Write(t.Context(), &stream.Batch{Forecasts: []stream.Forecast{f}}); err != nil {
			t.Fatal(err)
		}
	}
	o, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(); !errors.Is(err, filesink.ErrInUse) {
		t.Errorf("a second writer of the file: %v", err)
	}
	write(o, 1)
	at := o.Sink.Positions()
	write(o, 2)
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if len(at) != 1 || at[0].Length == 0 {
		t.Fatalf("positions %+v of one file", at)
	}
	if o, err = open(); err != nil {
		t.Fatal(err)
	}
	if err := o.Sink.Resume(at); err != nil {
		t.Error(err)
	}
	write(o, 3)
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); strings.Count(got, "\n") != 2 || strings.Contains(got, ":2,") || int64(strings.Index(got, "\n")+1) != at[0].Length {
		t.Errorf("after the checkpoint with one of two forecasts, and a third one: %s", got)
	}
	at[0].Length = 1 << 20
	if o, err = open(); err != nil {
		t.Fatal(err)
	}
	if err := o.Sink.Resume(at); err == nil {
		t.Error("a file that is shorter than its checkpoint goes on")
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}

	fails := load("output.remote_write.url=http://h:1/w")
	config.Of[RemoteWriteOutput](fails.Output.Kinds).TLSCA = filepath.Join(dir, "none.pem")
	if _, err := OpenOutputs(fails, logtest.Discard()); err == nil {
		t.Error("certificates that are missing")
	}
	if o, err = open(); err != nil {
		t.Fatalf("the file stays open after another output has failed: %v", err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
}

// Outputs that work take the token of another configuration.
func TestOutputsTakeChanges(t *testing.T) {
	var tokens []string // of one request at a time
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	load := func(token string) *config.Config {
		t.Helper()
		cfg, err := loaded(t, "", "input.simulated.rows=1", "output.discard={}", "output.influxdb.url="+server.URL, "output.influxdb.bucket=b", "output.influxdb.token="+token)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	o, err := OpenOutputs(load("first"), logtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	write := func() {
		t.Helper()
		b := stream.Batch{Observations: []stream.Observation{{Series: &stream.Series{Name: "s", Variables: []string{"x"}}, Time: 1e9, Y: []float64{1}}}}
		if err := o.Sink.Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	write()
	o.Reload(load("second"))
	write()
	if want := []string{"Token first", "Token second"}; !slices.Equal(tokens, want) {
		t.Errorf("tokens %q, want %q", tokens, want)
	}
}

// CheckOutput refuses the input, another ending, a folder, a page or picture of another program, and nothing else.
func TestCheckOutput(t *testing.T) {
	dir := t.TempDir()
	input, link := filepath.Join(dir, "in.csv"), filepath.Join(dir, "link.csv")
	if err := errors.Join(os.WriteFile(input, nil, 0o600), os.Symlink(input, link)); err != nil {
		t.Fatal(err)
	}
	foreign, empty := filepath.Join(dir, "foreign.html"), filepath.Join(dir, "empty.html")
	if err := errors.Join(os.WriteFile(foreign, []byte("mine"), 0o600), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, input, want string
		endings           []string
	}{
		{"", "", "", nil},
		{"-", "", "", nil},
		{"-", "", `--out: "-" does not end with .png or .svg, the format that is written`, []string{".png", ".svg"}},
		{filepath.Join(dir, "a.PNG"), input, "", []string{".png", ".svg"}},
		{filepath.Join(dir, "a.gif"), input, "does not end with .png", []string{".png"}},
		{input, input, "is the input file; name another file", nil},
		{link, input, "is the input file; name another file", nil},
		{filepath.Join(dir, "new.csv"), filepath.Join(dir, "sub", "..", "new.csv"), "is the input file", nil},
		{filepath.Join(dir, "new.csv"), input, "", nil},
		{filepath.Join(dir, "new.csv"), "", "", nil},
		{dir, input, "--out: ", nil},
		{empty, input, "", []string{".html"}},
		{foreign, input, `foreign.html" exists and is no page or picture of forecaster, so it is not overwritten: name another file, or remove it first`, []string{".html"}},
	} {
		err := CheckOutput("--out", c.path, c.input, c.endings...)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s beside %s: %v, want %q", c.path, c.input, err, c.want)
		}
	}
}

// Each output that is named is opened: beside the topic of forecasts that of anomalies, and the letters with their reasons.
func TestEachOutputIsOpened(t *testing.T) {
	dir := t.TempDir()
	const kafka = "input.kafka.topics=in input.kafka.brokers=127.0.0.1:1 "
	for sets, want := range map[string]int{
		kafka + "output.discard={}":                                                     0,
		kafka + "output.kafka.topic=out":                                                1,
		kafka + "output.kafka.topic=out output.kafka.anomaly_topic=odd":                 2,
		kafka + "output.kafka.topic=out output.file.path=" + dir + "/f-{partition}.csv": 2,
		kafka + "output.influxdb.bucket=b output.influxdb.token=t output.influxdb.url=http://127.0.0.1:1 output.remote_write.url=http://127.0.0.1:1/w": 2,
		kafka + "output.discard={} output.dead_letters.topic=dead output.dead_letters.drop=late,future":                                                -1,
		kafka + "output.discard={} output.dead_letters.path=" + dir + "/dead.jsonl":                                                                    -1,
	} {
		cfg, err := loaded(t, "", strings.Fields(sets)...)
		if err != nil {
			t.Fatal(err)
		}
		o, err := OpenOutputs(cfg, logtest.Discard())
		if err != nil {
			t.Errorf("%s: %v", sets, err)
			continue
		}
		if len(o.Sink) != max(want, 0) || (o.Letters != nil) != (want < 0) || len(o.Drop) != 2*strings.Count(sets, ".drop=") {
			t.Errorf("%s: %d outputs, letters %T without %q", sets, len(o.Sink), o.Letters, o.Drop)
		}
		if err := o.Close(); err != nil {
			t.Errorf("%s: %v", sets, err)
		}
	}
}

// Rules are those of the variables of a series; one of a variable that it does not have changes nothing.
func TestRulesOfVariables(t *testing.T) {
	cfg, err := loaded(t, "", "input.simulated.rows=1", "output.discard={}", "model.anomaly.alarms=3 per day", "model.anomaly.normal_after=5", "model.anomaly.min_duration=2",
		"model.anomaly.rules=z 7,y above 2,x below 10%")
	if err != nil {
		t.Fatal(err)
	}
	got := anomaliesOf(cfg.Model, []string{"x", "y"})
	want := anomaly.Config{
		Dim: 2, FalseAlarms: cfg.Model.Anomaly.FalseAlarms, AlarmsPerDay: 3, NormalAfter: 5, MinDuration: 2,
		Rules: []anomaly.Rule{{MinRelative: .1, Direction: -1}, {MinDeviation: 2, Direction: 1}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Limits are those of the variables of a series, in their order, without limits for others.
func TestLimitsOfVariables(t *testing.T) {
	cfg, err := loaded(t, "", "input.simulated.rows=1", "output.discard={}", "model.limits=y >= 1 <= 5")
	if err != nil {
		t.Fatal(err)
	}
	want := []scoring.Limit{{Low: math.Inf(-1), High: math.Inf(1)}, {Low: 1, High: 5}}
	if got := Limits(cfg)([]string{"x", "y"}); !slices.Equal(got, want) {
		t.Error(got)
	}
	if got := Limits(&config.Config{})([]string{"x"}); got != nil {
		t.Errorf("without limits %v", got)
	}
}

// Horizons are written as they are named, or all; times of columns have the unit of the columns, or that of the input.
func TestEmittedAndUnits(t *testing.T) {
	for _, c := range []struct {
		sets string
		want []int
		unit timestamp.Unit
	}{
		{"model.horizon=3", []int{1, 2, 3}, timeUnit("", "auto")},
		{"model.horizon=3 pipeline.emit=2 input.csv.time_unit=ms", []int{2}, timeUnit("", "ms")},
		{"model.horizon=1 input.time_format=02/01/2006", []int{1}, "02/01/2006"},
		{"model.horizon=5 pipeline.emit=1,4 input.csv.time_unit=year", []int{1, 4}, timeUnit("", "year")},
	} {
		cfg, err := loaded(t, "", append([]string{"input.file.path=in.csv", "output.discard={}"}, strings.Fields(c.sets)...)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := Emitted(cfg); !slices.Equal(got, c.want) {
			t.Errorf("%s: horizons %v, want %v", c.sets, got, c.want)
		}
		if got := TimeUnit(cfg); got != c.unit {
			t.Errorf("%s: unit %v, want %v", c.sets, got, c.unit)
		}
	}
}

// Models, pages and batches take their shares of the memory that the process may have.
func TestSharesOfMemory(t *testing.T) {
	const limit = 16 << 30
	was := debug.SetMemoryLimit(limit)
	defer debug.SetMemoryLimit(was)
	cfg, own := config.Default(), config.Default()
	own.Model.Memory = 5
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"models", ModelMemory(cfg), limit * 3 / 4}, {"models, as configured", ModelMemory(own), 5}, {"histories of the page", PageMemory(), limit / 16},
		{"batch without a limit", int64(BatchBytes(0)), 32 << 20}, {"smallest batch", int64(BatchBytes(64)), 8 << 20},
		{"batch", int64(BatchBytes(1 << 30)), 16 << 20}, {"largest batch", int64(BatchBytes(limit)), 32 << 20},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.what, c.got, c.want)
		}
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if a, b := ModelMemory(cfg), PageMemory(); a != 0 || b != 0 {
		t.Errorf("without a limit: %d and %d bytes", a, b)
	}
}

// Equal rows are one, unless an interval takes the mean or the sum of its rows.
func TestEqualRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(path, []byte("time,x\n2026-01-01T00:00:00Z,1\n2026-01-01T00:00:00Z,1\n2026-01-01T00:01:00Z,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for sets, want := range map[string]int{"": 2, "pipeline.interval=1m pipeline.wait_for_late=true pipeline.aggregate=mean": 3} {
		cfg, err := loaded(t, "", append([]string{"input.file.path=" + path, "input.file.sort=true", "output.discard={}"}, strings.Fields(sets)...)...)
		if err != nil {
			t.Fatal(err)
		}
		src, err := OpenFile(cfg)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		eachMessage(t, src, 8, func(*stream.Message) { n++ })
		if n != want {
			t.Errorf("%q: %d rows, want %d", sets, n, want)
		}
		src.Close()
	}
}

// A file of Parquet has the value that was observed beside each forecast of it.
func TestParquetHasTargets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.parquet")
	cfg, err := loaded(t, "", "input.file.path=in.csv", "output.file.path="+path)
	if err != nil {
		t.Fatal(err)
	}
	o, err := OpenOutputs(cfg, logtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	s := &stream.Series{Name: "s", Variables: []string{"x"}}
	for _, b := range []stream.Batch{
		{Forecasts: []stream.Forecast{{Series: s, Model: "m", Time: 2e9, Origin: 1e9, Horizon: 1, Yhat: []float64{6}, Lower: []float64{5}, Upper: []float64{9}}}, Observations: []stream.Observation{{Series: s, Time: 1e9, Y: []float64{1}}}},
		{Observations: []stream.Observation{{Series: s, Time: 2e9, Y: []float64{7}}}},
	} {
		if err := o.Sink.Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Yhat float64  `parquet:"yhat"`
		Y    *float64 `parquet:"y"`
	}
	rows, err := parquet.ReadFile[row](path)
	if err != nil || len(rows) != 1 || rows[0].Yhat != 6 || rows[0].Y == nil || *rows[0].Y != 7 {
		t.Errorf("%+v, %v", rows, err)
	}
}

// An input that cannot be opened is an error.
func TestInputsThatAreNotThere(t *testing.T) {
	for _, sets := range []string{"input.file.path=none.csv", "input.file.path=none.parquet", "input.file.path=none.jsonl"} {
		cfg, err := loaded(t, "", sets, "output.discard={}")
		if err != nil {
			t.Fatal(err)
		}
		if in, err := OpenInput(cfg); err == nil {
			t.Errorf("%s: %+v", sets, in)
		}
	}
}

func TestInfoText(t *testing.T) {
	i := Info{Version: "v1", Go: "go1.26", Platform: "linux/amd64"}
	if got := i.String(); got != "v1 (go1.26, linux/amd64)" {
		t.Error(got)
	}
	if i.Level = "v3"; i.String() != "v1 (go1.26, linux/amd64 v3)" {
		t.Error(i)
	}
}
