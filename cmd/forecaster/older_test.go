package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFault84_OlderCheckpoint: an update resumes a job of an older version whose checkpoint, after 300 of 400 rows
// of var1, is unreadable. It learns the rows again. It does not write forecasts again that were written, and the
// others equal those of a run without a break.
func TestFault84_OlderCheckpoint(t *testing.T) {
	older := filepath.Join("..", "..", "internal", "wire", "testdata", "older")
	job := func(dir string, sets ...string) (code int, stderr string) {
		args := []string{"run", "--set", "input.file.path=" + filepath.Join(older, "in.csv"), "--set", "model.type=var1",
			"--set", "output.file.path=" + filepath.Join(dir, "out.csv"), "--set", "state.dir=" + filepath.Join(dir, "state")}
		for _, s := range sets {
			args = append(args, "--set", s)
		}
		code, _, stderr = call(t, args...)
		return code, stderr
	}
	whole := t.TempDir()
	if code, stderr := job(whole); code != exitDone {
		t.Fatal(stderr)
	}
	want := readFile(t, filepath.Join(whole, "out.csv"))
	for _, c := range []struct {
		rebuild string
		code    int
		says    string
		same    bool
	}{
		{"100000", exitDone, "from=0 to=301", true},
		{"50", exitDone, "from=251 to=301", false},
		{"0", exitFailed, "build.state: the checkpoint has ", false},
	} {
		dir := t.TempDir()
		state := filepath.Join(dir, "state", "file")
		if err := os.MkdirAll(state, 0o700); err != nil {
			t.Fatal(err)
		}
		const name = "checkpoint-0000000000000001"
		writeFile(t, filepath.Join(state, name), readFile(t, filepath.Join(older, name)))
		sets := []string{"state.rebuild=" + c.rebuild, "log.format=text"}
		code, stderr := job(dir, sets...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("rebuild %s: exit code %d\n%s", c.rebuild, code, stderr)
		}
		if code != exitDone {
			continue
		}
		got := readFile(t, filepath.Join(dir, "out.csv"))
		header, rows, _ := bytes.Cut(got, []byte("\n"))
		if n := bytes.Count(rows, []byte("\n")); n != 100 || !bytes.HasPrefix(want, header) || bytes.HasSuffix(want, rows) != c.same {
			t.Errorf("rebuild %s: %d rows, of which the first is\n%.200s", c.rebuild, n, rows)
		}
		if code, stderr := job(dir, sets...); code != exitDone || strings.Contains(stderr, "another version") || !bytes.Equal(readFile(t, filepath.Join(dir, "out.csv")), got) {
			t.Errorf("rebuild %s, the next start: exit code %d\n%s", c.rebuild, code, stderr)
		}
	}
}
