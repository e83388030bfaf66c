package testserver

import (
	"os"
	"path/filepath"
	"testing"
)

// cacheDir returns the directory of the installed servers. install.sh has the same rule.
func cacheDir() string {
	if dir := os.Getenv("FORECASTER_SERVICES"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, "forecaster")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, ".cache", "forecaster")
}

// missing skips the test, or fails it if services are required.
func missing(tb testing.TB, what, service string) {
	tb.Helper()
	absent(tb, os.Getenv("FORECASTER_REQUIRE_SERVICES") != "", what, service)
}

// optional skips the test, or fails it if FORECASTER_REQUIRE_SERVICES=all also requires optional services, as in the
// nightly workflow.
func optional(tb testing.TB, what, service string) {
	tb.Helper()
	absent(tb, os.Getenv("FORECASTER_REQUIRE_SERVICES") == "all", what, service)
}

func absent(tb testing.TB, required bool, what, service string) {
	tb.Helper()
	const format = "%s is not installed; run internal/tools/testserver/install.sh %s"
	if required {
		tb.Fatalf(format, what, service)
	}
	tb.Skipf(format, what, service)
}
