package influx

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
)

// TestFault55_OnlyNoContentIsAcceptance: a redirect is not followed and a page is no
// acceptance. The write blocks and says why.
func TestFault55_OnlyNoContentIsAcceptance(t *testing.T) {
	var visited atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visited.Add(1)
		fmt.Fprint(w, "<html>please log in")
	}))
	defer elsewhere.Close()
	for _, c := range []struct {
		status int
		want   string
	}{
		{200, "200 OK"}, {201, "201 Created"}, {202, "202 Accepted"}, {206, "206 Partial"}, {300, "300 Multiple"}, {304, "304 Not"},
		{301, elsewhere.URL + "/login"}, {302, elsewhere.URL + "/login"}, {303, elsewhere.URL + "/login"},
		{307, elsewhere.URL + "/login"}, {308, elsewhere.URL + "/login"},
	} {
		s := newServer(t)
		s.refuse = func([]string) *answer {
			return &answer{status: c.status, header: "Location: " + elsewhere.URL + "/login?session=" + canary, body: ""}
		}
		var log logtest.Buffer
		sink := newSink(t, s.URL, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		err := writeUntil(t, sink, points(10), "two attempts", func() bool { return sink.Stats().Retries[fmt.Sprint(c.status)] >= 2 })
		if !errors.Is(err, errStop) {
			t.Errorf("%d: Write returned %v before the server accepted anything", c.status, err)
		}
		st := sink.Stats()
		if st.Written != 0 || st.Rejected != 0 || !strings.Contains(st.Problem, c.want) {
			t.Errorf("%d: %+v, want a problem with %q", c.status, st, c.want)
		}
		if err := sink.Check(deadline(t)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: Check returned %v, want an error with %q", c.status, err, c.want)
		}
		if text := log.String(); !strings.Contains(text, "level=ERROR") || strings.Contains(text+st.Problem, canary) {
			t.Errorf("%d: log %s", c.status, text)
		}
	}
	if n := visited.Load(); n != 0 {
		t.Errorf("%d requests went to the redirect's target", n)
	}
}

// TestFault55_RealInfluxDBBehindARedirect: the points arrive once the redirect is gone,
// all of them.
func TestFault55_RealInfluxDBBehindARedirect(t *testing.T) {
	t.Parallel()
	db := testserver.StartInfluxDB(t)
	bucket := db.CreateDatabase("redirected")
	var redirect atomic.Bool
	redirect.Store(true)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target := db.URL + r.URL.RequestURI()
		if redirect.Load() {
			http.Redirect(w, r, target, http.StatusFound)
			return
		}
		resp, err := http.Post(target, "text/plain", r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
	}))
	defer front.Close()
	sink := newSink(t, front.URL, func(c *Config) { c.Bucket = bucket })
	done := make(chan error, 1)
	go func() { done <- sink.Write(deadline(t), points(10)) }()
	eventually(t, "an attempt", func() bool { return sink.Stats().Retries["302"] > 0 || len(done) > 0 })
	redirect.Store(false)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	rows := db.Query(`from(bucket: "redirected") |> range(start: 1970-01-01T00:00:00Z)`)
	if len(rows) != 10 || sink.Stats().Written != 10 {
		t.Errorf("InfluxDB has %d points, %+v", len(rows), sink.Stats())
	}
}

// TestFault58_BlanketRefusal: a server that refuses everything alike is waited for, and
// no point becomes a dead letter.
func TestFault58_BlanketRefusal(t *testing.T) {
	for _, body := range []string{
		"", "Client sent an HTTP request to an HTTPS server.", `{"code":"invalid","message":"quota exceeded"}`, `{"error":"write rejected"}`,
	} {
		for _, status := range []int{400, 422} {
			for _, n := range []int{1, 2, 100} {
				var blocked atomic.Bool
				blocked.Store(true)
				s := newServer(t)
				s.refuse = func([]string) *answer {
					if blocked.Load() {
						return &answer{status: status, header: "Content-Type: application/json", body: body}
					}
					return nil
				}
				var kept letters
				sink := newSink(t, s.URL, func(c *Config) { c.DeadLetters = &kept })
				done := make(chan error, 1)
				go func() { done <- sink.Write(deadline(t), points(n)) }()
				eventually(t, "two attempts", func() bool { return sink.Stats().Retries[fmt.Sprint(status)] >= 2 || len(done) > 0 })
				blocked.Store(false)
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				if st := sink.Stats(); s.distinct() != n || len(kept.kept) != 0 || st.Rejected != 0 || st.Written != int64(n) {
					t.Errorf("%d %s: %d of %d lines accepted, %d dead letters, %+v", status, body, s.distinct(), n, len(kept.kept), st)
				}
			}
		}
	}
}

