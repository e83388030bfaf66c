package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// TestRestartWithOtherOutputs: a job restarted with another horizon, levels, emitted horizons and windows keeps the
// state of its model. Its one-step forecasts equal those of a job that was never stopped. Other settings are
// refused by name.
func TestRestartWithOtherOutputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	const rows, before = 420, 360
	writeFile(t, path("all.csv"), twoWaves(0, rows))
	writeFile(t, path("growing.csv"), twoWaves(0, before))
	run := func(in, state, out string, sets ...string) (int, string) {
		args := []string{"run"}
		for _, s := range append([]string{
			"input.file.path=" + path(in), "input.file.series=s", "state.dir=" + path(state), "output.file.path=" + path(out), "pipeline.interval=1m",
		}, sets...) {
			args = append(args, "--set", s)
		}
		code, _, stderr := call(t, args...)
		return code, stderr
	}
	if code, stderr := run("all.csv", "whole", "whole.csv"); code != 0 {
		t.Fatal(stderr)
	}
	if code, stderr := run("growing.csv", "state", "first.csv"); code != 0 {
		t.Fatal(stderr)
	}
	writeFile(t, path("growing.csv"), twoWaves(0, rows))

	code, stderr := run("growing.csv", "state", "second.csv", "model.type=var2")
	if code != exitFailed || !strings.Contains(stderr, "model.type: the checkpoint has auto, the configuration var2. Go back to what the checkpoint has, or start over with: forecaster checkpoint reset") {
		t.Errorf("another model: exit code %d\n%s", code, stderr)
	}
	other := []string{"model.horizon=12", "model.levels=0.5,0.95", "pipeline.emit=1,6,12", "evaluate.window=64"}
	code, stderr = run("growing.csv", "state", "first.csv", other...)
	if code != exitFailed || !strings.Contains(stderr, "has the columns time,") || !strings.Contains(stderr, "Give the output another path") {
		t.Errorf("a file of other columns: exit code %d\n%s", code, stderr)
	}
	code, stderr = run("growing.csv", "state", "second.csv", other...)
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, key := range []string{"model.horizon", "model.levels", "pipeline.emit", "evaluate.window"} {
		if !strings.Contains(stderr, `"key":"`+key+`"`) {
			t.Errorf("the log does not say that %s has changed:\n%s", key, stderr)
		}
	}
	want, got := oneStepOf(t, path("whole.csv")), oneStepOf(t, path("second.csv"))
	if n := 2 * (rows - before); len(got) != n || len(want) < n {
		t.Fatalf("%d and %d forecasts of one step, want at least %d", len(want), len(got), n)
	}
	for at, yhat := range got {
		if want[at] != yhat {
			t.Fatalf("%s: %s, and %s without a restart", at, yhat, want[at])
		}
	}
	if !strings.Contains(string(readFile(t, path("second.csv"))), ",12,auto,") {
		t.Error("no forecast of 12 steps")
	}
}

// twoWaves returns rows of a file of two noisy waves, a minute apart.
func twoWaves(from, to int) []byte {
	lines := []byte("time,a,b\n")
	for i := from; i < to; i++ {
		x := float64(i)
		lines = fmt.Appendf(lines, "%d,%.6f,%.6f\n", 1_700_000_000+60*i, 10+math.Sin(x/7)+math.Sin(x*x), 5+math.Cos(x/7)+.3*math.Sin(x*x*x))
	}
	return lines
}

// oneStepOf returns the forecasts of one step in a file, by time and variable.
func oneStepOf(t *testing.T, path string) map[string]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(string(readFile(t, path)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	forecasts := make(map[string]string)
	for _, row := range all {
		if row[3] == "1" {
			forecasts[row[0]+" "+row[2]] = row[5]
		}
	}
	return forecasts
}
