//go:build !race

package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// maintained simulates an hourly load that falls during maintenance, and the occurrences of
// that as a file of events: n hours.
func maintained(n int) (data, events []byte) {
	r := rand.New(rand.NewPCG(11, 12))
	var d, e bytes.Buffer
	d.WriteString("time,load,queue\n")
	e.WriteString("name,from,to\n")
	at := func(hour int) string { return time.Unix(1767225600+3600*int64(hour), 0).UTC().Format(time.RFC3339) }
	begin, end := 0, 0
	for i := range n {
		if i >= end {
			begin = i + 20 + r.IntN(40)
			end = begin + 3 + r.IntN(4)
			fmt.Fprintf(&e, "maintenance,%s,%s\n", at(begin), at(end))
		}
		load := 10 + r.NormFloat64()
		if i >= begin {
			load = 2
		}
		fmt.Fprintf(&d, "%s,%.4f,%.4f\n", at(i), load, max(0, r.NormFloat64()))
	}
	return d.Bytes(), e.Bytes()
}

// TestEvents: maintenance that is known ahead is forecast, whatever comes after it in the
// file of events, and a state goes on when that has grown, but not with other names.
func TestEvents(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	data, events := maintained(2880)
	writeFile(t, path("data.csv"), data)
	writeFile(t, path("events.csv"), events)
	with := "model.events=" + path("events.csv")
	scores := func(args ...string) map[string]map[string]any {
		args = append([]string{path("data.csv"), "--models", "auto", "--horizons", "1,12", "--score-rows", "700:", "--set", "pipeline.variables=load"}, args...)
		return evaluateJSON(t, args...)
	}
	// The noise is 1; each window of five hours has a loss of 64 without a warning.
	without, known := scores(), scores("--set", with)
	for _, at := range []string{"auto at 1", "auto at 12"} {
		a, b := without[at]["mse"].(float64), known[at]["mse"].(float64)
		t.Logf("%s: mean squared error %.2f without the events, %.2f with them", at, a, b)
		if !(b <= .5*a) {
			t.Errorf("%s: the events leave more than half of the error", at)
		}
	}

	// A state that was left in the middle, and more events then.
	writeFile(t, path("first.csv"), cutLines(data, 801))
	lines := bytes.Count(events, []byte("\n"))
	whole := path("whole.csv")
	mustCall(t, "replay", path("data.csv"), "--series", "s", "--horizon", "4", "--out", whole, "--set", with)
	writeFile(t, path("events.csv"), cutLines(events, lines*2/3))
	mustCall(t, "replay", path("first.csv"), "--series", "s", "--horizon", "4", "--out", path("parts.csv"), "--set", with, "--state", path("state"))
	writeFile(t, path("later.csv"), append(cutLines(data, 1), bytes.Join(bytes.SplitAfter(data, []byte("\n"))[801:], nil)...))
	writeFile(t, path("other.csv"), append(bytes.Clone(events), "holiday,2026-02-01,2026-02-01\n"...))
	code, _, stderr := call(t, "replay", path("data.csv"), "--series", "s", "--horizon", "4", "--out", path("parts.csv"), "--set", "model.events="+path("other.csv"), "--state", path("state"))
	if code == exitDone || !strings.Contains(stderr, "model.events.names") {
		t.Errorf("another name: exit code %d, %s", code, stderr)
	}
	writeFile(t, path("more.csv"), events)
	mustCall(t, "replay", path("data.csv"), "--series", "s", "--horizon", "4", "--out", path("parts.csv"), "--set", "model.events="+path("more.csv"), "--state", path("state"))
	if !bytes.Equal(readFile(t, whole), readFile(t, path("parts.csv"))) {
		t.Error("a replay in two parts, with a file of events that has grown, has other forecasts than one in a go")
	}
}

// TestBounds: forecasts and intervals stay in the bounds of the variables that have some, of a model that learns none.
func TestBounds(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "data.csv"), filepath.Join(dir, "out.csv")
	data, _ := maintained(300)
	writeFile(t, file, data)
	below := func(args ...string) (count int) {
		mustCall(t, append([]string{"replay", file, "--model", "var1", "--horizon", "2", "--out", out}, args...)...)
		rows, err := csv.NewReader(bytes.NewReader(readFile(t, out))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			for _, cell := range row[5:] {
				if v, err := strconv.ParseFloat(cell, 64); err == nil && row[2] == "queue" && v < 0 {
					count++
				}
			}
		}
		return count
	}
	if below() == 0 {
		t.Error("no interval below 0 without bounds")
	}
	for _, set := range []string{"model.non_negative=queue", "model.non_negative=*", "model.bounds=queue >= 0 <= 9,load >= -100"} {
		if n := below("--set", set); n > 0 {
			t.Errorf("%s: %d values below 0", set, n)
		}
	}
}

// TestInputsEnd: a note names the last known input where forecasts go further, and only there.
func TestInputsEnd(t *testing.T) {
	const rows = 30 // with x0 and x1, before two with x1 alone
	file := filepath.Join(t.TempDir(), "data.csv")
	lines := bytes.SplitAfter(seriesCSV(rows+2, 2, 0, 5), []byte("\n"))
	for i, line := range lines[1+rows:] {
		if fields := bytes.Split(line, []byte(",")); len(fields) == 3 {
			fields[1] = nil
			lines[1+rows+i] = bytes.Join(fields, []byte(","))
		}
	}
	writeFile(t, file, bytes.Join(lines, nil))
	for _, c := range []struct {
		note bool
		args []string
	}{
		{false, []string{"--known-inputs", "--horizon", "2"}},
		{true, []string{"--known-inputs", "--horizon", "3"}},
		{false, []string{"--horizon", "3"}},
		{false, []string{"--known-inputs", "--horizon", "2", "--set", "pipeline.interval=1m"}},
	} {
		_, _, stderr := call(t, append([]string{"forecast", file, "--set", "model.exogenous=x1"}, c.args...)...)
		if got := strings.Contains(stderr, "the inputs of series data end at 2026-01-01 00:31"); got != c.note {
			t.Errorf("%v: %s", c.args, stderr)
		}
	}
}
