package recorded

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reporter keeps the errors of a test.
type reporter struct {
	testing.TB
	errors []string
}

func (r *reporter) Helper() {}

func (r *reporter) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// Numbers agree up to 1e-5 of them, everything else exactly; the first line that differs is reported.
func TestCheck(t *testing.T) {
	t.Setenv("UPDATE_GATES", "")
	path := filepath.Join(t.TempDir(), "file.txt")
	if err := os.WriteFile(path, []byte("a 100.0 1.5e-12 b 3\nc -2.5e+03\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, line := range map[string]string{
		"a 100.0 1.5e-12 b 3\nc -2.5e+03\n":  "",
		"a 99.9991 0.0 b 3\nc -2500.02\n":    "",
		"a 99.998 1.5e-12 b 3\nc -2.5e+03\n": ":1 is",
		"a 100.0 1.5e-12 b 4\nc -2.5e+03\n":  ":1 is",
		"a 100.0 b 3\nc -2.5e+03\n":          ":1 is",
		"a 100.0 1.5e-12 b 3\nc 2.5e+03\n":   ":2 is",
		"a 100.0 1.5e-12 b 3\nc -2.5e+03":    ":3 is",
		"a 100.0 1.5e-12 b 3\n":              ":2 is",
	} {
		r := &reporter{TB: t}
		Check(r, path, text)
		if all := strings.Join(r.errors, "\n"); (line == "") != (all == "") || !strings.Contains(all, line) {
			t.Errorf("%q: %q, want %q", text, all, line)
		}
	}
}

// A digest changes with a value, with two that change places, and with one that is not known.
func TestDigest(t *testing.T) {
	seen := make(map[string]bool)
	for _, values := range [][]float64{{1, 2, 3}, {2, 1, 3}, {1, 3, 2}, {1, 2, 3.001}, {1, 2}, {1, 2, 3, 0}} {
		seen[Digest(values)] = true
	}
	if len(seen) != 6 {
		t.Errorf("%v", seen)
	}
}
