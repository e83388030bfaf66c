package testserver

import (
	"os"
	"path/filepath"
	"testing"
)

// Telegraf returns the path of Telegraf 1.37 with the plugins inputs.kafka_consumer and
// outputs.influxdb and the JSON parser.
func Telegraf(tb testing.TB) string {
	tb.Helper()
	binary := filepath.Join(cacheDir(), "telegraf-1.37.0", "telegraf")
	if _, err := os.Stat(binary); err != nil {
		missing(tb, "Telegraf", "telegraf")
	}
	return binary
}
