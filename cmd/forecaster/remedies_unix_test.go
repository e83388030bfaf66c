//go:build unix && !race

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestErrorsNameARemedy: the error for a mistake of a new user ends with the command, the flag or the key that
// helps.
func TestErrorsNameARemedy(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"semicolon.csv": "time;a\n2026-01-01 00:00;1,5\n2026-01-01 01:00;1,6\n",
		"days.csv":      "day,a\n01/02/2026,1\n12/02/2026,2\n",
		"names.csv":     "name,a\nx,1\ny,2\n",
		"header.csv":    "time,a\n",
		"array.json":    `[{"time": 1, "a": 2}]`,
		"late.csv":      "time,a\n2026-01-01 00:00,1\n2026-01-01 01:00,1\n2025-01-01 01:00,1\n2025-01-01 02:00,1\n2026-01-01 02:00,1\n",
		"good.csv":      "time,a\n2026-01-01 00:00,1\n2026-01-01 01:00,2\n2026-01-01 02:00,1\n",
		"equal.csv":     "time,a\n2026-01-01 00:00,1\n2026-01-01 00:00,2\n2026-01-01 00:00,3\n",
		"novalues.csv":  "time,a\n2026-01-01 00:00,\n2026-01-01 01:00,\n2026-01-01 02:00,\n",
		"braces.yaml":   "output: {file: {path: out-{partition}.csv}}\n",
		"text.csv":      "time,a\n2026-01-01 00:00,x1\n2026-01-01 01:00,x2\n",
		"long.csv":      "time,host,metric,value\n" + "2026-01-01 00:00,x,cpu,1\n2026-01-01 00:00,x,mem,2\n2026-01-01 06:00,x,cpu,1\n2026-01-01 06:00,x,mem,2\n2026-01-01 12:00,x,cpu,1\n2026-01-01 12:00,x,mem,2\n",
		"fields.csv":    "time,a,b\n2026-01-01 00:00,1,2\n2026-01-01 01:00,1\n2026-01-01 02:00,1,2\n",
		"one.csv":       "a\n1\n2\n4\n",
		"pairs.csv":     "time,site,sensor,v\n2026-01-01,eu,a,1\n2026-01-01,eu,b,2\n2026-01-01,us,a,3\n2026-01-01,us,b,4\n2026-01-02,eu,a,1\n2026-01-02,eu,b,2\n2026-01-02,us,a,3\n2026-01-02,us,b,4\n",
		"cut.jsonl":     `{"time":1,"a":1}` + "\n" + `{"time":2,"a":` + "\n",
		"quoted.jsonl":  `{"time":1,"values":{"a":1}}` + "\n" + `{"time":2,"values":{"a":"1"}}` + "\n",
		"ts.jsonl":      `{"ts":1,"a":1}` + "\n",
		"kept.csv":      "time,series,target,horizon,model,yhat,yhat_lower,yhat_upper\n",
		"syntax.yaml":   "input:\n  kafka:\n    brokers: [localhost:9092\nmodel:\n  horizon: 3\n",
	} {
		writeFile(t, path(name), []byte(text))
	}
	for i := range 12 {
		writeFile(t, path(fmt.Sprintf("series-%02d.csv", i)), []byte("time,a\n"))
	}
	run := func(more ...string) []string {
		args := []string{"run", "--set", "input.file.path=" + path("good.csv"), "--set", "output.file.path=" + path("out.csv"), "--set", "state.dir=" + path("state")}
		return append(args, more...)
	}
	mustCall(t, run()...)
	broker := startBroker(t, "there")
	for _, c := range []struct {
		name string
		args []string
		want []string // in standard error, or standard output of lint
	}{
		{"semicolon", []string{"replay", path("semicolon.csv"), "--strict"}, []string{`--set "input.csv.comma=;" --set input.csv.decimal=,`}},
		{"order of day and month", []string{"replay", path("days.csv")}, []string{"--set input.csv.date_order=dmy"}},
		{"time unknown", []string{"replay", path("names.csv")}, []string{"--set input.csv.time_column=NAME"}},
		{"one array", []string{"replay", path("array.json")}, []string{"jq -c '.[]'"}},
		{"unsorted", []string{"replay", path("late.csv")}, []string{"--sort"}},
		{"file missing", []string{"replay", path("god.csv")}, []string{"no such file", "good.csv", "name one of these"}},
		{"file misspelt among many", []string{"replay", path("seriez-09.csv")}, []string{"seriez-09.csv", "has series-09.csv,", "more files; name one of these"}},
		{"state that is a file", []string{"replay", path("good.csv"), "--state", path("good.csv")}, []string{"good.csv: not a directory: the checkpoints need a directory"}},
		{"folder missing", []string{"forecast", path("no/god.csv")}, []string{"the folder is not there"}},
		{"file of lint missing", []string{"lint", "--connect", "--set", "input.file.path=" + path("god.csv"), "--set", "output.discard={}"}, []string{"input.file.path: ", "name one of these"}},
		{"file of produce missing, no broker", []string{"produce", path("god.csv"), "--topic", "t", "--brokers", "127.0.0.1:1"}, []string{"name one of these"}},
		{"no broker", []string{"produce", path("good.csv"), "--topic", "t", "--brokers", "127.0.0.1:1"}, []string{"no broker listens at 127.0.0.1:1: start it", "--brokers"}},
		{"topic missing", []string{"lint", "--connect", "--set", "input.kafka.brokers=" + broker, "--set", "input.kafka.topics=other", "--set", "output.discard={}"}, []string{"there is no topic other", "forecaster produce FILE --topic other"}},
		{"configuration changed", run("--set", "model.order=7"), []string{"model.order", "forecaster checkpoint reset"}},
		{"ending of an output", []string{"replay", path("good.csv"), "--out", path("out.xls")}, []string{"output.file.format", ".parquet"}},
		{"y in a live job", run("--set", "output.file.columns=y"), []string{"needs input.file, and no state"}},
		{"separator", []string{"replay", path("semicolon.csv"), "--set", "input.csv.separator=;"}, []string{`did you mean "input.csv.comma"?`}},
		{"separator as a flag", []string{"replay", path("semicolon.csv"), "--sep", ";"}, []string{"did you mean --set input.csv.comma=...?"}},
		{"all rows refused", []string{"replay", path("text.csv"), "--out", path("none.csv")}, []string{"all 2 rows were refused", "nothing was written to", "\n  malformed: for a missing value add --set input.csv.missing=x1,"}},
		{"all rows refused, into a file", []string{"replay", path("text.csv"), "--out", path("kept.csv")}, []string{"nothing was written to"}},
		{"two columns of text", []string{"replay", path("long.csv"), "--set", "input.csv.series_column=host"}, []string{"--set input.csv.variable_column=metric", "--set input.csv.variable_column=NAME", "--time-zone Europe/Berlin"}},
		{"long layout", []string{"replay", path("long.csv"), "--set", "input.csv.series_column=host", "--set", "input.csv.variable_column=metric"}, []string{"--set pipeline.interval=6h"}},
		{"fields missing", []string{"replay", path("fields.csv")}, []string{"malformed: repair the line", "input.csv.comma"}},
		{"time in another field", []string{"replay", path("ts.jsonl")}, []string{"--set input.json.time_field=ts"}},
		{"cut line of JSON", []string{"replay", path("cut.jsonl")}, []string{"malformed: repair the line: each has one whole object", "jq -c"}},
		{"number in quotes", []string{"replay", path("quoted.jsonl")}, []string{"malformed: a missing value is null, a number has no quotes"}},
		{"values without times", []string{"replay", path("one.csv")}, []string{"no column has values", "awk 'NR == 1"}},
		{"key without its block", []string{"replay", path("good.csv"), "--set", "horizon=3"}, []string{`did you mean "model.horizon"?`}},
		{"no configuration", []string{"run", "-c", path("job.yaml")}, []string{"job.yaml: no such file or directory: correct the path, or begin with  forecaster create > "}},
		{"too few rows left", []string{"forecast", path("equal.csv"), "--max-refused", "1"}, []string{"too few rows are left, 1 of 3 rows, for 1 series"}},
		{"no values", []string{"forecast", path("novalues.csv")}, []string{"too few of the rows have values, with 3 rows of 1 series"}},
		{"influence of one variable", []string{"influence", path("good.csv")}, []string{"has one variable, a, and an influence needs two"}},
		{"influence of few rows", []string{"influence", path("fields.csv"), "--max-refused", "1"}, []string{"too few rows for influences, 2"}},
		{"model without influences", []string{"influence", path("good.csv"), "--model", "seasonal"}, []string{"is known for auto, orffvar, varN", "not for seasonal\n"}},
		{"neither file nor network", []string{"influence"}, []string{"name a file, or give --network"}},
		{"braces in a block", []string{"lint", "-c", path("braces.yaml")}, []string{"put a text that has braces in quotes"}},
		{"configuration without -c", []string{"lint", path("job.yaml")}, []string{"a configuration is given with  forecaster lint -c "}},
		{"database is down", []string{"lint", "--connect", "--set", "input.file.path=" + path("good.csv"), "--set", "output.influxdb.url=http://127.0.0.1:1", "--set", "output.influxdb.org=o", "--set", "output.influxdb.bucket=b", "--set", "output.influxdb.token=t"}, []string{"start the server, or correct output.influxdb.url"}},
		{"model misspelt", []string{"evaluate", path("good.csv"), "--models", "vra1"}, []string{`got "vra1", did you mean var1?`}},
		{"format misspelt", []string{"replay", path("good.csv"), "--output", "jsn"}, []string{`must be one of table, json, got "jsn", did you mean json?`}},
		{"key without a value", []string{"replay", path("good.csv"), "--set", "model.horizon"}, []string{"--set model.horizon: must have the form KEY=VALUE"}},
		{"secret without its key", []string{"replay", path("good.csv"), "--set", "server.token:S3CR"}, []string{"--set server.token...: must have"}},
		{"list for one horizon", []string{"evaluate", path("good.csv"), "--horizon", "1,12"}, []string{"several are given with --horizons 1,12"}},
		{"-v", []string{"replay", path("good.csv"), "-v"}, []string{"unknown flag -v: the version is printed by  forecaster version"}},
		{"--verbose", []string{"replay", path("good.csv"), "--verbose"}, []string{"--set log.level=debug"}},
		{"report into no folder", []string{"replay", path("good.csv"), "--report", path("no/r.html")}, []string{"mkdir -p "}},
		{"command", []string{"frobnicate"}, []string{"forecaster -h"}},
	} {
		code, stdout, stderr := call(t, c.args...)
		if code == exitDone {
			t.Errorf("%s: done", c.name)
		}
		for _, want := range c.want {
			if !strings.Contains(stdout+stderr, want) {
				t.Errorf("%s: %q is not in\n%s%s", c.name, want, stdout, stderr)
			}
		}
	}

	if _, stdout, stderr := call(t, "evaluate", path("good.csv"), "--models", "var0"); strings.Contains(stdout+stderr, "did you mean") {
		t.Errorf("the name is right, and another one is proposed: %s%s", stdout, stderr)
	}
	for _, name := range []string{"cut.jsonl", "quoted.jsonl"} {
		if _, stdout, stderr := call(t, "replay", path(name)); strings.Contains(stdout+stderr, "input.csv") {
			t.Errorf("%s: a hint for CSV: %s%s", name, stdout, stderr)
		}
	}
	mustCall(t, "replay", path("pairs.csv"), "--set", "input.csv.series_column=site,sensor", "--out", path("pairs.lp"))
	if lines := string(readFile(t, path("pairs.lp"))); !strings.Contains(lines, ",sensor=b,site=us ") || strings.Contains(lines, "id=") {
		t.Errorf("tags of two columns: %s", lines)
	}

	// A run without a forecast leaves an output file as it is, or none.
	if kept := readFile(t, path("kept.csv")); string(kept) != "time,series,target,horizon,model,yhat,yhat_lower,yhat_upper\n" {
		t.Errorf("%q is left of a file", kept)
	}
	state := path("warm")
	mustCall(t, "replay", path("good.csv"), "--state", state)
	if _, _, stderr := call(t, "replay", path("good.csv"), "--state", state, "--out", path("none.csv")); !strings.Contains(stderr, "nothing was written to "+path("none.csv")) {
		t.Errorf("no new rows: %s", stderr)
	}
	if _, err := os.Stat(path("none.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file without forecasts: %v", err)
	}

	// After an error of syntax, nothing seems to be missing that is not.
	_, stdout, _ := call(t, "lint", "-c", path("syntax.yaml"))
	if strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, "syntax.yaml:") {
		t.Errorf("lint after an error of syntax: %s", stdout)
	}
}

