package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A table uses the full width of its limit, to the character, as long as its texts can be shortened.
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

// Columns are left out as they are named, first those of Wide, then as many of Spare as it takes. The others keep their
// order, and those with texts are still the first ones.
func TestNarrowLeavesOutColumns(t *testing.T) {
	table := Table{
		Header: []string{"series", "model", "mse", "n", "speed"}, Numeric: 2, Wide: []string{"n"}, Spare: []string{"series", "speed", "none"},
		Rows: [][]string{{"s", "var1", "0.25", "10", "3/s"}},
	}
	for _, c := range []struct {
		limit        int
		header, left string
		numeric      int
	}{
		{100, "series model mse speed", "n", 2}, {33, "series model mse speed", "n", 2}, {32, "model mse speed", "n series", 1},
		{24, "model mse speed", "n series", 1}, {23, "model mse", "n series speed", 1}, {1, "model mse", "n series speed", 1},
	} {
		got, left := table.Narrow(c.limit)
		if strings.Join(got.Header, " ") != c.header || strings.Join(left, " ") != c.left || got.Numeric != c.numeric || len(got.Rows[0]) != len(got.Header) {
			t.Errorf("%d: %+v, left out %v; want %+v", c.limit, got, left, c)
		}
	}
	if len(table.Header) != 5 || len(table.Rows[0]) != 5 || table.Numeric != 2 {
		t.Errorf("the table has changed: %+v", table)
	}
}

// Shortened texts fit the width if there is room for the part in which they differ. They always stay different.
func TestShortenAll(t *testing.T) {
	prefix, suffix := strings.Repeat("prometheus_node_", 5), strings.Repeat("_instance_of_the_cluster", 4)
	for name, texts := range map[string][]string{
		"ends":      {"a" + prefix, "b" + prefix, prefix + "c"},
		"middle":    {prefix + "cpu" + suffix, prefix + "mem" + suffix, prefix + "disk" + suffix},
		"one":       {prefix + suffix},
		"twice":     {prefix + "cpu" + suffix, prefix + "cpu" + suffix, prefix + "mem" + suffix},
		"prefix":    {prefix, prefix + prefix},
		"unlike":    {prefix + "a" + suffix, prefix + "b" + suffix, "x"},
		"far apart": {"a" + prefix + "b" + suffix + "c", "a" + prefix + "d" + suffix + "c", "e" + prefix + "b" + suffix + "c"},
		"short":     {"a", "b", ""},
		"letters":   {strings.Repeat("ä", 40) + "ö" + strings.Repeat("ü", 40), strings.Repeat("ä", 40) + "é" + strings.Repeat("ü", 40)},
	} {
		for n := 7; n < 60; n++ {
			got, short := ShortenAll(texts, n), make(map[string]string)
			for i, s := range got {
				for other, of := range short {
					if other == s && of != texts[i] {
						t.Fatalf("%s, %d: %q for %q and %q", name, n, s, of, texts[i])
					}
				}
				short[s] = texts[i]
				if roomy := name != "far apart" && name != "prefix"; roomy && n >= 12 && utf8.RuneCountInString(s) > n {
					t.Errorf("%s, %d: %q is longer", name, n, s)
				}
			}
		}
	}
	if got := ShortenAll([]string{prefix + "cpu" + suffix, prefix + "mem" + suffix}, 15)[1]; got != "prome…mem…uster" {
		t.Errorf("got %q", got)
	}
}
