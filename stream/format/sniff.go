package format

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/internal/decimal"
)

// Assumption is one decision of SniffCSV, in words, with the setting that states it.
type Assumption struct {
	Text    string // such as "separator ;"
	Setting string // such as "input.csv.comma=;"
}

// Sniffed says how a file of CSV is read.
type Sniffed struct {
	CSV         CSVConfig
	Skip        int // lines before the header
	NewestFirst bool
	Assumptions []Assumption
}

// Names that a column of times or of series usually has, in lower case.
var (
	timeNames   = []string{"time", "timestamp", "date", "datetime", "date_time", "ds", "ts", "_time", "@timestamp"}
	seriesNames = []string{"unique_id", "series", "series_id", "item_id"}
)

var separators = []byte{',', ';', '\t', '|'}

// SniffCSV completes c from the first lines of a file. Fields of c that are set are not
// questioned. It decides about the separator, the decimal comma, separators of thousands, the
// column of the times, the column of the series where times repeat, text columns, which are
// left out, and whether the newest line comes first.
//
// The error says which of these could not be found and which setting tells it.
func SniffCSV(sample []byte, c CSVConfig) (Sniffed, error) {
	s := &sniffer{out: Sniffed{CSV: c}}
	lines := s.skipComments(sampleLines(sample))
	if len(lines) == 0 {
		return s.out, nil // the decoder reports the missing header
	}
	s.separate(lines)
	header, err := ParseHeader(lines[0], s.out.CSV.Comma)
	if err != nil {
		return s.out, nil //nolint:nilerr // who reads the line says so, with its number
	}
	s.nameIndex(header)
	s.readRows(lines[1:])
	if len(s.rows) == 0 {
		return s.out, nil
	}
	if isDatum(header[0]) && !s.parsesAsName(header) {
		return s.out, nil // a line of data in the place of the header: the decoder says so
	}
	s.findNumbers()
	if err := s.findTime(); err != nil {
		return s.out, err
	}
	s.findSeries()
	s.leaveOutText()
	s.findOrder()
	return s.out, nil
}

// sniffer is the work of one SniffCSV.
type sniffer struct {
	out    Sniffed
	header []string
	rows   [][]string
	time   int // column; -1 = none yet
	times  times
}

func (s *sniffer) assume(setting, format string, args ...any) {
	s.out.Assumptions = append(s.out.Assumptions, Assumption{fmt.Sprintf(format, args...), setting})
}

const sampledRows = 1000

// sampleLines returns the complete lines of a sample, without the blank ones.
func sampleLines(sample []byte) (lines [][]byte) {
	sample = bytes.TrimPrefix(sample, []byte("\ufeff"))
	for line := range bytes.Lines(sample) {
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line)
		}
		if len(lines) > sampledRows {
			break
		}
	}
	return lines
}

