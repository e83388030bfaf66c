//go:build !race

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval/dataset"
)

var (
	// shownBelow matches a command of the tutorial and the output that the page shows below it.
	shownBelow = regexp.MustCompile("(?m)^```sh\nforecaster (.*)\n```\n\n((?:    .*\n)+)")
	// recorded matches a command and its output, as docs/record.sh writes them.
	recorded = regexp.MustCompile(`(?m)^<!-- \$ forecaster (.*) -->\n\n    \$ forecaster .*\n((?:    .*\n|\n)+)<!-- end -->`)
	// varying matches lines that differ between runs.
	varying = regexp.MustCompile(` samples through broker, |^Forecasts: `)
)

// TestRecordedOutput: the output in README.md and in the tutorial equals the output of the commands, to the last
// digit. Other architectures round differently.
func TestRecordedOutput(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the pages show the numbers of amd64")
	}
	readme, tutorial := string(readFile(t, "../../README.md")), string(readFile(t, "../../docs/tutorial.md"))
	data := os.Getenv("FORECASTER_DATA")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "data.csv"), dataset.MacrodataCSV())
	t.Chdir(dir)
	compared := make(map[string]bool)
	for _, m := range slices.Concat(shownBelow.FindAllStringSubmatch(tutorial, -1), recorded.FindAllStringSubmatch(readme, -1)) {
		args := strings.Fields(m[1])
		compared[args[0]] = true
		if slices.Contains(args, "ETTh2.csv") {
			if data == "" {
				t.Logf("%s: needs FORECASTER_DATA", m[1])
				continue
			}
			t.Chdir(data)
		}
		printed, shown := outputLines(string(mustCall(t, args...))), outputLines(m[2])
		if got, want := strings.Join(printed, "\n"), strings.Join(shown, "\n"); got != want {
			t.Errorf("%s prints\n%s\nthe page shows\n%s", m[1], got, want)
		}
	}
	for _, verb := range []string{"anomalies", "demo", "evaluate"} {
		if !compared[verb] {
			t.Errorf("no page shows what %s prints", verb)
		}
	}
}

// outputLines are the lines of an output that are the same in every run.
func outputLines(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimPrefix(line, "    "); line != "" && !varying.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}
