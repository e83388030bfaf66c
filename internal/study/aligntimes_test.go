package study

import (
	"reflect"
	"testing"

	"github.com/orffvar/forecaster/internal/report"
)

// TestAlignTimes: the times of all columns have an hour as soon as one has, also before a remark.
func TestAlignTimes(t *testing.T) {
	days := func() [][]string { return [][]string{{"2026-01-01", "x", "2026-01-02, new normal"}} }
	for _, c := range []struct{ more, want [][]string }{
		{nil, days()},
		{[][]string{{"2026-01-03 05:00", "y", "2026-01-04"}},
			[][]string{{"2026-01-01 00:00", "x", "2026-01-02 00:00, new normal"}, {"2026-01-03 05:00", "y", "2026-01-04 00:00"}}},
	} {
		table := report.Table{Rows: append(days(), c.more...)}
		AlignTimes(table, 0, 2)
		if !reflect.DeepEqual(table.Rows, c.want) {
			t.Errorf("got %q, want %q", table.Rows, c.want)
		}
	}
}
