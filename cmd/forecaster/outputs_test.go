package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/file/filesink"
)

// TestFault64_OutputsChange: between two runs of a job with checkpoints the server is
// enabled, an output gets another path, is removed and added again. No run is refused,
// and no file loses what it had.
func TestFault64_OutputsChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	rows := 0
	grow := func() {
		t.Helper()
		f, err := os.OpenFile(path("in.csv"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if rows == 0 {
			fmt.Fprintln(f, "time,a")
		}
		fmt.Fprintf(f, "%d,x\n", 1_000_000_000+rows) // refused
		for range 20 {
			rows++
			fmt.Fprintf(f, "%d,%d\n", 1_000_000_000+rows, rows*rows%17)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const foreign = "somebody else's file\n"
	writeFile(t, path("b.csv"), []byte(strings.Repeat(foreign, 1000)))
	writeFile(t, path("c.csv"), []byte(foreign))
	before := map[string]string{"a.csv": "", "b.csv": string(readFile(t, path("b.csv"))), "c.csv": foreign, "letters": ""}
	for i, outputs := range [][]string{
		{"output.file.path=" + path("a.csv")},
		{"output.file.path=" + path("a.csv"), "server.enabled=true", "server.listen=127.0.0.1:0"},
		{"output.file.path=" + path("b.csv")}, // longer than a.csv
		{"output.file.path=" + path("c.csv")}, // shorter
		{"output.discard={}"},
		{"output.file.path=" + path("a.csv"), "server.enabled=true", "server.listen=127.0.0.1:0"},
	} {
		grow()
		args := []string{"run"}
		for _, set := range append(outputs, "input.file.path="+path("in.csv"), "state.dir="+path("state"),
			"pipeline.interval=1s", "output.dead_letters.path="+path("letters")) {
			args = append(args, "--set", set)
		}
		mustCall(t, args...)
		for name, had := range before {
			_, err := os.Stat(path(name))
			if os.IsNotExist(err) && had == "" {
				continue
			}
			now := string(readFile(t, path(name)))
			written := name == "letters" || strings.Contains(outputs[0], name)
			if !strings.HasPrefix(now, had) || (now != had) != written {
				t.Fatalf("run %d: %s had %d bytes and has %d, which begin alike: %v", i, name, len(had), len(now), strings.HasPrefix(now, had))
			}
			before[name] = now
		}
	}
	if got := strings.Count(before["letters"], "\n"); got != 6 {
		t.Errorf("%d dead letters, want 6", got)
	}
	if got := strings.Count(before["a.csv"], "time,"); got != 1 {
		t.Errorf("a.csv has %d headers", got)
	}
}

// TestFault70_SecondRunIsRefused: a second job with the same file ends before it reads or writes
// anything.
func TestFault70_SecondRunIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, path("in.csv"), seriesCSV(100, 1, .05, 1))
	for _, key := range []string{"output.file.path", "output.dead_letters.path"} {
		owner, err := filesink.Create(path("x.jsonl"), filesink.JSONLines{})
		if err != nil {
			t.Fatal(err)
		}
		sets := map[string]string{"output.file.path": path("out.csv"), "output.dead_letters.path": path("dead.jsonl")}
		sets[key] = path("x.jsonl")
		args := []string{"run", "--set", "input.file.path=" + path("in.csv")}
		for k, v := range sets {
			args = append(args, "--set", k+"="+v)
		}
		code, _, stderr := call(t, args...)
		if code != exitFailed || !strings.Contains(stderr, path("x.jsonl")+" is in use: another process writes this file; give each its own") {
			t.Errorf("%s: exit code %d\n%s", key, code, stderr)
		}
		if written := readFile(t, path("x.jsonl")); len(written) > 0 {
			t.Errorf("%s: it wrote %q", key, written)
		}
		if err := owner.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
