package sniff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/lazyregexp"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/format/internal/object"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/internal/decimal"
)

const (
	sampledRows = 1000
	mostTitles  = 20 // lines before the header
)

// sampleLine is a line that is not blank, with its number in the file.
type sampleLine struct {
	text  []byte
	index int
}

// sampleLines returns the complete lines of a sample, without the blank ones.
func sampleLines(sample []byte) (lines []sampleLine) {
	sample = bytes.TrimPrefix(sample, []byte("\ufeff"))
	index := 0
	for line := range bytes.Lines(sample) {
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, sampleLine{line, index})
		}
		if index++; len(lines) > sampledRows {
			break
		}
	}
	return lines
}

var sepLine = lazyregexp.New(`^"?[sS][eE][pP]=([,;|\t])"?$`)

// skipComments drops the lines that begin with #, as PowerShell and InfluxDB write them, and the line that tells
// Excel the separator. If the data have no header, the last line with # has the names, as in the output of sadf.
func (s *sniffer) skipComments(lines []sampleLine) []sampleLine {
	n := 0
	for n < len(lines) && lines[n].text[0] == '#' {
		n++
	}
	if n == len(lines) {
		return lines
	}
	if n > 0 {
		s.out.Comments = true
		rest := slices.DeleteFunc(slices.Clone(lines[n:]), func(l sampleLine) bool { return l.text[0] == '#' })
		if names := bytes.TrimLeft(lines[n-1].text, "# "); namesOf(names, rest[0].text) {
			lines, n = append([]sampleLine{{names, lines[n-1].index}}, rest...), 0
			s.assume("", "", "names from line %d with #", lines[0].index+1)
		} else {
			s.assume("", "", "%s with # left out", plural.Count(n, "line"))
			lines, n = rest, 0
		}
	}
	if m := sepLine().FindSubmatch(lines[n].text); m != nil && n+1 < len(lines) {
		n++
		if s.out.CSV.Comma == 0 {
			s.out.CSV.Comma = m[1][0]
		}
	}
	s.out.Skip = lines[n].index
	return lines[n:]
}

// namesOf reports whether names can be the header of data: as many fields, and no data.
func namesOf(names, data []byte) bool {
	return slices.ContainsFunc(separators, func(comma byte) bool {
		n := countFields(names, comma)
		return n > 1 && n == countFields(data, comma) && !hasDatum(names, comma) && hasDatum(data, comma)
	})
}

var separators = []byte{',', ';', '\t', '|'}

// separate finds the separator. A separator is possible if the header and nine of ten lines have the same number of
// columns; the one with most columns wins. separate returns the lines from the header on: titles may come before it.
func (s *sniffer) separate(lines []sampleLine) ([]sampleLine, error) {
	c := &s.out.CSV
	candidates := separators
	if c.Comma != 0 {
		candidates = []byte{c.Comma}
	}
	best, titles, known := 1, 0, c.Comma != 0
	for _, comma := range candidates {
		if columns, before := layout(lines, comma); columns > best {
			best, titles, c.Comma = columns, before, comma
		}
	}
	if c.Comma == 0 {
		c.Comma = ','
		if err := mixedSeparators(lines); err != nil {
			return nil, err
		}
	}
	if c.Comma != ',' && !known {
		s.assume("CSVConfig.Comma", format.SeparatorName(c.Comma), "separator %s", format.SeparatorName(c.Comma))
	}
	if titles > 0 {
		s.out.Skip = lines[titles].index
		s.assume("", "", "%s before the header left out", plural.Count(titles, "line"))
	}
	return lines[titles:], nil
}

// layout returns the number of columns with a separator, and the number of lines before the header. It returns 0
// columns if the lines have different numbers of them.
func layout(lines []sampleLine, comma byte) (columns, titles int) {
	counts := make([]int, len(lines))
	often := make(map[int]int)
	for i, line := range lines {
		counts[i] = countFields(line.text, comma)
		if often[counts[i]]++; i > 0 && (often[counts[i]] > often[columns] || columns == 0) {
			columns = counts[i]
		}
	}
	if len(lines) == 1 {
		return counts[0], 0
	}
	for titles < min(mostTitles, len(lines)-1) && isTitle(lines[titles].text, counts[titles], columns, comma) {
		titles++
	}
	alike := 0
	for _, n := range counts[titles+1:] {
		if n == columns {
			alike++
		}
	}
	n := counts[titles] // the header may lack the name of the index
	if n != columns && (n < 2 || n != columns-1) || 10*alike < 9*(len(lines)-titles-1) || titles > 0 && (hasDatum(lines[titles].text, comma) || hasDigits(lines[titles].text, comma)) {
		return 0, 0
	}
	return columns, titles
}

// isTitle reports whether only the first field of a line has text, while other lines have several.
func isTitle(line []byte, n, columns int, comma byte) bool {
	if columns < 2 || n != columns && n != 1 {
		return false
	}
	rest := bytes.TrimRight(line, string(comma)+" ")
	return countFields(rest, comma) == 1 && (columns > 2 || n == 1) || len(rest) == 0
}

// hasDatum reports whether a field of a line is a number or a time.
func hasDatum(line []byte, comma byte) bool {
	fields, err := format.ParseHeader(line, comma)
	return err != nil || slices.ContainsFunc(fields, isDatum)
}

// hasDigits reports whether most fields of a line begin with a digit, like data with units.
func hasDigits(line []byte, comma byte) bool {
	n, all := 0, bytes.Split(line, []byte{comma})
	for _, field := range all {
		if field = bytes.TrimLeft(field, `" -+`); len(field) > 0 && field[0] >= '0' && field[0] <= '9' {
			n++
		}
	}
	return 2*n > len(all)
}

