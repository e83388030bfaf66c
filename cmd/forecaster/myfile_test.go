//go:build !race

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestMyFileDoesNotWork: what the page says about a file is printed, and what it says to do
// helps.
func TestMyFileDoesNotWork(t *testing.T) {
	page := string(readFile(t, "../../docs/howto/my-file-does-not-work.md"))
	rows := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i/10, i%10, i)
		}
		return b.String()
	}
	dir := t.TempDir()
	for i, c := range []struct {
		name, text string
		says       string   // on the page and in the output; "" = nothing to look for
		remedy     []string // on the page
	}{
		{"data.xyz", "time,a\n" + rows("2026-01-%d%d,%d\n", 28)[20:], "does not say", []string{"--set", "input.file.format=csv"}},
		{"names.csv", "a,when,v\nx,1767225600,1\ny,1767229200,2\n", "no column has times", []string{"--set", "input.csv.time_column=when"}},
		{"days.csv", "time,a\n01/02/2026,1\n02/02/2026,3\n03/02/2026,2\n", "whose order of day and month is not known", []string{"--set", "input.csv.date_order=dmy"}},
		{"order.csv", "time,a\n2026-01-02,1\n2026-01-03,1\n2026-01-01,1\n2026-01-04,1\n", "late", []string{"--sort"}},
	} {
		path := filepath.Join(dir, c.name)
		writeFile(t, path, []byte(c.text))
		if !strings.Contains(page, c.says) || !strings.Contains(page, c.remedy[0]) {
			t.Errorf("%d: the page lacks %q or %q", i, c.says, c.remedy)
		}
		code, stdout, stderr := call(t, "replay", path)
		if code == exitDone || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%s: exit code %d, nothing says %q:\n%s%s", c.name, code, c.says, stdout, stderr)
		}
		mustCall(t, append([]string{"replay", path}, c.remedy...)...)
	}

	// The long format in the order of melt: one variable below the other.
	melted := "time,variable,value\n"
	for _, name := range []string{"cpu", "mem"} {
		for i := range 40 {
			melted += fmt.Sprintf("%d,%s,%d\n", 1767225600+3600*i, name, i%7)
		}
	}
	long := filepath.Join(dir, "melted.csv")
	writeFile(t, long, []byte(melted))
	longArgs := []string{"replay", long, "--set", "input.csv.variable_column=variable", "--set", "pipeline.interval=1h"}
	if code, stdout, stderr := call(t, longArgs...); code == exitDone || !strings.Contains(stdout+stderr, "late") {
		t.Errorf("melt without --sort: exit code %d\n%s%s", code, stdout, stderr)
	}
	mustCall(t, append(longArgs, "--sort")...)

	// A gap, and a time zone.
	path := filepath.Join(dir, "gap.csv")
	text := "time,a\n"
	for i := range 120 {
		if i < 50 || i >= 110 {
			text += fmt.Sprintf("%d,%d\n", 1767225600+60*i, i%7)
		}
	}
	writeFile(t, path, []byte(text))
	for _, verb := range []string{"replay", "describe"} {
		if _, _, stderr := call(t, verb, path); !strings.Contains(stderr, "1 gap of 60 steps: add --set pipeline.interval=1m") || !strings.Contains(page, "1 gap of 60 steps") {
			t.Errorf("a gap: %s", stderr)
		}
	}
	if _, _, stderr := call(t, "replay", path, "--set", "pipeline.interval=1m"); strings.Contains(stderr, "gap") {
		t.Errorf("a gap that the model sees: %s", stderr)
	}
}
