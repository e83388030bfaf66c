//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestComparisonIsOfNMSE: where variables have units of their own, the second table has the
// differences of the column nmse, and the best model is that of the lowest nmse.
func TestComparisonIsOfNMSE(t *testing.T) {
	var e struct {
		Results []struct {
			Model string
			NMSE  float64
		}
		Comparisons []struct {
			Model, Against, Measure  string
			Difference, Lower, Upper float64
		}
	}
	out := mustCall(t, "evaluate", "../../eval/dataset/macrodata.csv", "--models", "persistence,var1,ar2", "--score-rows", "60:", "--output", "json")
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		t.Fatal(err)
	}
	nmse := make(map[string]float64)
	for _, r := range e.Results {
		nmse[r.Model] = r.NMSE
	}
	if len(e.Comparisons) != 3 {
		t.Fatalf("%d comparisons", len(e.Comparisons))
	}
	for _, c := range e.Comparisons {
		// The two sums run in another order.
		if want := nmse[c.Model] - nmse[c.Against]; c.Measure != "nmse" || !(math.Abs(c.Difference-want) < 1e-12) || !(c.Lower < want && want < c.Upper) {
			t.Errorf("%s - %s: %+v, want a difference of nmse of %g", c.Model, c.Against, c, want)
		}
	}
	for _, args := range [][]string{{"--scale-rows", "60"}, {"--set", "input.csv.value_columns=cpi"}} {
		all := append([]string{"evaluate", "../../eval/dataset/macrodata.csv", "--models", "persistence,var1", "--output", "json"}, args...)
		if out := mustCall(t, all...); !strings.Contains(out, `"measure": "mse"`) {
			t.Errorf("%v: the measure is not mse", args)
		}
	}
}

// TestIntervalOfStandardInput: rows of standard input that do not fit to pipeline.interval are
// refused as those of a file are.
func TestIntervalOfStandardInput(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("time,a,b\n")
	for i := range 150 {
		fmt.Fprintf(&rows, "%d,%d,%d\n", 1767225600+3600*i, i%5, i%7)
	}
	for _, command := range []string{"evaluate", "anomalies", "influence"} {
		for interval, want := range map[string]string{"2h": "the rows are 1h apart and pipeline.interval is 2h", "10m": "every row would stand alone"} {
			setStdin(t, rows.String())
			code, stdout, stderr := call(t, command, "-", "--set", "input.file.format=csv", "--set", "pipeline.interval="+interval)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("%s, interval %s: exit code %d\n%s%s", command, interval, code, stdout, stderr)
			}
		}
	}
}

// TestInterruptedForecast: the forecasts of a part of a file are not printed as those of the file.
func TestInterruptedForecast(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := execute(ctx, []string{"forecast", "../../eval/dataset/macrodata.csv"}, strings.NewReader(""), &stdout, &stderr)
	if code != exitFailed || stdout.Len() > 0 || stderr.String() != "forecaster: interrupted\n" {
		t.Errorf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}
}

// TestInterruptedReplay: an interrupted replay with a state prints the command that continues,
// without secrets, and that command continues.
func TestInterruptedReplay(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	state := filepath.Join(t.TempDir(), "the state")
	args := []string{"replay", "../../eval/dataset/macrodata.csv", "--model", "var1", "--state", state}
	var stdout, stderr bytes.Buffer
	code := execute(ctx, append(args, "--set", "server.token=hidden"), strings.NewReader(""), &stdout, &stderr)
	want := `interrupted: the scores are those of the rows before, which ` + state + ` has learnt; go on with the next row with: forecaster ` +
		`replay ../../eval/dataset/macrodata.csv --model var1 --state "` + state + `" --set server.token=...`
	if code != exitFailed || !strings.Contains(stderr.String(), want) {
		t.Errorf("exit code %d, want %s\n%s", code, want, stderr.String())
	}
	if said := mustCall(t, args...); !strings.Contains(said, "203 rows in") {
		t.Errorf("the same command: %s", said)
	}
}

