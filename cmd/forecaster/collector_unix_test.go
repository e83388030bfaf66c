//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// TestRealCollector: the output of a Collector with configs/opentelemetry/collector.yaml is forecast, in both
// encodings.
func TestRealCollector(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"otlp_proto", "otlp_json"} {
		addr := startBroker(t, "otlp_metrics")
		url := testserver.StartCollector(t, "../../configs/opentelemetry/collector.yaml", addr, encoding)
		point := func(i int, host string) string {
			return fmt.Sprintf(`{"resourceMetrics":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":%q}}]},"scopeMetrics":[{"metrics":[{"name":"load","gauge":{"dataPoints":[{"timeUnixNano":"%d","asDouble":%d.5}]}}]}]}]}`,
				host, 1767225600_000000000+int64(i)*10_000000000, i%7)
		}
		for i := range 30 {
			for _, host := range []string{"web1", "web2"} {
				resp, err := http.Post(url, "application/json", strings.NewReader(point(i, host)))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Fatal(resp.Status)
				}
			}
		}
		out := filepath.Join(t.TempDir(), "out-0.csv")
		p := start(t, "forecaster", "run", "--set", "input.kafka.brokers="+addr, "--set", "input.kafka.topics=otlp_metrics", "--set", "input.kafka.session_timeout=6s",
			"--set", "input.data_format="+encoding, "--set", "input.otlp.series=host.name", "--set", "output.file.path="+ofPartitions(out), "--set", "state.dir="+t.TempDir(),
			"--set", "state.interval=20ms", "--set", "model.type=var1", "--set", "log.format=json")
		text := ""
		if !poll(func() bool {
			b, _ := os.ReadFile(out) // none yet
			text = string(b)
			return strings.Count(text, "host.name=web1,load,") > 20 && strings.Count(text, "host.name=web2,load,") > 20
		}) {
			t.Errorf("%s: the forecasts are\n%s", encoding, text)
		}
		if strings.Contains(p.stderr.String(), "messages have no key") {
			t.Error("the Collector writes messages without keys")
		}
		if code := p.terminate(t); code != exitDone {
			t.Errorf("exit code %d", code)
		}
	}
}
