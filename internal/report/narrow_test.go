package report

import (
	"strings"
	"testing"
)

// A table is as wide as its limit allows, to the character, as long as its texts can be
// shortened.
func TestNarrowToTheCharacter(t *testing.T) {
	table := Table{Header: []string{"series", "mse"}, Numeric: 1, Rows: [][]string{{strings.Repeat("long-name-", 10), "0.123456"}, {"b", "1"}}}
	whole := table.width()
	for limit := whole; limit > 40; limit-- {
		got, left := table.Narrow(limit)
		if got.width() != limit || len(left) > 0 {
			t.Fatalf("limit %d: %d characters, %v left out", limit, got.width(), left)
		}
	}
}
