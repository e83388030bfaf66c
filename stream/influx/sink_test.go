package influx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/delivery"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/refuse"
)

// long is the layout of newSink; see TestLongLayout.
var long bool

// TestLongLayout: rules for points of all variables also hold for points of one variable.
func TestLongLayout(t *testing.T) {
	long = true
	defer func() { long = false }()
	t.Run("40", TestFault40_ServerAway)
	t.Run("43", TestFault43_CulpritsBecomeDeadLetters)
	t.Run("44", TestFault44_TooLarge)
	t.Run("45", TestFault45_RetryAfter)
	t.Run("46", TestFault46_TransientFailures)
	t.Run("47", TestFault47_BeyondRetention)
	t.Run("48", TestFault48_DeniedUntilRepaired)
	t.Run("49", TestFault49_SilentAndEndlessServers)
}

func newSink(t testing.TB, url string, change func(*Config)) *Sink {
	t.Helper()
	c := Config{
		URL: url, Token: secret.New(canary), Org: "o", Bucket: "b", Encoder: lineproto.Encoder{Long: long},
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	if change != nil {
		change(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	s.SetPauses(delivery.Pauses{First: time.Millisecond, Last: 10 * time.Millisecond})
	t.Cleanup(func() { s.Close() })
	return s
}

const canary = "canary-51d0"

// points is a batch with n forecasts of one variable, numbered by their value.
func points(n int) *stream.Batch {
	s := &stream.Series{Name: "s", Variables: []string{"yhat"}} // as a field is called in the long layout
	b := &stream.Batch{}
	for i := range n {
		b.Forecasts = append(b.Forecasts, stream.Forecast{Series: s, Model: "m", Horizon: 1, Time: int64(i+1) * 1e9, Yhat: []float64{float64(i)}})
	}
	return b
}

func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// patience is how long a test waits for what must come, however busy the machine is.
const patience = 3 * time.Minute

// eventually waits for a condition.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// writeUntil writes to a server that does not accept it, until a condition holds, and
// returns the error of the write.
func writeUntil(t testing.TB, sink *Sink, b *stream.Batch, what string, ok func() bool) error {
	t.Helper()
	ctx, stop := context.WithCancelCause(context.Background())
	done := make(chan error, 1)
	go func() { done <- sink.Write(ctx, b) }()
	eventually(t, what, func() bool { return ok() || len(done) > 0 })
	stop(errStop)
	return <-done
}

func TestBatchesAreCut(t *testing.T) {
	s := newServer(t)
	sink := newSink(t, s.URL, func(c *Config) { c.BatchSize = 10 })
	if err := sink.Write(deadline(t), points(25)); err != nil {
		t.Fatal(err)
	}
	if s.requests != 3 || s.distinct() != 25 || sink.Stats().Written != 25 {
		t.Errorf("%d requests, %d lines, %+v", s.requests, s.distinct(), sink.Stats())
	}
	if s.auth != "Token "+canary {
		t.Errorf("authorization %q", s.auth)
	}
}

func TestFault46_TransientFailures(t *testing.T) {
	script := []answer{
		{then: "cut"}, {then: "apply"},
		{status: 408}, {status: 500}, {status: 502, header: "Content-Type: text/html", body: "<html>"}, {status: 503}, {status: 504},
		{status: 503, body: `{"code":"unavailable","message":"partial write: hinted handoff queue not empty"}`, header: "Content-Type: application/json"},
		{status: 500, body: `{"code":`, header: "Content-Type: application/json"},
		{status: 429, header: "Retry-After: 0"}, {status: 429, header: "Retry-After: -5"}, {status: 429, header: "Retry-After: soon"},
		{status: 429, header: "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"}, {status: 599},
	}
	s := newServer(t, script...)
	sink := newSink(t, s.URL, nil)
	if err := sink.Write(deadline(t), points(5)); err != nil {
		t.Fatal(err)
	}
	if s.requests != len(script)+1 || s.distinct() != 5 {
		t.Errorf("%d requests, %d lines", s.requests, s.distinct())
	}
	st := sink.Stats()
	if st.Retries["429"] != 4 || st.Retries["network"] != 2 || st.Retries["500"] != 2 || st.Rejected != 0 || st.Problem != "" {
		t.Errorf("%+v", st)
	}
}

func TestFault49_SilentAndEndlessServers(t *testing.T) {
	s := newServer(t, answer{then: "hang"}, answer{status: 500, then: "endless"})
	sink := newSink(t, s.URL, func(c *Config) { c.Timeout = 300 * time.Millisecond })
	if err := sink.Write(deadline(t), points(1)); err != nil {
		t.Fatal(err)
	}
	lines := s.distinct()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests < 3 || lines != 1 { // more when a busy machine is late with a good answer
		t.Errorf("%d requests, %d lines", s.requests, lines)
	}
	// The sink reads no more than the buffers of a connection hold: without a limit it would read until the timeout.
	if s.sent > 32<<20 {
		t.Errorf("%d bytes of the endless answer were taken", s.sent)
	}
}

func TestFault40_ServerAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	sink := newSink(t, url, nil)
	if err := sink.Ping(deadline(t)); err == nil {
		t.Error("the ping of nobody succeeds")
	}
	err = writeUntil(t, sink, points(1), "two attempts", func() bool { return sink.Stats().Retries["network"] >= 2 })
	if !errors.Is(err, errStop) {
		t.Errorf("error %v, want the cause of the context", err)
	}
	if st := sink.Stats(); !strings.Contains(st.Problem, "refused") {
		t.Errorf("%+v", st)
	}
}

var errStop = errors.New("stop")

func TestFault45_RetryAfter(t *testing.T) {
	s := newServer(t, answer{status: 429, header: "Retry-After: 1"})
	sink := newSink(t, s.URL, nil)
	begin := time.Now()
	if err := sink.Write(deadline(t), points(1)); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d < time.Second {
		t.Errorf("written again after %v", d)
	}
}

func TestFault43_CulpritsBecomeDeadLetters(t *testing.T) {
	bad := func(line string) bool {
		return strings.Contains(line, " yhat=3 ") || strings.Contains(line, " yhat=64 ") || strings.Contains(line, " yhat=99 ")
	}
	for _, c := range []struct {
		status int
		body   string
	}{
		{400, `{"code":"invalid","message":"unable to parse"}`},
		{422, `{"code":"unprocessable entity","message":"failure writing points to database: partial write: field type conflict dropped=1"}`},
		{400, `{"error":"partial write: points beyond retention policy dropped=1"}`},
		{500, `{"code":"internal error","message":"partial write: points beyond retention policy dropped=1"}`},
		{422, `not JSON`},
	} {
		s := newServer(t)
		s.refuse = refusing(c.status, c.body, bad)
		var kept letters
		sink := newSink(t, s.URL, func(c *Config) { c.DeadLetters = &kept })
		if err := sink.Write(deadline(t), points(100)); err != nil {
			t.Fatalf("%d: %v", c.status, err)
		}
		if s.distinct() != 97 || len(kept.kept) != 3 || sink.Stats().Rejected != 3 {
			t.Errorf("%d: %d lines accepted, %d dead letters, %+v", c.status, s.distinct(), len(kept.kept), sink.Stats())
			continue
		}
		l, want := kept.kept[0], "forecast,horizon=1,id=s,model=m yhat=3 4000000000"
		if long {
			want = "forecast,horizon=1,id=s,model=m,target=yhat yhat=3 4000000000"
		}
		if l.Reason != refuse.Rejected || !strings.HasPrefix(l.Detail, fmt.Sprint(c.status)) || string(l.Message.Value) != want {
			t.Errorf("dead letter %+v: %s", l, l.Message.Value)
		}
		if s.requests > 50 { // 3 culprits, depth log2(100)
			t.Errorf("%d requests", s.requests)
		}
	}
}

func TestFault47_BeyondRetention(t *testing.T) {
	s := newServer(t)
	s.refuse = func(lines []string) *answer {
		return &answer{status: 422, header: "Content-Type: application/json",
			body: fmt.Sprintf(`{"code":"invalid","message":"partial write: points beyond retention policy dropped=%d"}`, len(lines))}
	}
	var kept letters
	sink := newSink(t, s.URL, func(c *Config) { c.DeadLetters = &kept })
	if err := sink.Write(deadline(t), points(100)); err != nil {
		t.Fatal(err)
	}
	if s.requests != 1 || len(kept.kept) != 100 {
		t.Errorf("%d requests, %d dead letters", s.requests, len(kept.kept))
	}
}

func TestFault50_DeadLettersFail(t *testing.T) {
	s := newServer(t)
	s.refuse = refusing(400, `{"message":"unable to parse 'x'"}`, func(string) bool { return true })
	kept := letters{err: errStop}
	sink := newSink(t, s.URL, func(c *Config) { c.DeadLetters = &kept })
	if err := sink.Write(deadline(t), points(1)); !errors.Is(err, errStop) {
		t.Errorf("error %v", err)
	}
}

func TestFault44_TooLarge(t *testing.T) {
	s := newServer(t)
	s.refuse = func(lines []string) *answer {
		if len(lines) > 3 {
			return &answer{status: 413}
		}
		return nil
	}
	sink := newSink(t, s.URL, nil)
	if err := sink.Write(deadline(t), points(50)); err != nil {
		t.Fatal(err)
	}
	if s.distinct() != 50 || sink.Stats().Rejected != 0 {
		t.Errorf("%d lines, %+v", s.distinct(), sink.Stats())
	}
	s.refuse = func([]string) *answer { return &answer{status: 413} } // even one point
	if err := sink.Write(deadline(t), points(2)); err != nil || sink.Stats().Rejected != 2 {
		t.Errorf("error %v, %+v", err, sink.Stats())
	}
}

func TestFault48_DeniedUntilRepaired(t *testing.T) {
	for _, status := range []int{401, 403, 404, 405, 301} {
		var log bytes.Buffer
		s := newServer(t, answer{status: status, body: "no"}, answer{status: status, body: "no"}, answer{status: 400, header: "Content-Type: text/html", body: "<html>400 plain HTTP request was sent to HTTPS port"})
		sink := newSink(t, s.URL, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		if err := sink.Write(deadline(t), points(10)); err != nil {
			t.Fatal(err)
		}
		if s.requests != 4 || s.distinct() != 10 || sink.Stats().Rejected != 0 {
			t.Errorf("%d: %d requests, %d lines, %+v", status, s.requests, s.distinct(), sink.Stats())
		}
		if got := log.String(); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, fmt.Sprint(status)) || strings.Contains(got, canary) {
			t.Errorf("%d: log %s", status, got)
		}
	}
}

func TestTokenIsNeverPrinted(t *testing.T) {
	s := newServer(t)
	sink := newSink(t, s.URL, nil)
	if got := fmt.Sprintf("%v %+v %#v %+v", sink.config, sink.config, sink.config, sink.Stats()); strings.Contains(got, canary) {
		t.Error("the token was printed")
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{URL: "localhost:8086", Bucket: "b"}, "URL"},
		{Config{URL: "http://u:p@localhost:8086", Bucket: "b"}, "belong in Token"},
		{Config{URL: "http://localhost:8086?u=x&p=y", Bucket: "b"}, "query string"},
		{Config{URL: "http://localhost:8086"}, "Bucket"},
		{Config{URL: "http://localhost:8086", Bucket: "b", BatchSize: -1}, "BatchSize"},
	} {
		if _, err := New(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %s", err, c.want)
		}
	}
}

// BenchmarkWrite measures points a second into a real InfluxDB: through Sink, and
// as raw HTTP requests with lines that are ready.
func BenchmarkWrite(b *testing.B) {
	db := testserver.StartInfluxDB(b)
	const n = 5000
	s := &stream.Series{Name: "host1", Variables: []string{"cpu", "mem", "disk", "net", "load"}}
	batch := &stream.Batch{}
	for i := range n / 5 {
		f := stream.Forecast{Series: s, Model: "orffvar", Horizon: 1, Time: int64(i) * 1e9, Yhat: make([]float64, 5), Lower: make([]float64, 5), Upper: make([]float64, 5)}
		for j := range 5 {
			f.Yhat[j], f.Lower[j], f.Upper[j] = math.Sqrt(float64(i+j)), math.Sqrt(float64(i)), math.Sqrt(float64(i+9))
		}
		batch.Forecasts = append(batch.Forecasts, f)
	}
	later := func() {
		for i := range batch.Forecasts {
			batch.Forecasts[i].Time += n * 1e9
		}
	}
	rate := func(b *testing.B) { b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "points/s") }
	b.Run("sink", func(b *testing.B) {
		bucket := db.CreateDatabase("sink")
		sink := newSink(b, db.URL, func(c *Config) { c.Bucket, c.Encoder.Levels = bucket, []float64{.9} })
		for b.Loop() {
			later()
			if err := sink.Write(context.Background(), batch); err != nil {
				b.Fatal(err)
			}
		}
		rate(b)
	})
	b.Run("raw", func(b *testing.B) {
		bucket := db.CreateDatabase("raw")
		sink := newSink(b, db.URL, func(c *Config) { c.Encoder.Levels = []float64{.9} })
		url := db.URL + "/api/v2/write?org=o&precision=ns&bucket=" + bucket
		for b.Loop() {
			b.StopTimer()
			later()
			lines := sink.config.Encoder.AppendBatch(nil, batch)
			b.StartTimer()
			resp, err := http.Post(url, "text/plain", bytes.NewReader(lines))
			if err != nil {
				b.Fatal(err)
			}
			resp.Body.Close()
		}
		rate(b)
	})
}

// TestChangesOfASink: a new token, a new request timeout, and both together apply from the next request on.
// Settings that are not named stay.
func TestChangesOfASink(t *testing.T) {
	s := newServer(t)
	sink := newSink(t, s.URL, func(c *Config) { c.Timeout = time.Minute })
	for _, c := range []struct {
		change  Change
		auth    string
		timeout time.Duration
	}{
		{Change{Token: secret.New("second")}, "Token second", time.Minute},
		{Change{Token: secret.New("second"), Timeout: 2 * time.Minute}, "Token second", 2 * time.Minute},
		{Change{Token: secret.New("third"), Timeout: 3 * time.Minute}, "Token third", 3 * time.Minute},
		{Change{Token: secret.New("third"), BatchSize: 7}, "Token third", 3 * time.Minute},
	} {
		sink.Change(c.change)
		if err := sink.Write(deadline(t), points(1)); err != nil {
			t.Fatal(err)
		}
		if s.auth != c.auth || sink.config.Timeout != c.timeout {
			t.Errorf("after %+v: %s, %s", c.change, s.auth, sink.config.Timeout)
		}
	}
}