// TestRowsBehindTheirSuccessors: every command reports rows behind later ones, and that the series goes
// on from their time. It names --sort, and with --sort no row is refused.
func TestRowsBehindTheirSuccessors(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("time,a,b\n")
	for i := range 300 {
		hour := (i + 150) % 300
		fmt.Fprintf(&rows, "%d,%d,%d\n", 1767225600+3600*hour, hour%24, hour%7)
	}
	path := filepath.Join(t.TempDir(), "halves.csv")
	writeFile(t, path, []byte(rows.String()))
	for _, args := range [][]string{
		{"replay"}, {"forecast"}, {"describe"}, {"anomalies"}, {"evaluate", "--models", "var1"},
	} {
		args = append(args, path, "--max-refused", "1")
		code, stdout, stderr := call(t, args...)
		for _, says := range []string{"refused: 9 late", "halves.csv:152", "--sort", "rows are older than rows before them: after ten in a row the series goes on from their time"} {
			if code != exitDone || !strings.Contains(stdout+stderr, says) {
				t.Errorf("%v: exit code %d, nothing says %q:\n%s%s", args, code, says, stdout, stderr)
			}
		}
		if code, _, stderr := call(t, append(args, "--sort")...); code != exitDone || strings.Contains(stderr, "late") || strings.Contains(stderr, "older") {
			t.Errorf("%v --sort: exit code %d\n%s", args, code, stderr)
		}
	}
	_, _, stderr := call(t, "run", "--set", "input.file.path="+path, "--set", "output.discard={}")
	if !strings.Contains(stderr, `"records":300,"refused":9`) || !strings.Contains(stderr, "the time was wrong") {
		t.Errorf("run does not say that the time went back, and how many rows were refused:\n%s", stderr)
	}
}

// TestAnomaliesWithoutAClock: the anomalies of a file with numbers of rows have these in place of times of 1970.
func TestAnomaliesWithoutAClock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steps.csv")
	text := "step,a\n"
	for i, r := 0, rand.New(rand.NewPCG(1, 1)); i < 400; i++ {
		v := r.NormFloat64()
		if i == 300 {
			v = 50
		}
		text += fmt.Sprintf("%d,%g\n", i, v)
	}
	writeFile(t, path, []byte(text))
	if out := mustCall(t, "anomalies", path, "--wide"); !strings.Contains(out, "row 300") || strings.Contains(out, "1970") || strings.Contains(out, " a day") {
		t.Errorf("%s", out)
	}
}

// TestNotesOfOrdinaryFiles: 1.234 is noted where a decimal comma is possible, so not between commas.
func TestNotesOfOrdinaryFiles(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		command, comma string
		noted          bool
	}{{"forecast", ",", false}, {"evaluate", ",", false}, {"describe", ",", false}, {"forecast", ";", true}, {"evaluate", ";", true}} {
		path := filepath.Join(dir, "data.csv")
		writeFile(t, path, []byte(strings.ReplaceAll("time,a\n2026-01-01,1.234\n2026-01-02,2.345\n2026-01-03,1.345\n", ",", c.comma)))
		if code, _, stderr := call(t, c.command, path); code != exitDone || strings.Contains(stderr, "noted: 1.234 of column a has a decimal point") != c.noted {
			t.Errorf("%s with %q: exit code %d\n%s", c.command, c.comma, code, stderr)
		}
	}
}

// TestForecastNamesUTC reads 16 hourly rows from midnight in Berlin. The header of the table names UTC: the last row has
// the local time 15:00, and the first forecast has the same time in UTC.
func TestForecastNamesUTC(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.csv")
	text := "time,x\n"
	for i := range 16 {
		text += fmt.Sprintf("2026-01-01 %02d:00:00,%d\n", i, i%3)
	}
	writeFile(t, file, []byte(text))
	for zone, want := range map[string]string{"UTC": "16:00", "Europe/Berlin": "15:00"} {
		got := mustCall(t, "forecast", file, "--model", "persistence", "--time-zone", zone)
		if !strings.Contains(got, "2026-01-01 "+want) || strings.Contains(got, "│ UTC ") != (zone != "UTC") {
			t.Errorf("%s:\n%s", zone, got)
		}
	}
}
