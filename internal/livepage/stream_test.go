package livepage

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// reader reads the events of one client.
type reader struct {
	t       *testing.T
	lines   *bufio.Scanner
	respond *http.Response
	passed  map[string][]string // data of events before a requested one
}

// listen opens the stream of a server.
func listen(t *testing.T, url string) *reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 64<<20)
	return &reader{t: t, lines: lines, respond: resp, passed: make(map[string][]string)}
}

// next returns the data of the next event of a kind. The order of different kinds depends on the load of the machine.
func (r *reader) next(kind string, v any) {
	r.t.Helper()
	for len(r.passed[kind]) == 0 {
		if !r.lines.Scan() {
			r.t.Fatalf("the stream ended before an event %s: %v", kind, r.lines.Err())
		}
		name, ok := strings.CutPrefix(r.lines.Text(), "event: ")
		if !ok {
			continue
		}
		r.lines.Scan()
		data, ok := strings.CutPrefix(r.lines.Text(), "data: ")
		if !ok {
			r.t.Fatalf("after the event %s came %q", name, r.lines.Text())
		}
		r.passed[name] = append(r.passed[name], data)
	}
	data := r.passed[kind][0]
	r.passed[kind] = r.passed[kind][1:]
	if err := json.Unmarshal([]byte(data), v); err != nil {
		r.t.Fatal(err)
	}
}

func TestStreamSendsWhatIsNew(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1, 2}, Levels: []float64{.9}}, "s", "a", "b")
	f.feed(4)
	server := httptest.NewServer(f.page)
	defer server.Close()
	defer f.page.EndStreams()
	r := listen(t, server.URL+"/api/v1/stream?series=s&variable=b&horizon=2")
	if got := r.respond.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("Content-Type %q", got)
	}
	var series seriesMessage
	r.next("series", &series)
	var status statusMessage
	r.next("status", &status)
	var first, second windowMessage
	r.next("data", &first)
	if !first.Reset || first.End != 4 || len(first.Time) != 4 || len(first.Variables) != 1 || status.Records != 4 || len(series.Series) != 1 {
		t.Fatalf("got %+v, %+v, %+v", series, status, first)
	}
	var metrics metricsMessage
	r.next("metrics", &metrics)
	if len(metrics.Scores) != 0 {
		t.Errorf("scores before there are any: %+v", metrics)
	}

	b := f.batch(2)
	f.metrics(b, .3)
	b.Events = []stream.Event{{Series: "s", Kind: event.Gap, Text: "2 samples missing"}}
	f.write(b)
	r.next("data", &second)
	if second.Reset || second.End != 6 || !same(second.Variables[0].Y, column{14, 15}) || !same(second.Variables[0].Yhat, column{16, 17}) {
		t.Errorf("got %+v", second)
	}
	if second.Forecast.Origin != 18e8+5 {
		t.Errorf("the forecast is from %v", second.Forecast.Origin)
	}
	var events eventsMessage
	r.next("events", &events)
	if len(events.Events) != 1 || events.Events[0].Text != "2 samples missing" {
		t.Errorf("got %+v", events)
	}
	r.next("metrics", &metrics)
	if len(metrics.Scores) != 3 || metrics.Scores[0].SkillVsPersistence != .3 {
		t.Errorf("got %+v", metrics)
	}
	f.of("t", "a").feed(1)
	r.next("series", &series)
	if len(series.Series) != 2 {
		t.Errorf("%d series, want 2", len(series.Series))
	}
}

// TestClientThatFellBehindStartsAgain: the missed samples are no longer kept.
func TestClientThatFellBehindStartsAgain(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	f.feed(2)
	r := httptest.NewRequest("GET", "/?series=s", nil)
	q, _ := newQuery(r)
	c := &client{page: f.page, query: q, w: httptest.NewRecorder(), frames: 1}
	if w := c.news(Status{}).window; !w.Reset || w.End != 2 {
		t.Fatalf("got %+v", w)
	}
	if w := c.news(Status{}).window; w != nil {
		t.Fatalf("nothing is new, got %+v", w)
	}
	f.feed(maxSamples)
	if w := c.news(Status{}).window; w.Reset || len(w.Time) != maxSamples {
		t.Errorf("reset %v with %d samples: nothing was lost", w.Reset, len(w.Time))
	}
	f.feed(maxSamples + 1)
	if w := c.news(Status{}).window; !w.Reset || len(w.Time) != maxSamples {
		t.Errorf("reset %v with %d samples: one was lost", w.Reset, len(w.Time))
	}
}

// TestHeadIsOfTheMomentOfTheCharts: the status that comes with samples counts exactly the samples up to these.
func TestHeadIsOfTheMomentOfTheCharts(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	q, _ := newQuery(httptest.NewRequest("GET", "/?series=s", nil))
	c := &client{page: f.page, query: q, w: httptest.NewRecorder(), frames: 1} // a frame without a due status
	for range 3 {
		f.feed(5)
		n := c.news(Status{})
		if n.status == nil || n.window == nil || n.status.Records != n.window.End {
			t.Fatalf("head %+v, charts %+v", n.status, n.window)
		}
		if n := c.news(Status{}); n.status != nil {
			t.Fatalf("nothing is new, got %+v", n.status)
		}
	}
}

// TestSlowClientIsDropped: a client that does not read is disconnected.
func TestSlowClientIsDropped(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	f.feed(10)
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		f.page.ServeHTTP(&impatient{ResponseWriter: w}, r)
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET /api/v1/stream?series=s HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		t.Fatal("the request goes on although nothing is read")
	}
	if len(f.page.clients) != 0 {
		t.Error("the client still counts")
	}
}

// impatient is a connection whose write deadline has always passed.
type impatient struct{ http.ResponseWriter }

func (w *impatient) SetWriteDeadline(time.Time) error {
	return http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(-time.Second))
}

func (w *impatient) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestStreamOutlivesTheTimeoutsOfItsServer: the timeouts of a server do not end a stream.
func TestStreamOutlivesTheTimeoutsOfItsServer(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	server := httptest.NewUnstartedServer(f.page)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 1500*time.Millisecond, 1500*time.Millisecond
	server.Start()
	defer server.Close()
	defer f.page.EndStreams()
	r := listen(t, server.URL+"/api/v1/stream")
	var status statusMessage
	for range 4 { // three seconds
		r.next("status", &status)
	}
}

func TestNumberOfClientsIsLimited(t *testing.T) {
	f := newFeeder(t, Config{}, "s", "a")
	server := httptest.NewServer(f.page)
	defer server.Close()
	defer f.page.EndStreams()
	for range MaxClients {
		listen(t, server.URL+"/api/v1/stream")
	}
	if r := listen(t, server.URL+"/api/v1/stream"); r.respond.StatusCode != http.StatusServiceUnavailable || r.respond.Header.Get("Retry-After") != "10" {
		t.Errorf("client %d got status %d and %v", MaxClients+1, r.respond.StatusCode, r.respond.Header)
	}
}

func TestEndStreams(t *testing.T) {
	f := newFeeder(t, Config{}, "s", "a")
	server := httptest.NewServer(f.page)
	defer server.Close() // waits for open requests
	r := listen(t, server.URL+"/api/v1/stream")
	var status statusMessage
	r.next("status", &status)
	f.page.EndStreams()
	f.page.EndStreams()
	for r.lines.Scan() {
	}
	if err := r.lines.Err(); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
}
