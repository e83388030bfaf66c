package testserver

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// Prometheus is a running Prometheus, which scrapes itself each second and takes remote write.
type Prometheus struct{ VictoriaMetrics }

// StartPrometheus starts a server, and stops it at the end of the test. The server accepts out-of-order samples within
// the time window, such as "25h"; "0s": none.
func StartPrometheus(tb testing.TB, window string) *Prometheus {
	tb.Helper()
	binary := filepath.Join(cacheDir(), "prometheus", "prometheus")
	if _, err := os.Stat(binary); err != nil {
		optional(tb, "Prometheus", "prometheus")
	}
	dir, addr := tb.TempDir(), fmt.Sprintf("127.0.0.1:%d", FreePort(tb))
	config := fmt.Sprintf("global: {scrape_interval: 1s}\nstorage: {tsdb: {out_of_order_time_window: %s}}\nscrape_configs: [{job_name: self, static_configs: [{targets: [%q]}]}]\n", window, addr)
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		tb.Fatal(err)
	}
	p, err := startProcess(filepath.Join(dir, "log"), binary, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+addr, "--web.enable-remote-write-receiver")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.kill)
	s := &Prometheus{VictoriaMetrics{URL: "http://" + addr, tb: tb}}
	err = p.wait(2*time.Minute, func() error {
		resp, err := http.Get(s.URL + "/-/ready")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s", resp.Status)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// Counter returns the sum of the values of a metric in /metrics.
func (s *Prometheus) Counter(name string) (sum float64) {
	s.tb.Helper()
	resp, err := http.Get(s.URL + "/metrics")
	if err != nil {
		s.tb.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.tb.Fatal(err)
	}
	all := regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (.+)$`).FindAllSubmatch(text, -1)
	if all == nil {
		s.tb.Fatalf("Prometheus counts no %s", name)
	}
	for _, m := range all {
		v, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			s.tb.Fatal(err)
		}
		sum += v
	}
	return sum
}
