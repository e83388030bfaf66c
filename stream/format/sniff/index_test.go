package sniff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
)

// Columns that number the lines are no variables: whole numbers without a name, with a usual name, or counting from 0
// or 1, at the left of the time, also behind a variable. Other whole numbers are variables, and so are counts behind the time.
func TestIndexColumns(t *testing.T) {
	for _, c := range []struct {
		header string
		number func(i int) int // of line i
		values string
	}{
		{",time,a", func(i int) int { return 7 * (i % 9) }, "a"},
		{",time,a", func(i int) int { return i }, "a"},
		{"index,time,a", func(i int) int { return 500 + i }, "a"},
		{"id,time,a", func(i int) int { return i }, "a"},
		{"id,time,a", func(i int) int { return 1 + i }, "a"},
		{"id,time,a", func(i int) int { return 60 - i }, "a"},
		{"load,time,a", func(i int) int { return 500 + i }, "load,a"},
		{"load,time,a", func(i int) int { return 7 * (i % 9) }, "load,a"},
		{"a,id,time", func(i int) int { return i }, "a"},
		{"a,load,time", func(i int) int { return 500 + i }, "a,load"},
		{"time,id,a", func(i int) int { return i }, "id,a"},
	} {
		var b strings.Builder
		fmt.Fprintln(&b, c.header)
		for i := range 60 {
			at := fmt.Sprintf("2026-01-01 00:%02d", i)
			row := strings.Split(c.header, ",")
			for j, name := range row {
				switch name {
				case "time":
					row[j] = at
				case "a":
					row[j] = fmt.Sprintf("%d.5", i%7)
				default:
					row[j] = fmt.Sprint(c.number(i))
				}
			}
			fmt.Fprintln(&b, strings.Join(row, ","))
		}
		s, err := sniff(t, b.String(), format.CSVConfig{})
		if err != nil || !slices.Equal(s.CSV.Values, strings.Split(c.values, ",")) {
			t.Errorf("%s, %d, %d, …: variables %q, want %s; %v", c.header, c.number(0), c.number(1), s.CSV.Values, c.values, err)
		}
	}
}
