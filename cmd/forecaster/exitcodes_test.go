package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExitCodes: a mistake has the same exit code in every command, as documented.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	good, refused := filepath.Join(dir, "good.csv"), filepath.Join(dir, "refused.csv")
	writeFile(t, good, []byte("time,a\n2026-01-01 00:00,1\n2026-01-01 01:00,2\n2026-01-01 02:00,1\n"))
	ofFile := filepath.Join(dir, "file.yaml")
	writeFile(t, ofFile, []byte("input: {file: {path: good.csv}}\noutput: {discard: {}}\n"))
	hourly := filepath.Join(dir, "hourly.csv")
	writeFile(t, hourly, []byte("time,a\n2026-01-01 00:00,1\n2026-01-01 01:00,2\n2026-01-01 02:00,1\n2026-01-01 03:00,1\n2026-01-01 04:00,1\n"))
	writeFile(t, refused, []byte("time,a\n2026-01-01 00:00,x\n"))
	for _, c := range []struct {
		code int
		args string
	}{
		{exitDone, "version"},
		{exitDone, "--version"},
		{exitDone, "replay " + good},
		{exitDone, "lint --set input.file.path=" + good + " --set output.discard={}"},
		{exitFailed, "replay " + refused},
		{exitFailed, "forecast " + filepath.Join(dir, "missing.csv")},
		{exitFailed, "lint --connect --set input.kafka.brokers=127.0.0.1:1 --set input.kafka.topics=t --set output.discard={}"},
		{exitUsage, "replay"},
		{exitUsage, "replay --nonsense " + good},
		{exitUsage, "replay --set model.ordr=3 " + good},
		{exitUsage, "evaluate --set model.ordr=3 " + good},
		{exitUsage, "run --set model.ordr=3"},
		{exitUsage, "run"},
		{exitUsage, "produce -c " + ofFile + " " + good},
		{exitUsage, "replay --set pipeline.interval=2h " + hourly},
		{exitUsage, "forecast --set pipeline.interval=1m " + hourly},
		{exitUsage, "evaluate --set pipeline.interval=2h " + hourly},
		{exitUsage, "anomalies --set pipeline.interval=2h " + hourly},
		{exitUsage, "evaluate --window 9 " + hourly},
		{exitUsage, "evaluate --scale-rows 9 " + hourly},
		{exitUsage, "replay " + good + " --out " + good},
		{exitUsage, "lint"},
		{exitUsage, "lint --set model.ordr=3"},
		{exitUsage, "lint --set model.ordr=3 --output json"},
		{exitUsage, "lint -c " + filepath.Join(dir, "missing.yaml")},
	} {
		if code, _, stderr := call(t, strings.Fields(c.args)...); code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s", c.args, code, c.code, stderr)
		}
	}
	page := string(readFile(t, "../../docs/operations.md"))
	for _, row := range []string{"| 0 | done", "| 1 | failed", "| 2 | wrong command line or configuration"} {
		if !strings.Contains(page, row) {
			t.Errorf("the page lacks %q", row)
		}
	}
}
