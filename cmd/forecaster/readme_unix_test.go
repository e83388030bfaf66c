//go:build unix && !race

package main

import (
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// TestReadmeCommands runs every command of README.md: with the bundled data for a file of the
// reader's, a series of as many rows for ETTh2.csv, and servers for those of the configuration.
func TestReadmeCommands(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "data.csv"), dataset.MacrodataCSV())
	if err := os.MkdirAll(filepath.Join(dir, "eval", "dataset"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "eval", "dataset", "macrodata.csv"), dataset.MacrodataCSV())
	writeFile(t, filepath.Join(dir, "ETTh2.csv"), waves(14500))
	broker := startBroker(t, "metrics")
	db := httptest.NewServer(&influxDB{token: "secret"})
	defer db.Close()
	t.Setenv("KAFKA_BROKERS", broker)
	t.Setenv("INFLUX_URL", db.URL)
	t.Setenv("INFLUX_TOKEN", "secret")
	config, err := filepath.Abs("../../configs/forecaster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", testserver.FreePort(t))

	readme := string(readFile(t, "../../README.md"))
	t.Chdir(dir)
	verbs := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^ {4,}(?:\$ |go run \./cmd/)?forecaster +([a-z].*)$`).FindAllStringSubmatch(readme, -1) {
		line, _, _ := strings.Cut(m[1], "#")
		line = strings.NewReplacer("FILE.csv", "data.csv", "configs/forecaster.yaml", config).Replace(line)
		args := strings.Fields(line)
		verbs[args[0]] = true
		switch args[0] {
		case "demo":
			mustCall(t, "demo", "--rate", "0")
		case "run":
			p := start(t, "forecaster", append(args, "--set", "server.listen="+address, "--set", "log.format=json")...)
			if !poll(func() bool { return strings.Contains(p.stderr.String(), `"working"`) }) {
				t.Errorf("%s: does not work", line)
			}
			if code := p.terminate(t); code != exitDone {
				t.Errorf("%s: exit code %d", line, code)
			}
		default:
			if code, _, stderr := call(t, args...); code != exitDone {
				t.Errorf("%s: exit code %d\n%s", line, code, stderr)
			}
		}
	}
	for _, verb := range []string{"demo", "evaluate", "forecast", "lint", "replay", "run"} {
		if !verbs[verb] {
			t.Errorf("README.md has no command %s", verb)
		}
	}
}

// waves returns a file of n hours of two variables.
func waves(n int) []byte {
	var b strings.Builder
	b.WriteString("date,a,b\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%.4f,%.4f\n", 1467331200+3600*i, math.Sin(float64(i)/4), math.Cos(float64(i)/7))
	}
	return []byte(b.String())
}
