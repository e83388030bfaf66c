package livepage

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

func TestSeriesSaysWhatIsKept(t *testing.T) {
	f := newFeeder(t, Config{
		Horizons: []int{1, 2, 3, 4, 5}, Levels: []float64{.9}, Note: "development broker",
		Status: func() Status { return Status{Series: 3000} },
	}, "s", "a", "b")
	f.feed(1)
	var m seriesMessage
	get(t, f.page, "/api/v1/series", 200, &m)
	if m.Seen != 3000 || len(m.Series) != 1 || m.Note != "development broker" || m.Limits.Series != MaxSeries || m.Limits.Listed != MaxListed {
		t.Errorf("got %+v", m)
	}
	if s := m.Series[0]; s.Name != "s" || s.Dim != 2 || fmt.Sprint(s.Variables) != "[a b]" || s.Samples != maxSamples {
		t.Errorf("got %+v", s)
	}
	if fmt.Sprint(m.Horizons) != "[1 2 3 5]" {
		t.Errorf("horizons %v", m.Horizons)
	}
}

func TestMetricsOfTheModel(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1, 2}, Levels: []float64{.9}}, "s", "a", "b")
	b := f.batch(1)
	f.metrics(b, 0)
	f.write(b)
	var first metricsMessage
	get(t, f.page, "/api/v1/metrics?series=s&horizon=2", 200, &first)
	if len(first.Scores) != 3 || first.Scores[0].N != 1 || first.Scores[2].N != 1 {
		t.Errorf("after one sample: %+v", first.Scores)
	}
	for k := range 3 {
		b := f.batch(10)
		f.metrics(b, float64(k)/10)
		f.write(b)
	}
	var m metricsMessage
	get(t, f.page, "/api/v1/metrics?series=s&horizon=2&variable=b", 200, &m)
	if m.Horizon != 2 || *m.Level != .9 || len(m.Scores) != 2 || m.Scores[0].Target != "_all" || m.Scores[1].Target != "b" {
		t.Fatalf("got %+v", m)
	}
	var whole metricsMessage
	get(t, f.page, "/api/v1/metrics?series=s&horizon=2", 200, &whole)
	if len(whole.Scores) != 3 || whole.Scores[1].Target != "a" || whole.Scores[2] != m.Scores[1] && !math.IsNaN(float64(whole.Scores[2].SkillVsVAR)) {
		t.Errorf("without a variable: %+v", whole.Scores)
	}
	if s := m.Scores[1]; s.N != 31 || math.Abs(float64(s.SkillVsPersistence)-200.2) > 1e-9 || !math.IsNaN(float64(s.SkillVsVAR)) || s.Coverage != .9 {
		t.Errorf("got %+v", s)
	}
	if !same(m.Past.SkillVsPersistence, column{0, 0, .1, .2}) || !same(m.Past.SkillVsVAR, column{nan, nan, nan, nan}) {
		t.Errorf("got %+v", m.Past)
	}
}

func TestStatus(t *testing.T) {
	state := Status{State: "no partition is assigned", Lag: 7}
	f := newFeeder(t, Config{Horizons: []int{1}, Status: func() Status { return state }}, "s", "a")
	var m statusMessage
	get(t, f.page, "/api/v1/status", 200, &m)
	if m.Working || m.State != state.State || *m.Lag != 7 || m.Watermark != nil || m.Model != "orffvar" {
		t.Errorf("got %+v", m)
	}
	state = Status{Lag: -1}
	f.feed(4)
	f.write(&stream.Batch{Records: 1, DeadLetters: make([]stream.DeadLetter, 1)})
	m = statusMessage{}
	get(t, f.page, "/api/v1/status", 200, &m)
	if !m.Working || m.Lag != nil || *m.Watermark != 18e8+3 || m.Records != 5 || m.DeadLetters != 1 || m.Series != 1 {
		t.Errorf("got %+v", m)
	}
}

