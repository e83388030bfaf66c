package job

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
)

// scrape returns the samples of /metrics, by name and labels.
func scrape(t *testing.T, l *Live) map[string]float64 {
	t.Helper()
	r := httptest.NewRequest("GET", "http://localhost/metrics", nil)
	w := httptest.NewRecorder()
	l.handler().ServeHTTP(w, r)
	all := make(map[string]float64)
	for line := range strings.Lines(w.Body.String()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(name, "forecaster_") {
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			all[name] = v
		}
	}
	return all
}

// goodAndBad is a source of a sample and a message that is none.
type goodAndBad struct{ stream.Source }

func (goodAndBad) Read(_ context.Context, dst []stream.Message) (int, error) {
	dst[0] = stream.Message{Key: []byte("s"), Value: []byte(`{"time":1767225600,"values":{"x":1}}`)}
	dst[1] = stream.Message{Value: []byte("{"), Offset: 1}
	return 2, io.EOF
}

// idle is a partition that has read nothing, with the outputs of a configuration.
func idle(t *testing.T, l *Live, watch *seriesWatch) *partition {
	t.Helper()
	decoder, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(wire.EngineConfig(l.Cfg, stream.AllSeries))
	if err != nil {
		t.Fatal(err)
	}
	out, err := wire.OpenOutputs(l.Cfg, l.log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	rc := runConfig(l.Cfg)
	rc.Source, rc.Decoder, rc.Engine, rc.Sink = goodAndBad{}, decoder, e, stream.Discard{}
	runner, err := run.NewRunner(rc)
	if err != nil {
		t.Fatal(err)
	}
	return &partition{runner: runner, out: out, damaged: func() int64 { return 3 }, watch: watch}
}

func served(t *testing.T, sets ...string) *Live {
	t.Helper()
	cfg, err := loadConfig(t, append([]string{
		"input.simulated.rows=1", "output.discard={}", "model.type=persistence", "server.enabled=true", "server.listen=127.0.0.1:0",
	}, sets...)...)
	if err != nil {
		t.Fatal(err)
	}
	return NewLive(cfg, logtest.Discard(), "")
}

// Every metric has the value that follows from the counts of the partitions: sums, the longest, the slowest.
func TestEveryMetricHasItsValue(t *testing.T) {
	l := served(t, "state.dir="+filepath.Join(t.TempDir(), "state"))
	now := time.Now()
	of := func(n int64) counters {
		var s run.Stats
		s.Records, s.Deleted, s.Forecasts, s.Observations, s.Metrics, s.Events = 100*n, 2*n, 3*n, 4*n, 5*n, 6*n
		s.Drifts, s.Seasons, s.Anomalies, s.Series = 7*n, 8*n, 9*n, 10*n
		s.Checkpoints, s.CheckpointWritten, s.CheckpointBytes = 11*n, 12*n, 13*n
		s.DeadLetters = map[refuse.Reason]int64{refuse.Late: 14 * n, refuse.Malformed: 15 * n, refuse.Rejected: 16 * n}
		s.Watermark, s.UnsavedSince, s.Hanging.For = now.Add(-time.Duration(n)*time.Hour).UnixNano(), now.Add(-time.Duration(n)*time.Minute), time.Duration(n)*time.Second
		for i := range s.Stages {
			s.Stages[i] = run.StageStats{Count: int64(i+1) * n, Elapsed: time.Duration(i+2) * time.Duration(n) * time.Second}
		}
		return counters{Stats: s, Damaged: 17 * n, SinkRetries: map[string]int64{"503": 18 * n}}
	}
	l.past["in-0"], l.past["in-1"] = of(1), of(10)
	l.past["in-2"] = counters{Stats: run.Stats{DeadLetters: map[refuse.Reason]int64{}}} // nothing was read
	l.reloads.taken.Store(19)
	l.reloads.refused.Store(20)
	quiet := newSeriesWatch()
	quiet.series["silent"] = &watchedSeries{arrived: now.Add(-time.Hour), spacing: 1e9, expected: 2, timeToLimit: 40}
	quiet.series["fresh"] = &watchedSeries{arrived: now.Add(time.Hour), spacing: 1e9, expected: 1, timeToLimit: 30}
	other := newSeriesWatch()
	other.series["silent"] = &watchedSeries{arrived: now.Add(-time.Hour), spacing: 1e9, timeToLimit: math.NaN()}
	l.working["in-3"], l.working["in-4"] = idle(t, l, quiet), idle(t, l, other)

	want := map[string]float64{
		`records_total{result="learnt"}`: 1100 - 11*29, `records_total{result="refused"}`: 11 * 29, `records_total{result="deleted"}`: 22,
		`points_written_total{kind="forecast"}`: 33, `points_written_total{kind="observation"}`: 44, `points_written_total{kind="metric"}`: 55, `points_written_total{kind="event"}`: 66,
		`drifts_total`: 77, `season_changes_total`: 88, `anomalies_total`: 99, `series`: 110,
		`checkpoints_total`: 121, `checkpoint_written_bytes_total`: 132, `checkpoint_bytes`: 143,
		`dead_letters_total{reason="late"}`: 154, `dead_letters_total{reason="malformed"}`: 165, `dead_letters_total{reason="rejected"}`: 176, `dead_letters_total{reason="memory"}`: 0,
		`damaged_checkpoints_total`: 187 + 2*3, `sink_retries_total{reason="503"}`: 198, `stalled_seconds`: 10,
		`config_reloads_total{result="taken"}`: 19, `config_reloads_total{result="refused"}`: 20,
		`silent_series`: 2, `limits_expected`: 3, `time_to_limit_seconds`: 30,
		`stage_duration_seconds_count{stage="read"}`: 11, `stage_duration_seconds_sum{stage="read"}`: 22,
		`stage_duration_seconds_count{stage="checkpoint"}`: 77, `stage_duration_seconds_sum{stage="checkpoint"}`: 88,
	}
	got := scrape(t, l)
	for name, v := range want {
		if g, ok := got["forecaster_"+name]; !ok || g != v {
			t.Errorf("%s is %v (there: %v), want %v", name, g, ok, v)
		}
	}
	// Ages go on while the test runs, for a minute at most.
	for name, age := range map[string]time.Duration{"checkpoint_age_seconds": 10 * time.Minute, "watermark_lag_seconds": 10 * time.Hour} {
		if g := got["forecaster_"+name]; g < age.Seconds() || g > age.Seconds()+60 {
			t.Errorf("%s is %v, want %v", name, g, age.Seconds())
		}
		want[name] = 0
	}
	elsewhere := map[string]string{
		"build_info": "cmd/forecaster, TestVersion", "scv_mse": "TestScoresAreMeans", "skill": "TestScoresAreMeans",
		"consumer_lag": "TestPartitionsGoAndComeBack", "lost_records_total": "TestPartitionsGoAndComeBack", "kafka_retries_total": "TestPartitionsGoAndComeBack",
	}
next:
	for _, m := range Metrics {
		name := strings.TrimPrefix(m.Name, "forecaster_")
		for w := range want {
			if w == name || strings.HasPrefix(w, name+"{") || strings.HasPrefix(w, name+"_count{") {
				continue next
			}
		}
		if elsewhere[name] == "" {
			t.Errorf("no value is expected of %s", name)
		}
	}
}

// A partition that has ended has no lag, no age of a checkpoint and no problem: lag and age would grow permanently,
// and the problem would prevent the job from being ready.
func TestEndedPartitionHasNoPresent(t *testing.T) {
	l := served(t, "state.dir="+filepath.Join(t.TempDir(), "state"))
	l.past["in-0"] = counters{Stats: run.Stats{DeadLetters: map[refuse.Reason]int64{}, Records: 7}}
	p := idle(t, l, newSeriesWatch())
	p.decoder = stuck{}
	l.started("in-0", p)
	if got := l.notReady(); got != "no schema" {
		t.Errorf("while it works: %q", got)
	}
	err := p.runner.Run(t.Context())
	if s := l.Stats()["in-0"]; err != nil || s.Records != 9 || s.Watermark == 0 || s.UnsavedSince.IsZero() {
		t.Fatalf("%+v, error %v", s, err)
	}
	l.ended("in-0")
	s := l.Stats()["in-0"]
	if s.Records != 9 || s.Series != 1 || s.Refused != 0 || s.Problem != "" || s.Watermark != 0 || !s.UnsavedSince.IsZero() {
		t.Errorf("afterwards %+v", s)
	}
	if got := l.notReady(); got != "no data: the input has finished" {
		t.Errorf("afterwards: %q", got)
	}

	// Another member of a group has the models, too.
	l.started("in-0", p)
	l.setGroups([]*kafka.Group{})
	l.ended("in-0")
	if s := l.Stats()["in-0"]; s.Records != 11 || s.Series != 0 || s.CheckpointBytes != 0 {
		t.Errorf("of a group %+v", s)
	}
}

// stuck is a decoder that waits for its schema.
type stuck struct{ refusing }

func (stuck) Problem() string { return "no schema" }

// A job is not ready for each of the reasons that a partition can have, alone.
func TestReasonsNotToBeReady(t *testing.T) {
	for _, c := range []struct {
		counters
		want string
	}{
		{counters{}, ""},
		{counters{Problem: "HTTP 401"}, "HTTP 401"},
		{counters{Stats: run.Stats{Refused: allRefused - 1, LastRefusal: "late"}}, ""},
		{counters{Stats: run.Stats{Refused: allRefused, LastRefusal: "late"}}, "the last 10 records were all refused as late"},
		{counters{Stats: run.Stats{Hanging: run.StalledError{Stage: run.StageWrite, For: stalled - 1}}}, ""},
		{counters{Stats: run.Stats{Hanging: run.StalledError{Stage: run.StageWrite, For: stalled}}}, `stage "write" of a partition has had no heartbeat for 30s`},
	} {
		l := served(t)
		l.past["in-1"] = c.counters
		l.working["in-0"] = idle(t, l, newSeriesWatch())
		if got := l.notReady(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.counters, got, c.want)
		}
		if got := l.status(); got.State != c.want || got.Lag != -1 {
			t.Errorf("the page gets %+v, want %q and no lag", got, c.want)
		}
	}
}

// A work that hangs is ended without its edges, which hang in it; any other end closes them, and reports both errors.
func TestClosing(t *testing.T) {
	work, edge := errors.New("work"), errors.New("edge")
	for _, c := range []struct {
		err    error
		closed bool
		want   []error
	}{
		{nil, true, []error{edge}}, {work, true, []error{work, edge}}, {&run.StalledError{}, false, nil},
	} {
		closed := false
		got := closing(c.err, func() error { closed = true; return edge })
		if closed != c.closed {
			t.Errorf("%v: closed %v", c.err, closed)
		}
		for _, want := range c.want {
			if !errors.Is(got, want) {
				t.Errorf("%v: error %v lacks %v", c.err, got, want)
			}
		}
	}
}
