//go:build unix && !race

package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// patientSleep takes the place of the sleep of the tutorial: the first one ends when
// there is a forecast, the second one when the configuration was read again.
const patientSleep = `
naps=0
sleep() {
	naps=$((naps + 1))
	for _ in $(seq 1800); do
		case $naps in
		1) curl -sf 'http://127.0.0.1:8091/api/v1/forecast?series=data&variable=unemp&samples=1' | grep -q yhat_upper && return ;;
		2) grep -q 'configuration reloaded' stderr && return ;;
		esac
		command sleep .1
	done
}
`

// TestTutorial runs the commands of docs/tutorial.md in a folder of their own, with
// servers of the test in the place of those of Docker.
func TestTutorial(t *testing.T) {
	t.Parallel()
	text := string(readFile(t, "../../docs/tutorial.md"))
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(text, -1)
	if len(blocks) < 8 {
		t.Fatalf("found %d blocks", len(blocks))
	}
	var script strings.Builder
	script.WriteString("set -eu\n" + patientSleep)
	for _, b := range blocks {
		script.WriteString(b[1])
	}
	broker := startBroker(t)
	db := httptest.NewServer(&influxDB{token: "secret"})
	defer db.Close()
	address := fmt.Sprintf("127.0.0.1:%d", testserver.FreePort(t))
	commands := script.String()
	for was, is := range map[string]string{"localhost:29092": broker, "http://localhost:8086": db.URL, "127.0.0.1:8091": address} {
		if !strings.Contains(commands, was) {
			t.Errorf("the tutorial does not mention %s", was)
		}
		commands = strings.ReplaceAll(commands, was, is)
	}

	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "eval", "dataset"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "eval", "dataset", "macrodata.csv"), dataset.MacrodataCSV())
	cmd := exec.Command("bash", "-c", commands)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "INFLUX_TOKEN=secret")
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	err = cmd.Run()
	out := stdout.String() + string(readFile(t, stderr.Name()))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"skill vs", "report: report.html", "time,series,target,horizon", "1 anomaly, with", "90 % interval",
		"topic tutorial has 1 partition", "accepts writes to forecasts", `"series":"data"`, `"yhat_upper"`,
		"configuration reloaded", "evaluate.interval",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing printed %q", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}
