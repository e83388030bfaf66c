//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageOfAShortReplay: the page of a replay has the scores of a file that is shorter than
// evaluate.interval, and says how many samples lie between two scores.
func TestPageOfAShortReplay(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "short.csv")
	rows := "time,a\n"
	for i := range 60 {
		rows += fmt.Sprintf("%d,%d\n", 1767225600+3600*i, i%7)
	}
	writeFile(t, path, []byte(rows))
	replay := start(t, "forecaster", "replay", path, "--serve", "--set", "server.listen=127.0.0.1:0")
	address := ""
	if !poll(func() bool {
		_, rest, _ := strings.Cut(replay.stderr.String(), "the page stays at ")
		line, _, ok := strings.Cut(rest, " until Ctrl-C\n")
		address = line
		return ok
	}) {
		t.Fatalf("the page is not announced:\n%s", replay.stderr.String())
	}
	resp, err := http.Get(address + "/api/v1/metrics?series=short")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var metrics struct {
		Scores []struct {
			Target string
			N      int
		}
		Every int
	}
	if err := json.NewDecoder(resp.Body).Decode(&metrics); err != nil {
		t.Fatal(err)
	}
	if len(metrics.Scores) == 0 || metrics.Scores[0].N != 59 || metrics.Every != 100 {
		t.Errorf("%+v, want scores of 59 forecasts, and 100 samples between two scores", metrics)
	}
	replay.terminate(t)
}

// TestPageOfTheDemo: a forecast with its interval, which moves while the demo
// runs.
func TestPageOfTheDemo(t *testing.T) {
	t.Parallel()
	demo := start(t, "forecaster", "demo", "--listen", "127.0.0.1:0", "--rate", "100", "--out", t.TempDir())
	address := ""
	if !poll(func() bool {
		_, rest, _ := strings.Cut(demo.stderr.String(), "Live page: ")
		line, _, ok := strings.Cut(rest, "\n")
		address = line
		return ok
	}) {
		t.Fatal("no line about the page")
	}
	var window struct {
		End      int64
		Forecast *struct {
			Horizon   []int
			Variables []struct {
				Lower [][]*float64 `json:"yhat_lower"`
			}
		}
	}
	ask := func() {
		t.Helper()
		window.Forecast = nil
		resp, err := http.Get(address + "/api/v1/forecast?series=simulated&variable=x1&samples=1")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			if err := json.NewDecoder(resp.Body).Decode(&window); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !poll(func() bool {
		ask()
		f := window.Forecast
		return f != nil && len(f.Horizon) == demoHorizon && f.Variables[0].Lower[0][demoHorizon-1] != nil
	}) {
		t.Fatalf("no forecast of %d steps with intervals: %+v", demoHorizon, window)
	}
	first := window.End
	if !poll(func() bool { ask(); return window.End > first }) {
		t.Error("the forecast does not move")
	}
	if code := demo.terminate(t); code != exitFailed || !strings.Contains(demo.stderr.String(), "interrupted after") {
		t.Errorf("SIGTERM: exit code %d", code)
	}
}
