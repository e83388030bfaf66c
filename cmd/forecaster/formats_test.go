//go:build unix && !race

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFormatsAgree: the same samples give the same forecasts, to the byte,
// whether they are in a file as rows, as one variable a line in any order, or as
// line protocol; and the same table of models.
func TestFormatsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	files := map[string]*strings.Builder{"wide.csv": {}, "long.csv": {}, "long.jsonl": {}, "telegraf.lp": {}}
	files["wide.csv"].WriteString("time,cpu,mem\n")
	files["long.csv"].WriteString("unique_id,ds,variable,y\n")
	var late []string // of the JSON file: a value that comes two rows after its time
	for i := range 200 {
		at := 1767225600 + 10*i
		cpu, mem := fmt.Sprint(math.Sin(float64(i)/5)+.1*rng.NormFloat64()), ""
		if i < 2 || rng.IntN(5) > 0 {
			mem = fmt.Sprint(math.Cos(float64(i) / 5))
		}
		fmt.Fprintf(files["wide.csv"], "%d,%s,%s\n", at, cpu, mem)
		parts := []string{fmt.Sprintf("host,%d,cpu,%s\n", at, cpu), fmt.Sprintf("host,%d,mem,%s\n", at, mem)}
		rng.Shuffle(2, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		files["long.csv"].WriteString(parts[0] + parts[1])
		now := []string{fmt.Sprintf(`{"unique_id": "host", "ds": %d, "variable": "cpu", "y": %s}`+"\n", at, cpu)}
		if mem != "" {
			line := fmt.Sprintf(`{"unique_id": "host", "ds": %d, "variable": "mem", "y": %s}`+"\n", at, mem)
			if late = append(late, line); len(late) > 2 || i < 2 || i > 195 {
				now, late = append(now, late...), nil
			}
		}
		files["long.jsonl"].WriteString(strings.Join(now, ""))
		fmt.Fprintf(files["telegraf.lp"], "host cpu=%s %d000000000\n", cpu, at)
		if mem != "" {
			fmt.Fprintf(files["telegraf.lp"], "host mem=%s,state=\"up\" %d000000000\n", mem, at)
		}
	}
	forecasts := func(name string, settings ...string) string {
		in, out := filepath.Join(dir, name), filepath.Join(dir, name+".out.csv")
		writeFile(t, in, []byte(files[name].String()))
		mustCall(t, append([]string{
			"replay", in, "--out", out, "--model", "var1", "--horizon", "2", "--set", "pipeline.interval=10s",
		}, settings...)...)
		return string(readFile(t, out))
	}
	want := forecasts("wide.csv", "--series", "host")
	if n := strings.Count(want, "\n"); n < 4*190 {
		t.Fatalf("%d lines", n)
	}
	long := []string{"--set", "input.csv.series_column=unique_id", "--set", "input.csv.time_column=ds", "--set", "input.csv.variable_column=variable"}
	for name, settings := range map[string][]string{
		"long.csv":    long,
		"long.jsonl":  {"--set", "input.json.layout=long", "--set", "pipeline.wait=60s"},
		"telegraf.lp": nil,
	} {
		if got := forecasts(name, settings...); got != want {
			t.Errorf("%s: %d bytes, want %d; the first difference is in line %d", name, len(got), len(want), firstDifference([]byte(got), []byte(want)))
		}
	}
	table := mustCall(t, append([]string{"evaluate", filepath.Join(dir, "long.csv"), "--models", "var1", "--set", "pipeline.interval=10s"}, long...)...)
	if !strings.Contains(table, "200 rows, 2 variables") {
		t.Errorf("evaluate says\n%s", table)
	}
}

// The last row of a file counts, although rows wait for further values: no value follows. With --state it stays open, and
// one more row gives what a file of all rows gives.
func TestLastRowOfAFile(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "load.csv"), filepath.Join(dir, "out.csv")
	settings := []string{"--model", "persistence", "--set", "pipeline.interval=1h", "--set", "pipeline.wait_for_late=true"}
	rows := func(n int) {
		var b strings.Builder
		b.WriteString("time,load\n")
		for i := range n {
			fmt.Fprintf(&b, "2026-01-01T%02d:00:00Z,%d\n", i, 10+i)
		}
		writeFile(t, path, []byte(b.String()))
	}
	replay := func(args ...string) string {
		mustCall(t, append(append([]string{"replay", path, "--out", out}, settings...), args...)...)
		return string(readFile(t, out))
	}
	rows(20)
	if got := replay(); !strings.Contains(got, "2026-01-01T20:00:00Z,load,load,1,persistence,29,") {
		t.Errorf("replay says\n%s", got)
	}
	if got := mustCall(t, append([]string{"forecast", path, "--output", "csv"}, settings...)...); !strings.Contains(got, "T20:00:00Z,load,load,1,persistence,29,") {
		t.Errorf("forecast says\n%s", got)
	}
	lines := strings.Split(strings.TrimSpace(mustCall(t, append([]string{"forecast", path, "--follow"}, settings...)...)), "\n")
	if len(lines) != 21 || !strings.Contains(lines[20], "T20:00:00Z") {
		t.Errorf("--follow says\n%s", strings.Join(lines, "\n"))
	}
	if got := mustCall(t, append([]string{"evaluate", path, "--models", "persistence", "--set", "model.horizon=1"}, settings[2:]...)...); !strings.Contains(got, "20 rows") {
		t.Errorf("evaluate says\n%s", got)
	}
	os.Remove(out)
	state := filepath.Join(dir, "state")
	if got := replay("--state", state); strings.Contains(got, "T20:00:00Z") {
		t.Errorf("with --state the last row is closed:\n%s", got)
	}
	rows(21)
	got := replay("--state", state)
	if !strings.Contains(got, "T20:00:00Z,load,load,1,persistence,29,") || strings.Contains(got, "T21:00:00Z") {
		t.Errorf("after one more row:\n%s", got)
	}
}
