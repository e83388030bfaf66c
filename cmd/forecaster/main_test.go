package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/orffvar/forecaster/internal/dataset"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/interrupt"
)

// TestMain makes this test binary serve as two programs beside the tests:
// forecaster itself, and a broker in a process of its own.
func TestMain(m *testing.M) {
	if strings.Contains(filepath.Base(os.Args[0]), ".test") { // not one of the programs
		interrupt.Ignore()
	}
	testscript.Main(m, map[string]func(){
		"forecaster": main,
		"broker":     brokerMain,
	})
}

// brokerMain runs a development broker until it is told to stop; it writes its
// address into the file that the first argument names.
func brokerMain() {
	b, err := devbroker.Start(1, os.Args[2:], kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "500"}))
	if err == nil {
		defer b.Close()
		err = os.WriteFile(os.Args[1]+".new", []byte(b.Addr()), 0o600)
	}
	if err == nil {
		err = os.Rename(os.Args[1]+".new", os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
}

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
			// wide FILE COLUMNS: a CSV file of so many columns.
			"wide": func(ts *testscript.TestScript, neg bool, args []string) {
				var n int
				_, err := fmt.Sscan(args[1], &n)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), wideCSV(n), 0o600))
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

// patience is how long a test waits for what must come: only when it does not come
// does a test take so long, however busy the machine is.
const patience = 3 * time.Minute

// poll waits for a condition.
func poll(ok func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return false
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

// call runs the program in this process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(context.Background(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// mustCall is call for what has to succeed.
func mustCall(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(t, args...)
	if code != exitDone {
		t.Fatalf("forecaster %s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func unmarshal(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
}

// TestShippedConfiguration: configs/forecaster.yaml is what create prints.
func TestShippedConfiguration(t *testing.T) {
	if got := readFile(t, "../../configs/forecaster.yaml"); string(got) != mustCall(t, "create") {
		t.Error("run: go run ./cmd/forecaster create > configs/forecaster.yaml")
	}
}
