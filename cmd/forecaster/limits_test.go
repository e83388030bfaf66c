//go:build !race

package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/internal/study"
)

// TestLimitSkill: warnings of limits beat those of the seasonal naive. Simulated is a daily cycle with correlated
// noise; files are the bundled one and, where FORECASTER_DATA names the folder, two of real sensors. Each bound is
// two thirds of the figures of the first measurement.
func TestLimitSkill(t *testing.T) {
	dir := t.TempDir()
	var cycle bytes.Buffer
	cycle.WriteString("time,y\n")
	rng := rand.New(rand.NewPCG(3, 1))
	noise, begin := 0., time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 1500 {
		noise = .9*noise + rng.NormFloat64()
		fmt.Fprintf(&cycle, "%s,%.4f\n", begin.Add(time.Duration(i)*time.Hour).Format(time.RFC3339), 10+5*math.Sin(2*math.Pi*float64(i)/24)+2*noise)
	}
	writeFile(t, filepath.Join(dir, "cycle.csv"), cycle.Bytes())
	writeFile(t, filepath.Join(dir, "macrodata.csv"), dataset.MacrodataCSV())
	for _, c := range []struct {
		file, limits, horizon string
		rows                  int
		least                 float64
	}{
		{"cycle.csv", "y <= 17", "12", 0, .3},
		{"macrodata.csv", "unemp <= 7.68,infl <= 8.732", "8", 0, .025},
		{"ETTh2.csv", "OT <= 46.36,HUFL <= 52.94", "12", 4000, .35},
		{"air_quality_uci.csv", "PT08_S5_O3 <= 1473,T <= 31", "12", 3000, .23},
	} {
		t.Run(c.file, func(t *testing.T) {
			path := filepath.Join(dir, c.file)
			if c.rows > 0 {
				data := os.Getenv("FORECASTER_DATA")
				if data == "" {
					t.Skip("FORECASTER_DATA is not set")
				}
				writeFile(t, path, cutLines(readFile(t, filepath.Join(data, c.file)), c.rows+1))
			}
			var names []string
			for limit := range strings.SplitSeq(c.limits, ",") {
				names = append(names, strings.Fields(limit)[0])
			}
			var e study.Evaluation
			unmarshal(t, mustCall(t, "evaluate", path, "--models", "auto", "--horizons", c.horizon, "--output", "json",
				"--set", "model.limits="+c.limits, "--set", "pipeline.variables="+strings.Join(names, ",")), &e)
			if len(e.Limits) != 2*len(names) {
				t.Fatalf("%+v", e.Limits)
			}
			for _, l := range e.Limits {
				t.Logf("%s %s %s: n %d, reached %.3f, brier %.4f, skill %.3f", l.Model, l.Target, l.Limit, l.N, l.Reached, l.Brier, l.SkillVsSeasonal)
				if l.Model == "auto" && !(float64(l.SkillVsSeasonal) > c.least) {
					t.Errorf("the skill of %s is %.3f, want more than %v", l.Target, l.SkillVsSeasonal, c.least)
				}
				if l.N < 100 || !(l.Reached > 0 && l.Reached < 1) || !(l.Brier > 0 && l.Brier < 1) {
					t.Errorf("%+v", l)
				}
			}
		})
	}
}

// TestLimitOutputs: the probability is in every kind of file, with the same digits, and the event in line protocol.
func TestLimitOutputs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "data.csv")
	writeFile(t, file, dataset.MacrodataCSV())
	for out, want := range map[string][]string{
		"out.csv":   {",yhat_upper,limit_probability\n"},
		"out.jsonl": {`"limit_probability":`},
		"out.lp":    {",unemp_limit_probability=", ",unemp_time_to_limit=", `kind=limit`, `unemp <= 7 is expected to be reached in `, "is no longer expected"},
	} {
		path := filepath.Join(dir, out)
		mustCall(t, "replay", file, "--model", "var1", "--horizon", "4", "--out", path, "--set", "model.limits=unemp <= 7")
		for _, w := range want {
			if !bytes.Contains(readFile(t, path), []byte(w)) {
				t.Errorf("%s has no %q", out, w)
			}
		}
		without := filepath.Join(dir, "without-"+out)
		mustCall(t, "replay", file, "--model", "var1", "--horizon", "4", "--out", without)
		if bytes.Contains(readFile(t, without), []byte("limit")) {
			t.Errorf("%s has limits without any", without)
		}
	}
	code, _, stderr := call(t, "replay", file, "--set", "model.limits=unemp < 7")
	if code != exitUsage || !strings.Contains(stderr, "model.limits: element 0 must be VARIABLE with >= LOW") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	_, _, stderr = call(t, "replay", file, "--model", "persistence", "--set", "model.limits=unempl <= 7")
	if !strings.Contains(stderr, `model.limits: there is no variable "unempl"`) {
		t.Errorf("a variable that is not there: %s", stderr)
	}
}

// TestForecastOfLimits: every output of forecast has the probability of replay's file, and a variable without a
// limit has none.
func TestForecastOfLimits(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "data.csv"), filepath.Join(dir, "out.csv")
	writeFile(t, file, dataset.MacrodataCSV())
	args := []string{"forecast", file, "--model", "var1", "--horizon", "4", "--set", "model.limits=unemp <= 7", "--set", "pipeline.variables=infl,unemp"}
	mustCall(t, append(args, "--out", out)...)
	var points struct {
		Forecasts []struct {
			Target string   `json:"target"`
			Reach  *float64 `json:"limit_probability"`
		} `json:"forecasts"`
	}
	unmarshal(t, mustCall(t, append(args, "--output", "json")...), &points)
	table := mustCall(t, append(args, "--output", "table")...)
	csv := strings.Split(strings.TrimSpace(string(readFile(t, out))), "\n")[1:]
	if len(points.Forecasts) != 8 || len(csv) != 8 || !strings.Contains(table, "at limit") {
		t.Fatalf("%d forecasts, %d lines, %s", len(points.Forecasts), len(csv), table)
	}
	for i, p := range points.Forecasts {
		written := csv[i][strings.LastIndexByte(csv[i], ',')+1:]
		switch {
		case p.Target == "infl":
			if p.Reach != nil || written != "" {
				t.Errorf("infl has no limit: %v, %q", p.Reach, written)
			}
		case p.Reach == nil || fmt.Sprint(*p.Reach) != written:
			t.Errorf("%v in JSON, %s in CSV", p.Reach, written)
		case !strings.Contains(table, fmt.Sprintf("│ %8s │", probability(*p.Reach))):
			t.Errorf("the table lacks %.2g: %s", *p.Reach, table)
		}
	}
	for p, want := range map[float64]string{0: "0", 1e-15: "< 0.01", .01: "0.01", .5: "0.5", .99: "0.99", .9901: "> 0.99", 1: "1"} {
		if got := probability(p); got != want {
			t.Errorf("%v is printed as %s, want %s", p, got, want)
		}
	}
}