// skipComments leaves out lines before the header that begin with #, as PowerShell and
// InfluxDB write them.
func (s *sniffer) skipComments(lines [][]byte) [][]byte {
	n := 0
	for n < len(lines) && lines[n][0] == '#' {
		n++
	}
	if n == len(lines) || n == 0 {
		return lines
	}
	s.out.Skip = n
	s.assume("", "%d %s with # left out", n, plural(n, "line", "lines"))
	return lines[n:]
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// separate finds the separator: the one with the most columns among those that give the
// header and nine of ten lines the same number of them.
func (s *sniffer) separate(lines [][]byte) {
	c := &s.out.CSV
	if c.Comma != 0 {
		return
	}
	best := 1
	for _, comma := range separators {
		columns := countFields(lines[0], comma)
		alike := 0
		for _, line := range lines[1:] {
			if countFields(line, comma) == columns {
				alike++
			}
		}
		if columns > best && 10*alike >= 9*(len(lines)-1) {
			best, c.Comma = columns, comma
		}
	}
	if c.Comma == 0 {
		c.Comma = ','
	}
	if c.Comma != ',' {
		name := string(c.Comma)
		if c.Comma == '\t' {
			name = "tab"
		}
		s.assume("input.csv.comma="+strconv.Quote(string(c.Comma)), "separator %s", name)
	}
}

// countFields counts the fields of a line, minding quotes.
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

// nameIndex gives a name to the first column when it has none, as pandas and R write their
// index.
func (s *sniffer) nameIndex(header []string) {
	if header[0] == "" {
		for _, name := range []string{"time", "index", "unnamed"} {
			if header[0] = name; !slices.Contains(header[1:], name) {
				break
			}
		}
	}
	s.header, s.out.CSV.Header = header, header
}

func (s *sniffer) readRows(lines [][]byte) {
	for _, line := range lines {
		r := csv.NewReader(bytes.NewReader(line))
		r.Comma, r.FieldsPerRecord = rune(s.out.CSV.Comma), -1
		fields, err := r.Read()
		if err != nil || len(fields) != len(s.header) {
			continue // the decoder refuses it
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		s.rows = append(s.rows, fields)
	}
	s.times = newTimes(s.out.CSV.TimeUnit, s.out.CSV.DateOrder, nil, false)
}

// isDatum reports whether text is a number or a time.
func isDatum(text string) bool {
	_, err := ParseTime([]byte(text), Auto)
	return err == nil
}

// parsesAsName reports whether some name in the header is neither a number nor a time.
func (s *sniffer) parsesAsName(header []string) bool {
	return slices.ContainsFunc(header, func(name string) bool { return !isDatum(name) })
}

// Numbers with a comma for the point, with points or commas between thousands.
var (
	commaDecimal  = regexp.MustCompile(`^[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+$`)
	commaThousand = regexp.MustCompile(`^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$`)
	dotThousand   = regexp.MustCompile(`^[-+]?\d{1,3}(\.\d{3})+(,\d+)?$`)
	dotDecimal    = regexp.MustCompile(`^[-+]?\d*\.\d+([eE][-+]?\d+)?$`)
)

// findNumbers decides between decimal comma and decimal point.
func (s *sniffer) findNumbers() {
	c := &s.out.CSV
	if c.Decimal != 0 || c.Thousands != 0 {
		return
	}
	decimals, groups, dots, dotGroups := 0, 0, 0, 0
	for _, row := range s.rows {
		for _, cell := range row {
			switch {
			case dotThousand.MatchString(cell) && dotDecimal.MatchString(cell):
				dotGroups++ // 1.234 may be either
			case dotDecimal.MatchString(cell):
				dots++
			case commaThousand.MatchString(cell) && commaDecimal.MatchString(cell):
				groups++ // 1,234 may be either
			case commaThousand.MatchString(cell):
				groups++
				dots++ // 1,234.5 or 1,234,567 have no decimal comma
			case commaDecimal.MatchString(cell):
				decimals++
				dotGroups += strings.Count(cell, ".") // 1.234,5
			case dotThousand.MatchString(cell):
				dotGroups++
				decimals++ // 1.234.567
			}
		}
	}
	switch {
	case decimals+groups == 0:
	case dots == 0 && (decimals > 0 || c.Comma != ','):
		c.Decimal = ','
		s.assume("input.csv.decimal=,", "decimal comma")
		if dotGroups > 0 {
			c.Thousands = '.'
			s.assume("input.csv.thousands=.", "points between thousands")
		}
	default:
		c.Thousands = ','
		s.assume("input.csv.thousands=,", "commas between thousands")
	}
}

// share returns the part of the cells of a column that ok accepts, of those that are not
// missing, and their number.
func (s *sniffer) share(column int, ok func(cell string) bool) (share float64, n int) {
	good := 0
	for _, row := range s.rows {
		if cell := row[column]; cell != "" && !contains(s.missing(), []byte(cell)) {
			n++
			if ok(cell) {
				good++
			}
		}
	}
	return float64(good) / float64(max(n, 1)), n
}

func (s *sniffer) missing() []string {
	if s.out.CSV.Missing != nil {
		return s.out.CSV.Missing
	}
	return missingSpellings
}

// isValue reports whether a cell is a value.
func (s *sniffer) isValue(cell string) bool {
	d := CSV{c: s.out.CSV}
	d.c.Missing = s.missing()
	_, err := d.value([]byte(cell))
	return err == nil
}

// isTime reports whether nearly all cells of a column are times. Those that are numbers count
// only if numbers is set.
func (s *sniffer) isTime(column int, numbers bool) bool {
	share, n := s.share(column, func(cell string) bool {
		_, err := s.times.parse([]byte(cell), "")
		return err == nil && (numbers || !isNumber([]byte(cell)))
	})
	return n > 0 && share >= .9
}

// findTime finds the column of the times.
func (s *sniffer) findTime() error {
	c := &s.out.CSV
	if c.Time != "" {
		s.time = slices.Index(s.header, c.Time)
		return nil // NewCSV reports a name that is not there
	}
	s.time = -1
	for i := range s.header {
		if s.named(i, timeNames) && s.isTime(i, true) || s.isTime(i, false) {
			s.time = i
			break
		}
	}
	switch {
	case s.time < 0 && s.isTime(0, true):
		s.time = 0
	case s.time < 0:
		return s.noTime()
	}
	if s.time > 0 {
		c.Time = s.header[s.time]
		s.assume("input.csv.time_column="+c.Time, "time in column %s", c.Time)
	}
	return nil
}

func (s *sniffer) named(column int, names []string) bool {
	return slices.Contains(names, strings.ToLower(s.header[column]))
}

var dayFirst = regexp.MustCompile(`^\d{1,2}[./-]\d{1,2}[./-]\d{4}\b`)

// noTime says that no column has times, and what would help.
func (s *sniffer) noTime() error {
	for i, name := range s.header {
		if share, n := s.share(i, dayFirst.MatchString); n > 0 && share >= .9 {
			return fmt.Errorf("format: column %q has dates such as %q, whose order of day and month is not known: "+
				"say --set input.csv.date_order=dmy (day first) or mdy (month first)", name, s.rows[0][i])
		}
	}
	return fmt.Errorf("format: no column has times, the first one (%s) has %q: name the column with --set input.csv.time_column=NAME; "+
		"times are RFC 3339, 2006-01-02 15:04:05 or seconds since 1970", s.header[0], clip([]byte(s.rows[0][0])))
}

// findSeries takes a text column for the name of the series when times repeat and the column
// tells the lines of one time apart, or when its name says so.
func (s *sniffer) findSeries() {
	c := &s.out.CSV
	if c.Series != "" || c.Variable != "" || c.Values != nil {
		return
	}
	repeats := s.repeats(-1)
	for i := range s.header {
		if i == s.time || !s.isText(i) {
			continue
		}
		if s.named(i, seriesNames) || 20*repeats > len(s.rows) && 100*s.repeats(i) <= len(s.rows) {
			c.Series = s.header[i]
			s.assume("input.csv.series_column="+c.Series, "a series for each %s", c.Series)
			return
		}
	}
}

// repeats counts the lines whose time, and text in a column unless it is -1, were there
// before.
func (s *sniffer) repeats(column int) (n int) {
	seen := make(map[string]bool)
	for _, row := range s.rows {
		key := row[s.time]
		if column >= 0 {
			key += "\x00" + row[column]
		}
		if seen[key] {
			n++
		}
		seen[key] = true
	}
	return n
}

// isText reports whether a column has more text than values.
func (s *sniffer) isText(column int) bool {
	share, n := s.share(column, s.isValue)
	return n > 0 && share < .5
}

// leaveOutText keeps the columns of numbers.
func (s *sniffer) leaveOutText() {
	c := &s.out.CSV
	if c.Values != nil || c.Variable != "" {
		return
	}
	var values, text []string
	for i, name := range s.header {
		switch {
		case i == s.time || name == c.Series:
		case s.isText(i), i == 0 && s.isIndex():
			text = append(text, name)
		default:
			values = append(values, name)
		}
	}
	if len(text) == 0 || len(values) == 0 {
		return
	}
	c.Values = values
	s.assume("input.csv.value_columns="+strings.Join(values, ","), "%s %s left out",
		plural(len(text), "column", "columns"), strings.Join(text, ", "))
}

// isIndex reports whether the first column numbers the lines and has no name of its own.
func (s *sniffer) isIndex() bool {
	if name := s.header[0]; name != "index" && name != "unnamed" && name != "time" && !strings.HasPrefix(name, "Unnamed") {
		return false
	}
	for i, row := range s.rows {
		if v, err := decimal.Parse([]byte(row[0])); err != nil || i > 0 && v != s.number(i-1)+1 {
			return false
		}
	}
	return true
}

func (s *sniffer) number(row int) float64 {
	v, _ := decimal.Parse([]byte(s.rows[row][0]))
	return v
}

// NewestFirst reports whether times only go down, at least three times, so that the newest
// line of a file comes first and the others are not late.
func NewestFirst(times []int64) bool {
	const fewest = 3
	down := 0
	for i := 1; i < len(times); i++ {
		switch {
		case times[i] > times[i-1]:
			return false
		case times[i] < times[i-1]:
			down++
		}
	}
	return down >= fewest
}

// findOrder reports whether the newest line comes first.
func (s *sniffer) findOrder() {
	var at []int64
	for _, row := range s.rows {
		if t, err := s.times.parse([]byte(row[s.time]), ""); err == nil {
			at = append(at, t)
		}
	}
	if NewestFirst(at) {
		s.out.NewestFirst = true
		s.assume("input.file.sort=true", "newest line first: sorted")
	}
}