func TestRefusedRequests(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1, 3}}, "s", "a")
	f.feed(3)
	many := strings.Repeat("&variable=a", maxShown+1)
	for _, c := range []struct {
		path string
		code int
	}{
		{"/api/v1/forecast", 404},
		{"/api/v1/forecast?series=t", 404},
		{"/api/v1/forecast?series=s&variable=b", 404},
		{"/api/v1/forecast?series=s&horizon=2", 400},
		{"/api/v1/forecast?series=s&horizon=x", 400},
		{"/api/v1/forecast?series=s&samples=-1", 400},
		{"/api/v1/forecast?series=s&samples=1001", 400},
		{"/api/v1/forecast?series=s" + many, 400},
		{"/api/v1/forecast?series=s" + strings.Repeat(many, 3), 400},
		{"/api/v1/forecast?series=%zz", 400},
		{"/api/v1/forecast?series=" + strings.Repeat("s", maxQuery), 414},
		{"/api/v1/metrics?series=t", 404},
		{"/api/v1/events?limit=0", 400},
		{"/api/v1/stream?series=t", 404},
		{"/api/v1/influence?series=s", 404},
		{"/api/v1/nothing", 404},
	} {
		var m errorMessage
		header := get(t, f.page, c.path, c.code, &m)
		if m.Error == "" || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %q as %s", c.path, m.Error, header.Get("Content-Type"))
		}
	}
	for _, path := range []string{"/nothing", "/vendor/", "/vendor/uplot/", "/README.md", "/index.html"} {
		get(t, f.page, path, 404, nil)
	}
}

// hostile is a name that would inject code into a page that does not escape it.
const hostile = `"><img src=x onerror=alert(1)></script><script>alert(2)</script>` + "\xff&\u2028\n"

func TestNamesFromOutside(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, hostile, hostile, "b\x00c")
	b := f.batch(2)
	b.Events = []stream.Event{{Series: hostile, Kind: event.Gap, Text: hostile}}
	f.metrics(b, 0)
	f.write(b)
	var m seriesMessage
	header := get(t, f.page, "/api/v1/series", 200, &m)
	if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", header)
	}
	// The server accepts the name that it returns.
	q := url.Values{"series": {m.Series[0].Name}, "variable": m.Series[0].Variables}
	for _, path := range []string{"forecast", "metrics"} {
		var answer struct{ Series string }
		get(t, f.page, "/api/v1/"+path+"?"+q.Encode(), 200, &answer)
		if answer.Series != m.Series[0].Name {
			t.Errorf("%s: got %q", path, answer.Series)
		}
	}
	body := page(t, f.page, "/api/v1/events")
	if strings.ContainsAny(body, "<>&\u2028") {
		t.Errorf("the JSON is not safe to stand in HTML: %s", body)
	}
}

func page(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != 200 {
		t.Fatalf("GET %s: %d", path, w.Code)
	}
	return w.Body.String()
}

func TestThePageNeedsNothingFromElsewhere(t *testing.T) {
	p := New(Config{})
	for _, a := range assets() {
		path := strings.Replace(a.path, "{$}", "", 1)
		header := get(t, p, path, 200, nil)
		csp := header.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; style-src 'self'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: Content-Security-Policy %q", path, csp)
		}
		if header.Get("Content-Type") != a.kind || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, header)
		}
		if strings.HasPrefix(path, "/vendor/") || strings.HasSuffix(path, ".svg") {
			continue
		}
		text := strings.ReplaceAll(string(a.content), "http://www.w3.org/2000/svg", "") // a namespace, not an address
		for _, word := range []string{"http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", " style=", "onclick="} {
			if strings.Contains(text, word) {
				t.Errorf("%s has %q", path, word)
			}
		}
	}
}

func TestAssetsAreCheckedForChange(t *testing.T) {
	p := New(Config{})
	header := get(t, p, "/app.js", 200, nil)
	again := httptest.NewRequest("GET", "/app.js", nil)
	again.Header.Set("If-None-Match", header.Get("ETag"))
	w := httptest.NewRecorder()
	p.ServeHTTP(w, again)
	if w.Code != http.StatusNotModified {
		t.Errorf("status %d, want 304", w.Code)
	}
	w = httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader("x")))
	if body, _ := io.ReadAll(w.Body); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d %s", w.Code, body)
	}
}

// FuzzQuery: the answer to any query is JSON, without a panic.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"", "series=s", "series=s&horizon=3&variable=a&samples=0", "series=s&horizon=-1", "%zz", "limit=1", "series=s&samples=99999999999999999999"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		g := newFeeder(t, Config{Horizons: []int{1, 3}, Levels: []float64{.9}}, "s", "a", "b")
		g.feed(2)
		for _, path := range []string{"series", "forecast", "metrics", "experts", "influence", "events", "status"} {
			r := httptest.NewRequest("GET", "/api/v1/"+path, nil)
			r.URL.RawQuery = q
			w := httptest.NewRecorder()
			g.page.ServeHTTP(w, r)
			if !json.Valid(w.Body.Bytes()) || w.Code >= 500 {
				t.Fatalf("%s?%s: %d %s", path, q, w.Code, w.Body)
			}
		}
	})
}
