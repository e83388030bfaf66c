package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval/dataset"
)

// TestFollow: the answers, line by line, have the forecasts that replay writes, also when a replay
// has learnt the first half and the second one goes on from its checkpoint.
func TestFollow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lines := bytes.SplitAfter(bytes.TrimSpace(dataset.MacrodataCSV()), []byte("\n"))
	table := func(name string, rows [][]byte) string {
		path := filepath.Join(dir, name)
		writeFile(t, path, append(slices.Clone(lines[0]), bytes.Join(rows, nil)...))
		return path
	}
	run := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := call(t, append(args, "--series", "s", "--horizon", "3", "--set", "model.levels=[0.5, 0.9]")...)
		if code != exitDone {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
		}
		return stdout
	}
	whole, first := table("whole.csv", lines[1:]), table("first.csv", lines[1:101])
	out, state := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "state")
	run("replay", whole, "--out", out)
	want := bytes.Split(bytes.TrimSpace(readFile(t, out)), []byte("\n"))

	check := func(answers string, want [][]byte) {
		t.Helper()
		n := 0
		for _, line := range strings.Split(strings.TrimSpace(answers), "\n") {
			var a struct {
				Forecasts []forecastPoint
				Refused   string
			}
			if err := json.Unmarshal([]byte(line), &a); err != nil || a.Refused != "" {
				t.Fatalf("%v in %s", err, line)
			}
			for _, p := range a.Forecasts {
				for _, interval := range p.Intervals {
					var w struct {
						Time, Target string
						Horizon      int
						Yhat         float64
						Lower        *float64 `json:"yhat_lower"`
						Upper        *float64 `json:"yhat_upper"`
						Level        float64
					}
					if n == len(want) {
						t.Fatal("more forecasts than replay writes")
					}
					if err := json.Unmarshal(want[n], &w); err != nil {
						t.Fatal(err)
					}
					n++
					var lower, upper float64 // null is read as 0
					if w.Lower != nil {
						lower, upper = *w.Lower, *w.Upper
					}
					if p.Time != w.Time || p.Target != w.Target || p.Horizon != w.Horizon || float64(p.Yhat) != w.Yhat ||
						float64(interval.Level) != w.Level || float64(interval.Lower) != lower || float64(interval.Upper) != upper {
						t.Fatalf("answer %+v, replay %s", p, want[n-1])
					}
				}
			}
		}
		if n != len(want) {
			t.Fatalf("%d bounds, replay writes %d", n, len(want))
		}
	}
	check(run("forecast", whole, "--follow"), want)

	run("replay", first, "--state", state)
	const perRow = 12 * 3 * 2                                                     // variables, horizons, levels
	check(run("forecast", whole, "--follow", "--state", state), want[99*perRow:]) // the first row has no forecast
	if got := run("forecast", whole, "--follow", "--state", state); got != "" {
		t.Errorf("rows that the checkpoint has were answered again: %s", got)
	}
}

// TestFollowRefuses: each line has its answer, and the next ones are answered.
func TestFollowRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	writeFile(t, path, []byte(`{"time":"2026-01-01T00:00:00Z","values":{"a":1}}
{"time":"2026-01-01T00:00:01Z","values":{"a":2}}
{"time":"2026-01-01T00:00:01Z","values":{"a":3}}
nonsense
{"time":"2026-01-01T00:00:02Z","values":{"a":2}}
`))
	code, stdout, stderr := call(t, "forecast", path, "--follow", "--model", "persistence")
	answers := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != exitDone || len(answers) != 5 {
		t.Fatalf("exit code %d, %d answers\n%s%s", code, len(answers), stdout, stderr)
	}
	for i, want := range []string{`{"forecasts":[]}`, `"yhat":2,`, `"refused":"duplicate: `, `"refused":"malformed: `, `"yhat":2,`} {
		if !strings.Contains(answers[i], want) {
			t.Errorf("answer %d: %s, want %s", i+1, answers[i], want)
		}
	}
	setStdin(t, "nonsense\n"+string(readFile(t, path)))
	code, stdout, stderr = call(t, "forecast", "-", "--follow", "--model", "persistence")
	first, _, _ := strings.Cut(stdout, "\n")
	if code != exitDone || !strings.Contains(first, `"refused":"malformed: `) || strings.Count(stdout, "\n") != 6 || !strings.Contains(stderr, "name the format with --set input.file.format=csv") {
		t.Errorf("a broken first line: exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := call(t, "forecast", path, "--state", "x"); code != exitUsage || !strings.Contains(stderr, "--follow") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// setStdin makes text the standard input of the process for the rest of the test.
func setStdin(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stdin")
	writeFile(t, path, []byte(text))
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = f
	t.Cleanup(func() {
		os.Stdin = before
		f.Close()
	})
}