// TestFault58_CulpritsWithoutNames: of points that are refused without being named, those
// are at fault beside which others are accepted, at that time.
func TestFault58_CulpritsWithoutNames(t *testing.T) {
	s := newServer(t)
	accepted := 0
	blanket := 0
	s.refuse = func(lines []string) *answer {
		no := &answer{status: 400, body: "no"}
		if blanket > 0 && accepted > 20 {
			blanket--
			return no
		}
		for _, l := range lines {
			if strings.Contains(l, " yhat=77 ") || strings.Contains(l, " yhat=0 ") {
				return no
			}
		}
		accepted += len(lines)
		return nil
	}
	blanket = 50 // in the middle of the search for the culprits
	var kept letters
	sink := newSink(t, s.URL, func(c *Config) { c.DeadLetters = &kept })
	if err := sink.Write(deadline(t), points(100)); err != nil {
		t.Fatal(err)
	}
	if s.distinct() != 98 || len(kept.kept) != 2 || blanket != 0 {
		t.Errorf("%d lines accepted, %d dead letters, %d refusals left", s.distinct(), len(kept.kept), blanket)
	}
}

// TestFault58_PlainHTTPToATLSPort: Go's server answers with 400 and a sentence.
func TestFault58_PlainHTTPToATLSPort(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.TLS = &tls.Config{}
	secure.StartTLS()
	defer secure.Close()
	var kept letters
	sink := newSink(t, "http://"+secure.Listener.Addr().String(), func(c *Config) { c.DeadLetters = &kept })
	// The server hangs up after its answer. When that overtakes the answer, the failure is one of the network.
	err := writeUntil(t, sink, points(2), "a refusal", func() bool { return sink.Stats().Retries["400"] > 0 })
	if st := sink.Stats(); !errors.Is(err, errStop) || len(kept.kept) != 0 || st.Rejected != 0 || st.Problem == "" {
		t.Errorf("error %v, %d dead letters, %+v", err, len(kept.kept), st)
	}
}

// timeout18 is the answer of InfluxDB 1.8 when a write took longer than its coordinator.write-timeout.
var timeout18 = answer{status: 500, header: "X-Influxdb-Error: timeout", body: `{"error":"timeout"}`}

// TestFault75_ServersOwnTimeout: requests for which InfluxDB 1.8 gives up are sent in halves. The
// server is an imitation: the real one has to be slow by itself.
func TestFault75_ServersOwnTimeout(t *testing.T) {
	s := newServer(t)
	s.refuse = func(lines []string) *answer {
		if len(lines) > 500 {
			return &timeout18
		}
		return nil
	}
	sink := newSink(t, s.URL, nil)
	if err := sink.Write(deadline(t), points(5000)); err != nil {
		t.Fatal(err)
	}
	// 5000, 2500, 1250 and 625 lines twice each, then 16 times 313.
	if st := sink.Stats(); s.distinct() != 5000 || st.Rejected != 0 || s.requests > 8+16 {
		t.Errorf("%d lines in %d requests, %+v", s.distinct(), s.requests, st)
	}
}

// TestFault74_SeriesQuota: of a request with more series than InfluxDB 1.8 may have, it drops all points.
// Only points that it drops alone become dead letters: those of the series beyond the quota.
func TestFault74_SeriesQuota(t *testing.T) {
	t.Parallel()
	const quota, all, each = 60, 80, 20
	db := testserver.StartInfluxDB(t, fmt.Sprint("max-series-per-database = ", quota))
	bucket := db.CreateDatabase("quota")
	var kept letters
	sink := newSink(t, db.URL, func(c *Config) { c.Bucket, c.DeadLetters = bucket, &kept })
	b := &stream.Batch{}
	for i := range all * each {
		s := &stream.Series{Name: fmt.Sprint("s", i%all), Variables: []string{"yhat"}}
		b.Forecasts = append(b.Forecasts, stream.Forecast{Series: s, Model: "m", Horizon: 1, Time: int64(i+1) * 1e9, Yhat: []float64{float64(i)}})
	}
	if err := sink.Write(deadline(t), b); err != nil {
		t.Fatal(err)
	}
	rows := len(db.Query(`from(bucket: "quota") |> range(start: 1970-01-01T00:00:00Z)`))
	if st := sink.Stats(); rows != quota*each || len(kept.kept) != (all-quota)*each || st.Rejected != int64(len(kept.kept)) {
		t.Errorf("the server has %d points and %d are dead letters, of %d; %+v", rows, len(kept.kept), all*each, st)
	}
}

// TestFault68_SlowServer: a server that takes longer than the timeout for a whole request,
// not for a part, gets parts, also of the next batch.
func TestFault68_SlowServer(t *testing.T) {
	for _, slow := range []answer{{then: "hang"}, {status: 504}, {status: 408}, timeout18} {
		s := newServer(t)
		s.refuse = func(lines []string) *answer {
			if len(lines) > 30 {
				return &slow
			}
			return nil
		}
		sink := newSink(t, s.URL, func(c *Config) { c.Timeout = 300 * time.Millisecond })
		if slow.status != 0 {
			sink.http.Timeout = patience
		}
		for range 2 {
			if err := sink.Write(deadline(t), points(200)); err != nil {
				t.Fatal(err)
			}
		}
		if st := sink.Stats(); s.distinct() != 200 || st.Rejected != 0 || st.Problem != "" {
			t.Errorf("%+v: %d lines, %+v", slow, s.distinct(), st)
		}
		// 200, 100 and 50 lines twice each, then 25 at once.
		if slow.status != 0 && s.requests > 6+2*8 {
			t.Errorf("%+v: %d requests", slow, s.requests)
		}
	}
}