// TestStrictRemediesHelp: the flags that --strict prints, read by a shell, make the file be read
// as without --strict.
func TestStrictRemediesHelp(t *testing.T) {
	dir := t.TempDir()
	guessed, stated := filepath.Join(dir, "guessed.csv"), filepath.Join(dir, "stated.csv")
	odd := filepath.Join(dir, "odd names.csv")
	writeFile(t, odd, []byte("host;day;\"load; kW\";it's $HOME,;\"a \"\"b\"\"\"\nx;2026-01-01;1,5;2;3\ny;2026-01-02;1,6;1;2\nx;2026-01-03;1,2;3;1\n"))
	files, err := filepath.Glob("../../stream/file/testdata/people/*.[ctj]s*")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	helped := 0
	for _, path := range append(files, odd) {
		code, _, stderr := call(t, "replay", path, "--strict")
		_, flags, found := strings.Cut(stderr, "; state them: ")
		if code == exitDone || !found || strings.Contains(stderr, "no setting states this") {
			continue
		}
		words, err := exec.Command("sh", "-c", `printf '%s\n' `+strings.TrimSpace(flags)).Output()
		if err != nil {
			t.Errorf("%s: %v: %s", path, err, flags)
			continue
		}
		mustCall(t, "replay", path, "--max-refused", "1", "--out", guessed) // two hosts as one series
		mustCall(t, append([]string{"replay", path, "--max-refused", "1", "--strict", "--out", stated}, strings.Split(strings.TrimSpace(string(words)), "\n")...)...)
		if string(readFile(t, guessed)) != string(readFile(t, stated)) {
			t.Errorf("%s: other forecasts with %s", path, flags)
		}
		helped++
	}
	if helped < 20 {
		t.Errorf("%d files had a remedy", helped)
	}
}
