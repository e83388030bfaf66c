//go:build unix && !race

package main

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/dataset"
	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// TestPythonPage runs the blocks of docs/howto/python.md in their order, as one Python
// program that calls the shell, and compares what it prints with what replay prints.
func TestPythonPage(t *testing.T) {
	t.Parallel()
	python := testserver.Python(t)
	text := string(readFile(t, "../../docs/howto/python.md"))
	var program strings.Builder
	program.WriteString("import subprocess\nimport matplotlib\nmatplotlib.use('Agg')\n")
	blocks := regexp.MustCompile("(?ms)^```(sh|python)\n(.*?)^```$").FindAllStringSubmatch(text, -1)
	for _, b := range blocks {
		if b[1] == "python" {
			program.WriteString(b[2])
			continue
		}
		program.WriteString("subprocess.run(" + strconv.Quote(b[2]) + ", shell=True, check=True)\n")
	}
	if len(blocks) < 10 {
		t.Fatalf("found %d blocks", len(blocks))
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "macrodata.csv"), dataset.MacrodataCSV())
	cmd := exec.Command(python, "-W", "error::FutureWarning", "-c", program.String())
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "MPLCONFIGDIR="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"of the targets are inside", "datetime64[ns, UTC]", "data/unemp", "rmse", "2010-07-01"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing printed %q:\n%s", want, out.String())
		}
	}
	if png := readFile(t, filepath.Join(dir, "unemp.png")); !bytes.HasPrefix(png, []byte("\x89PNG")) || len(png) < 10_000 {
		t.Errorf("unemp.png has %d bytes", len(png))
	}
	checkWrittenTargets(t, filepath.Join(dir, "forecasts.csv"))
}

// checkWrittenTargets compares y with the file that was forecast.
func checkWrittenTargets(t *testing.T, path string) {
	t.Helper()
	read := func(b []byte) [][]string {
		rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	data := read(dataset.MacrodataCSV())
	observed := make(map[string]string)
	for _, row := range data[1:] {
		for j, name := range data[0][1:] {
			observed[row[0][:len("2006-01-02")]+" "+name] = row[j+1]
		}
	}
	rows := read(readFile(t, path))
	if got, want := strings.Join(rows[0][8:], ","), "origin,y"; got != want {
		t.Fatalf("the last columns are %s", got)
	}
	known := 0
	for _, row := range rows[1:] {
		want, ok := observed[row[0][:len("2006-01-02")]+" "+row[2]]
		w, _ := strconv.ParseFloat(want, 64)
		y, err := strconv.ParseFloat(row[9], 64)
		if ok != (err == nil) || ok && !(math.Abs(y-w) <= 1e-9) {
			t.Fatalf("%v: observed %q", row, want)
		}
		if ok {
			known++
		}
	}
	// The first row after which the next time is known is the second of 203.
	if want := 12 * (201 + 200 + 199 + 198); known != want {
		t.Errorf("%d targets were observed, want %d", known, want)
	}
}
