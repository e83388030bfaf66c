package testserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// VictoriaMetrics is a running single-node VictoriaMetrics, which takes the line protocol of InfluxDB and answers
// PromQL. It keeps samples of any age, and removes duplicates.
type VictoriaMetrics struct {
	URL string // http://127.0.0.1:port
	tb  testing.TB

	start   func() *process
	process *process
}

// StartVictoriaMetrics starts a server, and stops it at the end of the test.
func StartVictoriaMetrics(tb testing.TB) *VictoriaMetrics {
	tb.Helper()
	binary := filepath.Join(cacheDir(), "victoriametrics-1.110.0", "victoria-metrics")
	if _, err := os.Stat(binary); err != nil {
		missing(tb, "VictoriaMetrics", "victoriametrics")
	}
	dir, port := tb.TempDir(), freePorts(tb, 1)[0]
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	s := &VictoriaMetrics{URL: "http://" + addr, tb: tb}
	s.start = func() *process {
		p, err := startProcess(filepath.Join(dir, "log"), binary, "-storageDataPath", filepath.Join(dir, "data"), "-httpListenAddr", addr,
			"-retentionPeriod", "100y", "-dedup.minScrapeInterval", "1ms", "-memory.allowedBytes", "256MB",
			"-search.latencyOffset", "0s") // else a repeated value replaces the values of the last half minute
		if err != nil {
			tb.Fatal(err)
		}
		if err := p.waitForPing(s.URL); err != nil {
			tb.Fatal(err)
		}
		return p
	}
	s.process = s.start()
	tb.Cleanup(func() { s.process.kill() })
	return s
}

// Kill kills the server with SIGKILL, and starts it again at once with its data on the disk.
func (s *VictoriaMetrics) Kill() {
	s.process.kill()
	s.process = s.start()
}

// PromSeries is a series of an answer: labels, and pairs of time (in seconds) and value.
type PromSeries struct {
	Metric map[string]string
	Value  []any   // pair of an instant query
	Values [][]any // pairs of a range query
}

// WaitForRows waits until all rows accepted since the start of the server are visible exactly once. Get flushes, too,
// but a flush does not wait for another running flush.
func (s *VictoriaMetrics) WaitForRows() {
	s.tb.Helper()
	var visible, taken string
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(s.URL + "/metrics")
		if err != nil {
			s.tb.Fatal(err)
		}
		metrics, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			s.tb.Fatal(err)
		}
		_, after, _ := strings.Cut(string(metrics), "\nvm_rows_added_to_storage_total ")
		taken, _, _ = strings.Cut(after, "\n")
		now := time.Now()
		if all := s.Query(`sum(count_over_time({__name__!=""}[100y]))`, now.AddDate(1, 0, 0), now, 0); len(all) == 1 {
			visible = fmt.Sprint(all[0].Value[1])
		}
		if visible == taken {
			return
		}
	}
	s.tb.Fatalf("%s of %s rows are visible", visible, taken)
}

// Get requests /api/v1/PATH and decodes the data of the answer. The answer usually contains the last written rows;
// WaitForRows guarantees it.
func (s *VictoriaMetrics) Get(path string, parameters url.Values, data any) {
	s.tb.Helper()
	if resp, err := http.Get(s.URL + "/internal/force_flush"); err == nil { // makes the last writes visible
		resp.Body.Close()
	}
	resp, err := http.PostForm(s.URL+"/api/v1/"+path, parameters)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	err = json.NewDecoder(resp.Body).Decode(&answer)
	if err == nil && answer.Status == "success" {
		err = json.Unmarshal(answer.Data, data)
	}
	if err != nil || answer.Status != "success" {
		s.tb.Fatalf("%s %v: %s %s %v", path, parameters, resp.Status, answer.Error, err)
	}
}

// Query evaluates an expression at the time at, or, if step is positive, at the times from at to end.
func (s *VictoriaMetrics) Query(expression string, at, end time.Time, step time.Duration) []PromSeries {
	s.tb.Helper()
	path, parameters := "query", url.Values{"query": {expression}, "time": {fmt.Sprint(at.Unix())}, "nocache": {"1"}}
	if step > 0 {
		path = "query_range"
		parameters = url.Values{"query": {expression}, "start": {fmt.Sprint(at.Unix())}, "end": {fmt.Sprint(end.Unix())}, "step": {step.String()}, "nocache": {"1"}}
	}
	var data struct{ Result []PromSeries }
	s.Get(path, parameters, &data)
	return data.Result
}
