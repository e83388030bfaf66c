//go:build !race

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/orffvar/forecaster/internal/report"
)

// TestTablesAreNarrow: columns that can be spared go first, then texts lose their middle,
// and a table that cannot be narrower is printed as it is.
func TestTablesAreNarrow(t *testing.T) {
	long := "a" + strings.Repeat("x", 150) + "z"
	table := report.Table{
		Numeric: 1, Header: []string{"series with a header", "one", "two"}, Spare: []string{"two"},
		Rows: [][]string{{long, "1", "2"}},
	}
	printed := func(a *app, table report.Table) string {
		var b bytes.Buffer
		a.printTable(&b, table)
		return b.String()
	}
	got := printed(&app{}, table)
	if !strings.Contains(got, "xx…xx") || !strings.Contains(got, "xz │") || !strings.Contains(got, "Left out: two.") || strings.Contains(got, " 2 │") {
		t.Errorf("narrow:\n%s", got)
	}
	if width := len([]rune(strings.SplitN(got, "\n", 2)[0])); width != tableWidth {
		t.Errorf("%d characters:\n%s", width, got)
	}
	if got := printed(&app{wide: true}, table); !strings.Contains(got, long) || strings.Contains(got, "Left out") {
		t.Errorf("wide:\n%s", got)
	}
	table.Header[1] = strings.Repeat("h", 200)
	if got := printed(&app{}, table); !strings.Contains(got, table.Header[1]) {
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
