package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
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
		{exitUsage, "forecast --follow --plot x.png " + good},
		{exitUsage, "run --set model.ordr=3"},
		{exitUsage, "run"},
		{exitUsage, "produce -c " + ofFile + " " + good},
		{exitUsage, "produce --partitions -1 " + good},
		{exitUsage, "produce --topic a,b " + good},
		{exitUsage, "tables --table 8.1 --name nothing"},
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

// brokenWriter fails with an error.
type brokenWriter struct{ error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.error }

// TestFullDisk: a command whose table does not fit on the disk fails and says so. A reader that has seen enough is no
// failure.
func TestFullDisk(t *testing.T) {
	full, closed := errors.New("no space left on device"), error(syscall.EPIPE)
	if runtime.GOOS == "windows" {
		closed = syscall.Errno(232) // ERROR_NO_DATA
	}
	dir := t.TempDir()
	data, state := filepath.Join(dir, "data.csv"), filepath.Join(dir, "state")
	writeFile(t, data, seriesCSV(60, 2, 0, 1))
	mustCall(t, "replay", data, "--state", state)
	for _, c := range []struct {
		args string
		code int // with a closed pipe
	}{
		{"forecast " + data, exitDone}, {"replay " + data, exitDone}, {"evaluate " + data, exitDone}, {"anomalies " + data, exitDone},
		{"describe " + data, exitDone}, {"influence --model var2 " + data, exitDone}, {"checkpoint inspect " + state, exitDone},
		{"version", exitDone}, {"--version", exitUsage}, {"--help", exitDone},
		{"lint --set input.file.path=" + data + " --set output.discard={}", exitDone}, {"lint --set model.ordr=3", exitUsage},
	} {
		for _, w := range []struct {
			err  error
			code int
			says string
		}{{full, exitFailed, "forecaster: no space left on device\n"}, {closed, c.code, ""}} {
			var stderr bytes.Buffer
			code := execute(t.Context(), strings.Fields(c.args), strings.NewReader(""), brokenWriter{w.err}, &stderr)
			if code != w.code || !strings.HasSuffix(stderr.String(), w.says) {
				t.Errorf("%s: exit code %d, want %d\n%s", c.args, code, w.code, &stderr)
			}
		}
	}
}

// TestSourcesOfProduce: flags of produce go before --set, that before the environment, and all of them before the default broker
// and topic; a configuration has no defaults but its own.
func TestSourcesOfProduce(t *testing.T) {
	dir := t.TempDir()
	data, job := filepath.Join(dir, "data.csv"), filepath.Join(dir, "job.yaml")
	writeFile(t, data, []byte("time,a\n2026-01-01 00:00,1\n2026-01-01 01:00,2\n"))
	writeFile(t, job, []byte("input: {kafka: {brokers: [\"127.0.0.1:4\"], topics: [t]}}\noutput: {discard: {}}\n"))
	const environment = "FORECASTER_INPUT_KAFKA_BROKERS=127.0.0.1:3"
	for _, c := range []struct{ environ, args, port string }{
		{"", "--brokers 127.0.0.1:1 --set input.kafka.brokers=127.0.0.1:2", "1"},
		{environment, "--set input.kafka.brokers=127.0.0.1:2", "2"},
		{environment, "", "3"},
		{environment, "-c " + job, "3"},
		{"", "-c " + job, "4"},
	} {
		var stderr bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr, environ: []string{c.environ}}
		root := a.root()
		root.SetArgs(strings.Fields("produce " + data + " " + c.args))
		if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "127.0.0.1:"+c.port+":") {
			t.Errorf("%s %s: %v, want an error of port %s", c.environ, c.args, err, c.port)
		}
	}
}

// TestCommandsOfFilesFail: each command that reads a file ends with the exit code of the mistake. The first line of stderr
// names the problem of the file or the setting, and stdout is empty.
func TestCommandsOfFilesFail(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.csv": "time,a\n2026-01-01 00:00,1\n2026-01-01 01:00,2\n2026-01-01 02:00,1\n", "empty.csv": "", "header.csv": "time,a\n", "refused.csv": "time,a\n2026-01-01 00:00,x\n",
	} {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	own := map[string]string{ // of commands that need more
		"produce": "--set input.kafka.brokers=127.0.0.1:1 --topic t", "influence": "--picture " + filepath.Join(dir, "graph.svg"),
	}
	var of func(c *cobra.Command) []string
	of = func(c *cobra.Command) (names []string) {
		if strings.Contains(c.Use, "FILE") {
			names = append(names, strings.TrimPrefix(c.CommandPath(), "forecaster "))
		}
		for _, sub := range c.Commands() {
			names = append(names, of(sub)...)
		}
		return names
	}
	commands := of(new(app).root())
	if len(commands) < 10 {
		t.Fatalf("commands of files: %q", commands)
	}
	for _, name := range commands {
		for _, c := range []struct {
			code       int
			file, more string
			says       string // on the first line of stderr
		}{
			{exitFailed, "missing.csv", "", "missing.csv: no such file"}, {exitFailed, "empty.csv", "", "empty.csv is empty"}, {exitFailed, "header.csv", "", "header.csv has no data"},
			{exitFailed, "refused.csv", "--set input.csv.value_columns=a", "refused.csv"},
			{exitUsage, "good.csv", "--set input.csv.comma=ab", "input.csv.comma"}, {exitUsage, "good.csv", "--nonsense", "--nonsense"},
		} {
			if name == "produce" && c.code == exitFailed && c.file != "missing.csv" && c.file != "empty.csv" {
				c.says = "no broker listens at 127.0.0.1:1:" // which comes before the rows
			}
			args := strings.Fields(name + " " + filepath.Join(dir, c.file) + " " + c.more + " " + own[name])
			code, stdout, stderr := call(t, args...)
			if first, _, _ := strings.Cut(stderr, "\n"); code != c.code || !strings.Contains(first, c.says) || stdout != "" {
				t.Errorf("%s: exit code %d, want %d with %q\n%s%s", strings.Join(args, " "), code, c.code, c.says, stdout, stderr)
			}
		}
	}
}
