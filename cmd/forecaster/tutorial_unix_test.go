//go:build unix

package main

import (
	"bytes"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/dataset"
)

// TestTutorial runs the commands of docs/tutorial.md in a folder of their own, with
// servers of the test in the place of those of Docker.
func TestTutorial(t *testing.T) {
	text := string(readFile(t, "../../docs/tutorial.md"))
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(text, -1)
	if len(blocks) < 8 {
		t.Fatalf("found %d blocks", len(blocks))
	}
	var script strings.Builder
	script.WriteString("set -eu\n")
	for _, b := range blocks {
		script.WriteString(b[1])
	}
	broker := startBroker(t)
	db := httptest.NewServer(&influxDB{token: "secret"})
	defer db.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close() // nothing was accepted
	commands := script.String()
	for was, is := range map[string]string{"localhost:29092": broker, "http://localhost:8086": db.URL, "127.0.0.1:8091": address} {
		if !strings.Contains(commands, was) {
			t.Errorf("the tutorial does not mention %s", was)
		}
		commands = strings.ReplaceAll(commands, was, is)
	}

	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "internal", "dataset"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "internal", "dataset", "macrodata.csv"), dataset.MacrodataCSV())
	cmd := exec.Command("bash", "-c", commands)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "INFLUX_TOKEN=secret")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"skill vs persistence", "report: report.html", "time,series,target,horizon", "in 0 stretches",
		"topic tutorial has 1 partition", "accepts writes to forecasts", `"series":"data"`, `"yhat_upper"`,
		"configuration reloaded", "evaluate.interval",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing printed %q", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
