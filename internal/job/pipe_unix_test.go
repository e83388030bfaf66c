//go:build unix

package job

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/logtest"
)

// The names of a pipe, which is read once, are checked while it is read: by its header before the first sample, or
// else with a warning at the first row and an error behind the last one.
func TestNamesInAPipe(t *testing.T) {
	const (
		header = "time,a,b\n2026-01-01 00:00,1,2\n2026-01-01 00:01,2,3\n"
		lines  = `{"time":"2026-01-01T00:00:00Z","values":{"a":1,"b":2}}` + "\n" + `{"time":"2026-01-01T00:01:00Z","values":{"a":1,"b":2}}` + "\n"
	)
	for _, c := range []struct {
		ending, text, names string
		fails, warn         string
	}{
		{".csv", header, "a,b", "", ""},
		{".csv", header, "a,c", `there is no variable "c"; the file has a, b`, ""},
		{".jsonl", lines, "a,b", "", ""},
		{".jsonl", lines, "a,c", `there is no variable "c"; the file has a, b`, `there is no variable \"c\"; the first row has a, b`},
	} {
		path := filepath.Join(t.TempDir(), "pipe"+c.ending)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
				_, _ = f.WriteString(c.text) // a reader that has seen enough is gone
				f.Close()
			}
		}()
		cfg, err := loadConfig(t, "input.file.path="+path, "output.discard={}", "model.type=persistence", "pipeline.variables="+c.names)
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		r, err := Replay(t.Context(), cfg, ReplayOptions{Log: logtest.New(&log)})
		if (err != nil) != (c.fails != "") || err != nil && !strings.HasSuffix(err.Error(), c.fails) || err == nil && (r.Records != 2 || r.Observations != 2) {
			t.Errorf("%s with %s: %+v, error %v, want %q", c.ending, c.names, r, err, c.fails)
		}
		if text := log.String(); strings.Count(text, "\n") != min(len(c.warn), 1) || !strings.Contains(text, c.warn) {
			t.Errorf("%s with %s: log %s, want %s", c.ending, c.names, text, c.warn)
		}
	}
}
