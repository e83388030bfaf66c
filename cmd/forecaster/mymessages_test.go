//go:build !race

package main

import (
	"compress/gzip"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMessagesOfThePage: whatever the first column of the page quotes is printed for a file.
func TestMessagesOfThePage(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	people, err := filepath.Abs("../../stream/file/testdata/people")
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := filepath.Abs("../../internal/wire/testdata/corpus")
	if err != nil {
		t.Fatal(err)
	}
	var hourly, counter, gap, long, pairs, hosts, states, absent strings.Builder
	hourly.WriteString("time,a\n")
	counter.WriteString("time,a\n")
	gap.WriteString("time,a\n")
	states.WriteString("time,state,a\n")
	long.WriteString("time,host,metric,value\n")
	pairs.WriteString("time,site,sensor,value\n")
	for i := range 130 {
		at := 1767225600 + 3600*i
		fmt.Fprintf(&absent, "%d,%d\n", at, []int{20 + i*7%23, -999}[(i%50)/49])
		fmt.Fprintf(&hourly, "%d,%d\n", at, i%5)
		fmt.Fprintf(&counter, "%d,%d\n", at, 10*i)
		if i < 40 || i >= 100 {
			fmt.Fprintf(&gap, "%d,%d\n", at, i%5)
		}
		for _, name := range []string{"cpu", "mem"} {
			fmt.Fprintf(&long, "%d,x,%s,%d\n", at, name, i%5)
			fmt.Fprintf(&pairs, "%d,eu,%s,%d\n%d,us,%s,%d\n", at, name, i%5, at, name, i%3)
		}
		fmt.Fprintf(&states, "%d,%s,%d\n", at+i*i*131%2999, []string{"ok", "low"}[i*i%7%2], i%5)
		for k := range 2 {
			fmt.Fprintf(&hosts, `{"time": %d, "host": "web%d", "a": %d}`+"\n", at+k, k, i%5)
		}
	}
	quarters := "time,a\n"
	for i := range 12 {
		quarters += fmt.Sprintf("%02d/01/%d,1\n", 3*(i%4)+1, 2020+i/4)
	}
	var compressed strings.Builder
	z := gzip.NewWriter(&compressed)
	fmt.Fprint(z, hourly.String())
	z.Close()
	packed := compressed.String()
	const line = "2026-01-0%d 00:00,%d\n"
	var said strings.Builder
	for _, c := range []struct {
		name, text string
		more       []string // arguments
	}{
		{"missing.csv", "", nil},
		{"data.xyz", "time,a\n", nil},
		{"names.csv", "a,when,v\nx,1767225600,1\ny,1767229200,2\n", nil},
		{"days.csv", "time,a\n01/02/2026,1\n02/02/2026,3\n03/02/2026,2\n", nil},
		{"shown.csv", "time,a\n24.12.2025,1\n25.12.2025,3\n", nil},
		{"mdy.csv", "time,a\n12.06.2025,1\n13.06.2025,1\n", []string{"--set", "input.csv.date_order=mdy", "--set", "input.csv.time_column=time"}},
		{"quarters.csv", quarters, []string{"--set", "input.csv.date_order=dmy"}},
		{"told.csv", "time,a\n13.06.25,1\n14.06.25,1\n", []string{"--set", "input.csv.time_column=time"}},
		{"-", "time\ta\n1\t2\n", []string{"--set", "input.file.format=csv"}},
		{"headless.csv", "2026-01-01,1,2\n2026-01-02,1,2\n2026-01-03,1,3\n", nil},
		{corpus + "/fixed-width.txt", "", nil},
		{corpus + "/transposed.csv", "", nil},
		{corpus + "/calendar.csv", "", nil},
		{corpus + "/split-date.csv", "", nil},
		{corpus + "/notes.csv", "", nil},
		{corpus + "/hour-ending.csv", "", nil},
		{corpus + "/entsoe.csv", "", nil},
		{corpus + "/decimal-year.csv", "", nil},
		{corpus + "/markdown.txt", "", nil},
		{corpus + "/beside.xlsx", "", nil},
		{corpus + "/mac-cr.csv", "", nil},
		{corpus + "/kilo-or-none.csv", "", nil},
		{people + "/separators-header.csv", "", nil},
		{people + "/separators-lines.csv", "", nil},
		{people + "/excel-german.csv", "", nil},
		{people + "/workbook.xlsx", "", nil},
		{people + "/noise.csv", "", nil},
		{people + "/picture.csv", "", nil},
		{"steps.csv", "step,a\n1,2\n2,3\n3,2\n4,3\n", nil},
		{"notime.csv", "a,b\n5,1\n3,2\n4,1\n9,2\n", nil},
		{"-", ",date,a\n0,2026-01-01,1\n", []string{"--set", "input.file.format=csv"}},
		{"text.csv", "time,a,note\n" + fmt.Sprintf(line, 1, 1)[:18] + ",x\n2026-01-02 00:00,1,y\n2026-01-03 00:00,1,z\n", nil},
		{"unit.csv", "time,a\n2026-01-01,20 MB\n2026-01-02,21 MB\n2026-01-03,(3)\n" + strings.Repeat("2026-01-04,21 MB\n", 20), nil},
		{"absent.csv", "time,a\n" + absent.String(), nil},
		{"point.csv", "time;a\n2026-01-01;1.234\n2026-01-02;1.236\n", nil},
		{"comma.tsv", "time\ta\n2026-01-01\t1,234\n2026-01-02\t1,236\n", nil},
		{"quoted.csv", "time,a\n2026-01-01,\"1,234\"\n2026-01-02,\"1,236\"\n", nil},
		{"late.csv", "time,a\n" + fmt.Sprintf(line+line+line+line, 3, 1, 4, 1, 1, 2, 5, 3), nil},
		{"ragged.csv", "time,a,b\n2026-01-01,1,2\n2026-01-02,1\n2026-01-03,1,2\n", nil},
		{"gap.csv", gap.String(), nil},
		{"hourly.csv", hourly.String(), []string{"--set", "pipeline.interval=2h"}},
		{"hourly.csv", hourly.String(), []string{"--set", "pipeline.interval=10m"}},
		{"hourly.csv", hourly.String(), []string{"--set", "pipeline.variables=b"}},
		{"hourly.csv", hourly.String(), []string{"--set", "model.exogenous=a"}},
		{"other.jsonl", `{"time": 1, "a": 1}` + "\n" + `{"time": 2, "b": 1}` + "\n" + `{"time": 3, "a": 1}` + "\n", nil},
		{"pairs.csv", pairs.String(), nil},
		{"ts.jsonl", `{"timestamp": 1, "a": 1}` + "\n", nil},
		{"-", "time,a\n1,2\n", nil},
		{"nested.jsonl", `{"time": 1, "load": 1, "cpu": {"user": 1}}` + "\n" + `{"time": 2, "load": 1, "cpu": {"user": 1}}` + "\n", nil},
		{"within.jsonl", `{"time": 1, "cpu": {"user": 1}}` + "\n", nil},
		{people + "/pandas-records.json", "", nil},
		{people + "/jq-pretty.json", "", nil},
		{people + "/prometheus.json", "", nil},
		{"less.csv", "time,a\n2026-01-01,1\n2026-01-02,<1\n2026-01-03,2\n2026-01-04,2\n", nil},
		{"nd.csv", "time,a\n2026-01-01,1\n2026-01-02,n.d.\n2026-01-03,2\n2026-01-04,2\n", nil},
		{"hosts.jsonl", hosts.String(), nil},
		{"notes.jsonl", `{"time": 1, "note": "a", "a": 1}` + "\n" + `{"time": 2, "note": "b", "a": 2}` + "\n", nil},
		{"states.csv", states.String(), nil},
		{"far.csv", "time,a\n3472243200,1\n3472243260,2\n", nil},
		{"noyear.csv", "time,a\n01-06,1\n01-07,2\n", nil},
		{"long.csv", long.String(), []string{"--set", "input.csv.series_column=host"}},
		{"long.csv", long.String(), []string{"--set", "input.csv.variable_column=metric", "--set", "input.csv.time_column=time", "--set", "pipeline.interval=1h", "--set", "input.csv.value_columns=host,value"}},
		{"cut.jsonl", `{"time": 1, "a": 1}` + "\n" + `{"time": 2, "a"` + "\n", nil},
		{"whole.csv", "time,a\n" + strings.Repeat("2026-01-01,950\n", 5000) + "2026-01-02,1.170\n", nil},
		{"cut.csv.gz", packed[:len(packed)-9], nil},
		{"damaged.csv.gz", packed[:2] + "?" + packed[3:], nil},
		{"short.csv", "time,a\n2026-01-01,1\n", nil},
		{"counter.csv", counter.String(), nil},
		{"hourly.csv", hourly.String(), []string{"--out", path("no/out.csv")}},
		{"hourly.csv", hourly.String(), []string{"--report", path("r.pdf")}},
	} {
		name := c.name
		switch {
		case c.name == "-":
			setStdin(t, c.text)
		case c.text != "":
			name = path(c.name)
			writeFile(t, name, []byte(c.text))
		case !filepath.IsAbs(name):
			name = path(c.name)
		}
		_, stdout, stderr := call(t, append([]string{"replay", name}, c.more...)...)
		said.WriteString(stdout + stderr)
	}
	_, _, stderr := call(t, "evaluate", path("hourly.csv"), "--models", "")
	said.WriteString(stderr)
	_, _, stderr = call(t, "describe", path("point.csv"))
	said.WriteString(stderr)
	writeFile(t, path("other.csv"), []byte("time,b\n2030-01-01,1\n2030-01-02,2\n"))
	for _, second := range []string{path("gap.csv"), path("other.csv")} { // overlap, other columns
		_, _, stderr := call(t, "forecast", path("hourly.csv"), second)
		said.WriteString(stderr)
	}
	_, _, stderr = call(t, "forecast", filepath.Dir(path("hourly.csv")))
	said.WriteString(stderr)

	quoted, n := regexp.MustCompile("`([^`]+)`"), 0
	for row := range strings.Lines(string(readFile(t, "../../docs/howto/my-file-does-not-work.md"))) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		if !strings.HasPrefix(row, "| ") {
			continue
		}
		for _, q := range quoted.FindAllStringSubmatch(cell, -1) {
			n++
			for part := range strings.SplitSeq(q[1], "…") {
				if !strings.Contains(said.String(), strings.TrimSpace(part)) {
					t.Errorf("nothing says %q", q[1])
				}
			}
		}
	}
	if n < 35 {
		t.Errorf("%d messages on the page", n)
	}
	if t.Failed() {
		t.Log(said.String())
	}
}
