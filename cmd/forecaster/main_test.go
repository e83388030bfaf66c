package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/interrupt"
)

// pageWidth is the number of characters in a line of a table on the pages; docs/record.sh has it, too.
const pageWidth = 100

// TestMain makes this test binary serve as two programs beside the tests:
// forecaster itself, and a broker in a process of its own. More tests run at a time than there are
// processors, for most of them wait; -parallel is read later.
func TestMain(m *testing.M) {
	if strings.Contains(filepath.Base(os.Args[0]), ".test") { // not one of the programs
		interrupt.Ignore()
		if err := flag.Set("test.parallel", "6"); err != nil {
			panic(err)
		}
	}
	os.Setenv("GORACE", "atexit_sleep_ms=50")     // a program under the race detector lives on for a second otherwise
	os.Setenv("COLUMNS", strconv.Itoa(pageWidth)) // scripts have an environment of their own, without it
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

// call runs the program in this process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(context.Background(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// ofPartitions returns the setting of an output whose file of partition 0 has a path.
func ofPartitions(path string) string {
	dir, name := filepath.Split(path)
	return dir + strings.Replace(name, "-0.", "-{partition}.", 1)
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

// TestShippedConfiguration: configs/forecaster.yaml equals the output of create.
func TestShippedConfiguration(t *testing.T) {
	if got := readFile(t, "../../configs/forecaster.yaml"); string(got) != mustCall(t, "create") {
		t.Error("run: go run ./cmd/forecaster create > configs/forecaster.yaml")
	}
}

// seriesCSV simulates a nonlinear, seasonal process of dim variables, with a
// share of empty cells.
func seriesCSV(rows, dim int, missing float64, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	b.WriteString("time")
	for j := range dim {
		fmt.Fprintf(&b, ",x%d", j)
	}
	b.WriteByte('\n')
	x := make([]float64, dim)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		b.WriteString(start.Add(time.Duration(i) * time.Minute).Format(time.RFC3339))
		y := make([]float64, dim)
		for j := range y {
			neighbour := x[(j+1)%dim]
			y[j] = .6*x[j] + neighbour/(1+neighbour*neighbour) + float64(i%12)/12 + .1*r.NormFloat64()
			if r.Float64() < missing {
				b.WriteByte(',')
			} else {
				fmt.Fprintf(&b, ",%v", y[j])
			}
		}
		x = y
		b.WriteByte('\n')
	}
	return b.Bytes()
}
