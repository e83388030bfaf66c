package testserver

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// StartCollector starts an OpenTelemetry Collector whose exporter writes to a broker. It returns the URL that takes
// metrics by HTTP. The collector stops at the end of the test.
func StartCollector(tb testing.TB, config, broker, encoding string) (url string) {
	tb.Helper()
	binary := filepath.Join(cacheDir(), "collector-0.155.0", "collector")
	if _, err := os.Stat(binary); err != nil {
		optional(tb, "The OpenTelemetry Collector", "collector")
	}
	ports := freePorts(tb, 3)
	url = fmt.Sprintf("http://127.0.0.1:%d/v1/metrics", ports[0])
	p, err := startProcess(filepath.Join(tb.TempDir(), "collector.log"), binary, "--config", config,
		"--set", fmt.Sprintf("exporters.kafka.brokers=[%s]", broker), "--set", "exporters.kafka.metrics.encoding="+encoding,
		"--set", fmt.Sprintf("receivers.otlp.protocols.http.endpoint=127.0.0.1:%d", ports[0]),
		"--set", fmt.Sprintf("receivers.otlp.protocols.grpc.endpoint=127.0.0.1:%d", ports[1]),
		"--set", "service.telemetry.metrics.level=none")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.kill)
	err = p.wait(2*time.Minute, func() error {
		resp, err := http.Get(url) // the receiver refuses GET, so it is ready
		if err == nil {
			resp.Body.Close()
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return url
}
