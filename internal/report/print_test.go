package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
)

// TestPrintKeepsToColumns: first columns of Spare are removed, then texts are shortened in the middle, but never times.
// A table that cannot be narrower is printed as it is. Without COLUMNS, the output to a file or a pipe is not cut.
func TestPrintKeepsToColumns(t *testing.T) {
	long, time := "a"+strings.Repeat("x", 150)+"z", "2026-01-02 07:00"
	table := Table{
		Numeric: 2, Header: []string{"series with a header", "time", "one", "two"}, Spare: []string{"two"},
		Rows: [][]string{{long, time, "1", "2"}},
	}
	printed := func(table Table, all bool) string {
		var b bytes.Buffer
		table.Print(&b, all)
		return b.String()
	}
	t.Setenv("COLUMNS", "100")
	got := printed(table, false)
	if !strings.Contains(got, "xx…xx") || !strings.Contains(got, "xz │") || !strings.Contains(got, "Left out: two.") || strings.Contains(got, " 2 │") {
		t.Errorf("narrow:\n%s", got)
	}
	if width := len([]rune(strings.SplitN(got, "\n", 2)[0])); width != 100 {
		t.Errorf("%d characters:\n%s", width, got)
	}
	if got := printed(table, true); !strings.Contains(got, long) || strings.Contains(got, "Left out") {
		t.Errorf("wide:\n%s", got)
	}
	t.Setenv("COLUMNS", "30")
	if got := printed(table, false); !strings.Contains(got, time) || strings.Contains(got, long) {
		t.Errorf("30 columns:\n%s", got)
	}
	for _, columns := range []string{"", "0", "wide"} {
		t.Setenv("COLUMNS", columns)
		if got := printed(table, false); !strings.Contains(got, long) || strings.Contains(got, "Left out") {
			t.Errorf("COLUMNS=%q:\n%s", columns, got)
		}
	}
	t.Setenv("COLUMNS", "100")
	table.Header[2] = strings.Repeat("h", 200)
	if got := printed(table, false); !strings.Contains(got, table.Header[2]) {
		t.Errorf("too wide:\n%s", got)
	}
	if long[1:2] != "x" || table.Rows[0][0] != long {
		t.Error("the table was changed")
	}
}

// TestSkillsArePainted: only skills have a colour, green above 0 and red below.
func TestSkillsArePainted(t *testing.T) {
	const green, red = "\x1b[32m", "\x1b[31m"
	for _, c := range []struct{ header, cell, begins string }{
		{"skill vs naive", "+0.25", green}, {"skill vs naive", "-0.25", red}, {"skill vs naive", "0", "0"}, {"skill vs naive", "-", "-"}, {"mse", "-1", "-1"},
	} {
		text.EnableColors()
		if got, _ := paint(c.header, c.cell).(string); !strings.HasPrefix(got, c.begins) || !strings.Contains(got, c.cell) {
			t.Errorf("%s %s: %q", c.header, c.cell, got)
		}
	}
}
