//go:build !race

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/orffvar/forecaster/eval/dataset"
)

// TestScripts runs the scripts of testdata/script: one a command, and one for
// every kind of bad input.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			return os.WriteFile(filepath.Join(e.WorkDir, "macrodata.csv"), dataset.MacrodataCSV(), 0o600)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// oneline FILE: what the last command wrote there is one line.
			"oneline": func(ts *testscript.TestScript, neg bool, args []string) {
				text := ts.ReadFile(args[0])
				if n := strings.Count(text, "\n"); n != 1 || strings.Contains(text, "goroutine") {
					ts.Fatalf("%s has %d lines:\n%s", args[0], n, text)
				}
			},
			// wide FILE COLUMNS: a CSV file with COLUMNS columns.
			"wide": func(ts *testscript.TestScript, neg bool, args []string) {
				var n int
				_, err := fmt.Sscan(args[1], &n)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), wideCSV(n), 0o600))
			},
			// fleet FILE SERIES ROWS: JSON lines of SERIES series that take turns.
			"fleet": func(ts *testscript.TestScript, neg bool, args []string) {
				var series, rows int
				_, err := fmt.Sscan(args[1]+" "+args[2], &series, &rows)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), fleetLines(series, rows), 0o600))
			},
			// readaddress: what the broker wrote becomes $ADDRESS.
			"readaddress": func(ts *testscript.TestScript, neg bool, args []string) {
				ts.Setenv("ADDRESS", ts.ReadFile("address"))
			},
			// waitfile FILE: until a background command has written it.
			"waitfile": func(ts *testscript.TestScript, neg bool, args []string) {
				name := ts.MkAbs(args[0])
				if !poll(func() bool { _, err := os.Stat(name); return err == nil }) {
					ts.Fatalf("%s was not written", args[0])
				}
			},
		},
	})
}

func fleetLines(series, rows int) []byte {
	var b bytes.Buffer
	for i := range rows {
		for s := range series {
			t := float64(i)
			fmt.Fprintf(&b, `{"series":"s%d","time":%d,"values":[%.6f,%.6f]}`+"\n", s, 1767225600+60*i, math.Sin(t*t+float64(s)), math.Cos(t/float64(s+2)))
		}
	}
	return b.Bytes()
}

func wideCSV(columns int) []byte {
	var b bytes.Buffer
	b.WriteString("time")
	for j := range columns {
		fmt.Fprintf(&b, ",c%d", j)
	}
	for i := range 5 {
		fmt.Fprintf(&b, "\n%d", i)
		for j := range columns {
			fmt.Fprintf(&b, ",%d", (i+j)%7)
		}
	}
	b.WriteByte('\n')
	return b.Bytes()
}
