package testserver

import (
	"os"
	"path/filepath"
	"testing"
)

// Promtool returns the path of promtool of Prometheus 3.5, which tests alert rules. The test is skipped if promtool is
// not installed.
func Promtool(tb testing.TB) string {
	tb.Helper()
	binary := filepath.Join(cacheDir(), "prometheus-3.5.0", "promtool")
	if _, err := os.Stat(binary); err != nil {
		tb.Skip("promtool is not installed; run internal/tools/testserver/install.sh promtool")
	}
	return binary
}