// countFields counts the fields of a line. Separators within quotes do not count.
func countFields(line []byte, comma byte) int {
	n, quoted := 1, false
	for _, b := range line {
		switch {
		case b == '"':
			quoted = !quoted
		case b == comma && !quoted:
			n++
		}
	}
	return n
}

// isDatum reports whether text is a number or a time. Any number of digits counts: a wrong separator that splits a
// number at its decimal comma leaves digits, perhaps too many for a time.
func isDatum(text string) bool {
	if text != "" && strings.Trim(text, "0123456789eE+-.") == "" {
		if _, err := decimal.Parse([]byte(text)); err == nil {
			return true
		}
	}
	_, err := timestamp.Parse([]byte(text), timestamp.Auto)
	return err == nil
}

// joinHeader joins a header of several lines, which pandas writes for columns of several levels. Then it makes the
// names unique as pandas does: Unnamed: 3 for a missing name, load.1 for the second load.
func (s *sniffer) joinHeader(first []string) {
	levels := [][]string{first}
	for len(s.rows) > 1 && isNames(s.rows[0], len(levels) > 1) {
		levels, s.rows = append(levels, s.rows[0]), s.rows[1:]
	}
	if len(s.rows) == 0 || isNames(s.rows[0], false) { // the file has only text: these are lines of data
		s.rows = append(levels[1:], s.rows...)
		levels = levels[:1]
	}
	if n := len(levels); n > 1 {
		s.out.Skip += n - 1
		s.assume("", "", "%d lines of the header joined", n)
	}
	s.header = joinLevels(levels)
	s.nameless = make([]bool, len(s.header))
	for i, base := range s.header {
		name := base
		if s.nameless[i] = base == ""; s.nameless[i] {
			base = fmt.Sprintf("%s %d", unnamed, i)
			name = base
		}
		taken := func() bool {
			return slices.Contains(s.header[:i], name) || name != s.header[i] && slices.Contains(s.header[i:], name)
		}
		for n := 1; taken(); n++ {
			name = fmt.Sprintf("%s.%d", base, n)
		}
		if !s.nameless[i] && name != base {
			s.assume("", "", "another column %s is %s", base, name)
		}
		s.header[i] = name
	}
	s.out.CSV.Header = s.header
}

// NameIndex completes c when only the header is known and its first column has no name: that column has the times. It
// returns an error if another column may have them.
func NameIndex(c *format.CSVConfig) error {
	if c.Header[0] != "" {
		return nil
	}
	s := sniffer{header: c.Header}
	c.Header[0] = unnamed + " 0"
	switch i := s.first(func(i int) bool { return s.named(i, object.TimeNames) }); {
	case c.Time == "" && i < 0:
		c.Header[0] = "time" // pandas writes an index without a name
	case c.Time == "":
		return fmt.Errorf("the first column has no name, and column %s may have the times: say %s", c.Header[i], c.Names.Set("CSVConfig.Time", c.Header[i]))
	case c.Values == nil && c.Variable == "":
		c.Values = slices.DeleteFunc(slices.Clone(c.Header[1:]), func(name string) bool { return name == c.Time || slices.Contains(c.Series, name) })
	}
	return nil
}

// unnamed is the beginning of the name that a column without a name gets.
const unnamed = "Unnamed:"

// isNames reports whether a line below the header belongs to the header: it has names, but no number and no time.
// again: it follows another such line, and may have only the names of the index.
func isNames(row []string, again bool) bool {
	names := 0
	for i, cell := range row {
		switch {
		case cell == "":
		case cell[0] >= '0' && cell[0] <= '9' || strings.ContainsAny(cell[:1], "+-.$€£") || slices.Contains(cells.Missing, cell):
			return false
		case i > 0 || again:
			names++
		}
	}
	return names > 0 && (row[0] == "" || again || names > len(row)/2)
}

// repeats reports whether a name occurs twice.
func repeats(names []string) bool {
	seen := make(map[string]bool)
	return slices.ContainsFunc(names, func(name string) bool {
		again := name != "" && seen[name]
		seen[name] = true
		return again
	})
}

// joinLevels joins the names of each column from all lines of a header. A level that is equal in all columns is
// dropped.
func joinLevels(levels [][]string) []string {
	if len(levels) == 1 {
		return levels[0]
	}
	index, last := make([]string, len(levels[0])), levels[len(levels)-1]
	if n := len(last); last[0] != "" && strings.Join(last[1:], "") == "" || n > 1 && last[n-1] == "" && last[0] != "" {
		copy(index, last)
		levels = levels[:len(levels)-1]
	}
	if end := levels[len(levels)-1]; repeats(end) { // merged cells have their text in the first cell
		for _, level := range levels[:len(levels)-1] {
			for i := 2; i < len(level); i++ {
				if level[i] == "" && end[i] != "" {
					level[i] = level[i-1]
				}
			}
		}
	}
	names := make([]string, len(levels[0]))
	for _, level := range levels {
		distinct := make(map[string]bool)
		for i, name := range level {
			if index[i] == "" && i > 0 {
				distinct[name] = true
			}
		}
		for i, name := range level {
			switch {
			case index[i] != "" || name == "" || i > 0 && len(distinct) == 1:
			case names[i] == "":
				names[i] = name
			default:
				names[i] += "_" + name
			}
		}
	}
	for i := range names {
		if index[i] != "" {
			names[i] = index[i]
		}
	}
	return names
}
