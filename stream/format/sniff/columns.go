package sniff

import (
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/internal/decimal"
)

// Usual names of columns of times, of series and of line numbers, in lower case.
var (
	seriesNames   = []string{"unique_id", "series", "series_id", "item_id", "entity_id", "ts_id", "time_series_id"}
	variableNames = []string{"variable", "metric", "measure", "measurement", "parameter", "field", "_field", "indicator", "quantity"}
	indexNames    = []string{"index", "level_0", "rownames", "row_names"}
)

// parquetIndex is the beginning of the names that pandas gives index columns in a Parquet file. They come last there.
const parquetIndex = "__index_level_"

func (s *sniffer) named(column int, names []string) bool {
	return slices.Contains(names, strings.ToLower(s.header[column]))
}

func (s *sniffer) unnamed(column int) bool { return strings.HasPrefix(s.header[column], unnamed) }

// most reports whether ok refuses at most the share part of the known cells of a column. It stops as soon as the
// remaining cells cannot change the answer.
func (s *sniffer) most(column int, part float64, ok func(cell string) bool) bool {
	n, bad := 0, 0
	for _, row := range s.rows {
		if cell := row[column]; !cells.IsMissing([]byte(cell), s.out.CSV.Missing) {
			n++
			if !ok(cell) {
				bad++
			}
			if float64(bad) > part*float64(len(s.rows)) {
				return false
			}
		}
	}
	return n > 0 && float64(bad) <= part*float64(n)
}

// nearlyAll reports whether ok accepts nine of ten cells of a column.
func (s *sniffer) nearlyAll(column int, ok func(cell string) bool) bool {
	return s.most(column, .1, ok)
}

// numberCells returns a reader of numbers with the marks that were found so far.
func (s *sniffer) numberCells() cells.Numbers {
	return cells.NewNumbers(s.out.CSV.Decimal, s.out.CSV.Thousands, s.out.CSV.Missing)
}

// isValue reports whether a cell is a number or missing.
func (s *sniffer) isValue(cell string) bool {
	n := s.numberCells()
	_, err := n.Parse([]byte(cell))
	return err == nil
}

// isText reports whether a column has more texts than values.
func (s *sniffer) isText(column int) bool {
	isText := func(cell string) bool { return !s.isValue(cell) }
	return s.most(column, .5, isText) && !s.most(column, .5, s.isValue)
}

// parses returns a function that reports whether a cell is a time that ok accepts.
func (s *sniffer) parses(ok func(cell string, at int64) bool) func(cell string) bool {
	return func(cell string) bool {
		at, err := s.times.Parse([]byte(cell), "")
		return err == nil && ok(cell, at)
	}
}

// isOrdered reports whether the numbers of a column only rise, or only fall.
func (s *sniffer) isOrdered(column int) bool {
	up, down := false, false
	for i := 1; i < len(s.rows); i++ {
		step := s.number(i, column) - s.number(i-1, column)
		up, down = up || step > 0, down || step < 0
	}
	return !up || !down
}

// countsLines reports whether the numbers of a column rise or fall by 1 from line to line.
func (s *sniffer) countsLines(column int) bool {
	if len(s.rows) < 3 || !s.hasIntegers(column) {
		return false
	}
	step := s.number(1, column) - s.number(0, column)
	for i := 1; i < len(s.rows); i++ {
		if s.number(i, column)-s.number(i-1, column) != step {
			return false
		}
	}
	return step == 1 || step == -1
}

func (s *sniffer) hasIntegers(column int) bool {
	for _, row := range s.rows {
		if strings.Trim(row[column], "0123456789") != "" || row[column] == "" {
			return false
		}
	}
	return true
}

func (s *sniffer) number(row, column int) float64 {
	v, _ := decimal.Parse([]byte(s.rows[row][column]))
	return v
}

// nameIndex names the first column time if it has the times but no name: pandas writes an index like that.
func (s *sniffer) nameIndex() {
	if s.time == 0 && s.nameless[0] && !slices.Contains(s.header, "time") {
		s.header[0] = "time"
	}
}

// first returns the first column that ok accepts, or -1.
func (s *sniffer) first(ok func(column int) bool) int {
	for i := range s.header {
		if ok(i) {
			return i
		}
	}
	return -1
}

// leaveOut makes the number columns the values, except columns that count the lines to the left of the time. Behind the
// time, a column that counts may be a variable.
func (s *sniffer) leaveOut() {
	c := &s.out.CSV
	if c.Values != nil || c.Variable != "" || s.time < 0 {
		return
	}
	var values, out []string
	for _, name := range c.Lists {
		out = append(out, name+" (several values a row)")
	}
	for i, name := range s.header {
		switch {
		case i == s.time || slices.Contains(c.Series, name) || name == c.Clock:
		case s.isText(i), s.isFlux(i):
			out = append(out, s.shown(i))
		case i < s.time && s.isIndex(i), strings.HasPrefix(name, parquetIndex) && s.hasIntegers(i):
			out = append(out, s.shown(i))
		case !s.nameless[i] && !s.more && s.isEmpty(i):
			out = append(out, name+" (empty)")
		case s.nameless[i] && s.isEmpty(i):
			// an empty column after a separator at the end of each line: nothing is lost
		default:
			if s.nameless[i] {
				s.assume("", "", "column %d without a name is %q", i+1, name)
			}
			values = append(values, name)
		}
	}
	if len(values) == 0 {
		return
	}
	c.Values = values
	if len(out) > 0 {
		s.assume("CSVConfig.Values", cells.List(values), "%s %s left out%s",
			plural.Noun(len(out), "column"), strings.Join(out, ", "), s.variableHint(values))
	}
}

// shown returns the name of a column for an assumption.
func (s *sniffer) shown(column int) string {
	if s.nameless[column] {
		return "without a name"
	}
	return s.header[column]
}

// isEmpty reports whether a column has no value: every cell is empty or another spelling of a missing value.
func (s *sniffer) isEmpty(column int) bool {
	return !slices.ContainsFunc(s.rows, func(row []string) bool { return !cells.IsMissing([]byte(row[column]), s.out.CSV.Missing) })
}

// isIndex reports whether a column numbers the lines: it has whole numbers and no name, as pandas and R write an
// index, or its numbers count the lines.
func (s *sniffer) isIndex(column int) bool {
	if s.unnamed(column) && s.hasIntegers(column) {
		return true
	}
	return s.countsLines(column) && (s.named(column, indexNames) || min(s.number(0, column), s.number(len(s.rows)-1, column)) <= 1)
}
