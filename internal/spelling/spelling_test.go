package spelling_test

import (
	"testing"

	"github.com/orffvar/forecaster/internal/spelling"
)

// TestNotOneOf: a name gets the nearest one that shares at least half of it, and no other.
func TestNotOneOf(t *testing.T) {
	known := []string{"s", "csv", "table", "orffvar"}
	for name, want := range map[string]string{
		"h":      `must be one of s, csv, table, orffvar, got "h"`,
		"foo":    `must be one of s, csv, table, orffvar, got "foo"`,
		"cvs":    `must be one of s, csv, table, orffvar, got "cvs", did you mean csv?`,
		"cs":     `must be one of s, csv, table, orffvar, got "cs", did you mean s?`,
		"tabel":  `must be one of s, csv, table, orffvar, got "tabel", did you mean table?`,
		"orfvar": `must be one of s, csv, table, orffvar, got "orfvar", did you mean orffvar?`,
	} {
		if got := spelling.NotOneOf(name, known); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A third of a long name may differ, and one byte more.
func TestNearestToALongName(t *testing.T) {
	for name, want := range map[string]string{"abcdefgXXXXX": "abcdefghijkl", "abcdefXXXXXX": ""} {
		if got := spelling.Nearest(name, []string{"abcdefghijkl"}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"ab", "", 2}, {"", "ab", 2}, {"vra1", "var1", 1}, {"abc", "abd", 1}, {"ca", "abc", 3}, {"kitten", "sitting", 3}} {
		if got := spelling.Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
