package format

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/decimal"
)

// Names that a column of times, of series or of line numbers usually has, in lower case.
var (
	timeNames     = []string{"time", "timestamp", "date", "datetime", "date_time", "ds", "ts", "_time", "@timestamp", "epoch", "year"}
	seriesNames   = []string{"unique_id", "series", "series_id", "item_id", "entity_id", "ts_id", "time_series_id"}
	variableNames = []string{"variable", "metric", "measure", "measurement", "parameter", "field", "_field", "indicator", "quantity"}
	indexNames    = []string{"index", "level_0", "rownames", "row_names"}
)

// parquetIndex begins the names that pandas gives an index in a Parquet file, where it comes last.
const parquetIndex = "__index_level_"

func (s *sniffer) named(column int, names []string) bool {
	return slices.Contains(names, strings.ToLower(s.header[column]))
}

func (s *sniffer) unnamed(column int) bool { return strings.HasPrefix(s.header[column], unnamed) }

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

// nearlyAll reports whether ok accepts nine of ten cells of a column.
func (s *sniffer) nearlyAll(column int, ok func(cell string) bool) bool {
	share, n := s.share(column, ok)
	return n > 0 && share >= .9
}

// isValue reports whether a cell is a value.
func (s *sniffer) isValue(cell string) bool {
	d := CSV{c: s.out.CSV}
	d.c.Missing = s.missing()
	_, err := d.value([]byte(cell))
	return err == nil
}

// isText reports whether a column has more text than values.
func (s *sniffer) isText(column int) bool {
	share, n := s.share(column, s.isValue)
	return n > 0 && share < .5
}

// parsed returns the time of a cell that is accepted by ok.
func (s *sniffer) parses(ok func(cell string, at int64) bool) func(cell string) bool {
	return func(cell string) bool {
		at, err := s.times.parse([]byte(cell), "")
		return err == nil && ok(cell, at)
	}
}

// The kinds of columns that may have times.

// hasDates: texts such as 2026-01-05 10:00.
func (s *sniffer) hasDates(column int) bool {
	return s.nearlyAll(column, s.parses(func(cell string, _ int64) bool { return !isNumber([]byte(cell)) }))
}

// hasNumbers: numbers of any size.
func (s *sniffer) hasNumbers(column int) bool {
	return s.nearlyAll(column, s.parses(func(cell string, _ int64) bool { return isNumber([]byte(cell)) }))
}

// hasEpochs: numbers that, as times, lie between 1990 and 2100.
func (s *sniffer) hasEpochs(column int) bool {
	const year = 31_556_952 * int64(1e9)
	return s.nearlyAll(column, s.parses(func(cell string, at int64) bool {
		return isNumber([]byte(cell)) && at >= 20*year && at < 130*year
	}))
}

// hasUnit: numbers that a unit other than seconds makes dates: years, or 20260105.
func (s *sniffer) hasUnit(column int, unit TimeUnit) bool {
	if s.out.CSV.TimeUnit != Auto || len(s.rows) < 2 {
		return false
	}
	t := newTimes(unit, YearFirst, nil, false)
	return s.nearlyAll(column, func(cell string) bool {
		_, err := t.parse([]byte(cell), "")
		return err == nil && isNumber([]byte(cell))
	})
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

// nameIndex calls the first column time if it has the times and no name, as pandas writes an
// index.
func (s *sniffer) nameIndex() {
	if s.time == 0 && s.nameless[0] && !slices.Contains(s.header, "time") {
		s.header[0] = "time"
	}
}

// findTime finds the column of the times.
func (s *sniffer) findTime() error {
	c := &s.out.CSV
	if c.Time != "" {
		if c.Time == "time" {
			s.time = 0
			s.nameIndex()
		}
		if s.time = slices.Index(s.header, c.Time); s.time >= 0 { // NewCSV reports a name that is not there
			s.findClock()
		}
		return nil
	}
	if s.time = s.timeColumn(); s.time < 0 {
		return s.noTime()
	}
	s.nameIndex()
	if c.Time = s.header[s.time]; s.time > 0 {
		s.assume("input.csv.time_column="+c.Time, "time in column %s", c.Time)
	}
	for _, unit := range []TimeUnit{CompactDates, Years} {
		if c.TimeUnit == Auto && s.hasUnit(s.time, unit) && (unit == CompactDates || s.named(s.time, timeNames)) {
			c.TimeUnit = unit
			s.times = newTimes(unit, c.DateOrder, nil, false)
			s.assume("input.csv.time_unit="+string(unit), "times are %s", map[TimeUnit]string{CompactDates: "dates such as 20260131", Years: "years"}[unit])
		}
	}
	if c.TimeUnit == Auto && s.nearlyAll(s.time, s.parses(func(cell string, at int64) bool { return isNumber([]byte(cell)) && at < 1e8*1e9 })) {
		s.assume("input.csv.time_unit=s", "numbers of column %s taken for seconds", s.header[s.time])
	}
	s.findClock()
	return nil
}

var clock = regexp.MustCompile(`^\d{1,2}[:.]\d\d([:.]\d\d([.,]\d+)?)?( ?[AaPp][Mm])?$`)

// findClock finds the column with the time of day of a column of dates.
func (s *sniffer) findClock() {
	if s.out.CSV.Clock != "" || s.nearlyAll(s.time, func(cell string) bool { return len(cell) > len("2006-01-02") }) {
		return // the times have one
	}
	if i := s.first(func(i int) bool { return i != s.time && s.isText(i) && s.nearlyAll(i, clock.MatchString) }); i >= 0 {
		s.out.CSV.Clock = s.header[i]
		s.assume("input.csv.clock_column="+s.header[i], "time of day in column %s", s.header[i])
	}
}

// timeOf returns the time of a row as text.
func (s *sniffer) timeOf(row []string) string {
	if i := slices.Index(s.header, s.out.CSV.Clock); i >= 0 {
		return string((&CSV{}).withClock([]byte(row[s.time]), []byte(row[i])))
	}
	return row[s.time]
}

// timeColumn returns the column of the times, or -1: the first one of a kind that comes
// earlier in this list than those of the others.
func (s *sniffer) timeColumn() int {
	isTime := func(i int) bool { return s.named(i, timeNames) }
	isDate := func(i int) bool {
		return s.hasDates(i) || s.hasUnit(i, CompactDates) || s.times.order != YearFirst && s.hasOrderedDates(i)
	}
	for _, ok := range []func(i int) bool{
		func(i int) bool { return isTime(i) && (isDate(i) || s.hasEpochs(i)) },
		isDate,
		func(i int) bool { return isTime(i) && (s.hasNumbers(i)) },
	} {
		if i := s.first(ok); i >= 0 {
			return i
		}
	}
	if s.first(s.hasOrderedDates) >= 0 || s.first(s.hasOtherDates) >= 0 || !s.hasNumbers(0) {
		return -1
	}
	if s.unnamed(0) {
		if i := s.first(func(i int) bool { return s.hasEpochs(i) && s.isOrdered(i) }); i > 0 {
			return i
		}
	}
	if s.isOrdered(0) || s.hasEpochs(0) {
		return 0
	}
	return -1
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

var dayFirst = regexp.MustCompile(`^\d{1,2}[./-]\d{1,2}[./-](\d{4}\b|\d\d($|[ ,T]))`)

// Dates that show their order, as there is no month 25. None has a year of two digits:
// 25-06-01 may begin with it.
var orderShown = map[DateOrder]*regexp.Regexp{
	DayFirst:   regexp.MustCompile(`^(1[3-9]|2\d|3[01])[./-]\d{1,2}[./-]\d{4}\b`),
	MonthFirst: regexp.MustCompile(`^\d{1,2}[./-](1[3-9]|2\d|3[01])[./-]\d{4}\b`),
}

// shownOrder returns the order that the dates of a column show, with the last that does; ""
// where none does, or two disagree.
func (s *sniffer) shownOrder(column int) (order DateOrder, date string) {
	for _, row := range s.rows {
		for o, shows := range orderShown {
			if !shows.MatchString(row[column]) {
				continue
			}
			if order != YearFirst && o != order {
				return YearFirst, ""
			}
			order, date = o, row[column]
		}
	}
	return order, date
}

// hasOrderedDates: dates that begin with the day or the month.
func (s *sniffer) hasOrderedDates(column int) bool { return s.nearlyAll(column, dayFirst.MatchString) }

// hasOtherDates: text, named as times are.
func (s *sniffer) hasOtherDates(column int) bool {
	return s.named(column, timeNames) && s.isText(column) && !s.nearlyAll(column, clock.MatchString)
}

// noTime says that no column has times, and what would help.
func (s *sniffer) noTime() error {
	if i := s.first(s.hasOrderedDates); i >= 0 {
		if order, date := s.shownOrder(i); order != YearFirst {
			return fmt.Errorf("column %q has dates such as %q, which show that the %s is first: say --set input.csv.date_order=%s",
				s.header[i], date, map[DateOrder]string{DayFirst: "day", MonthFirst: "month"}[order], order)
		}
		return fmt.Errorf("column %q has dates such as %q, whose order of day and month is not known: "+
			"say --set input.csv.date_order=dmy (day first) or mdy (month first)", s.header[i], s.rows[0][i])
	}
	column := max(0, s.first(s.hasOtherDates))
	if s.hasNumbers(column) {
		return fmt.Errorf("no column has times, the first one (%s) has numbers that rise and fall: name the column with --set input.csv.time_column=NAME; "+
			`a file without times gets numbers of its lines with  awk 'NR == 1 {print "step%c" $0; next} {print NR - 2 "%[2]c" $0}' IN > OUT`, s.header[0], s.out.CSV.Comma)
	}
	odd := max(0, slices.IndexFunc(s.rows, func(row []string) bool {
		_, err := ParseTime([]byte(row[column]), Auto)
		return err != nil
	}))
	return fmt.Errorf("no column has times, column %s has %q: name the column with --set input.csv.time_column=NAME, or write its times in another form; "+
		"times are %s, 20060102, or with --set input.csv.date_order=dmy (or mdy) 31.12.2006", s.header[column], clip([]byte(s.rows[odd][column])), timeForms)
}

// leaveOut keeps the columns of numbers, but those at the left that count the lines.
func (s *sniffer) leaveOut() {
	c := &s.out.CSV
	if c.Values != nil || c.Variable != "" || s.time < 0 {
		return
	}
	var values, out []string
	for _, name := range c.Lists {
		out = append(out, name+" (several values a row)")
	}
	index := true // all columns so far are an index or text
	for i, name := range s.header {
		switch {
		case i == s.time:
			index = false // whatever counts beside the time may be a variable
		case slices.Contains(c.Series, name) || name == c.Clock:
		case s.isText(i), s.isFlux(i):
			out = append(out, s.shown(i))
		case index && s.isIndex(i), strings.HasPrefix(name, parquetIndex) && s.hasIntegers(i):
			out = append(out, s.shown(i))
		case !s.nameless[i] && !s.more && s.isEmpty(i):
			out = append(out, name+" (empty)")
		case s.nameless[i] && s.isEmpty(i):
			// a separator at the end of each line: nothing is lost
			index = false
		default:
			if s.nameless[i] {
				s.assume("", "column %d without a name is %q", i+1, name)
			}
			values, index = append(values, name), false
		}
	}
	if len(values) == 0 {
		return
	}
	c.Values = values
	if len(out) > 0 {
		s.assume("input.csv.value_columns="+list(values), "%s %s left out%s",
			plural(len(out), "column", "columns"), strings.Join(out, ", "), s.variableHint(values)+s.unitHint())
	}
}

// shown is the name of a column in an assumption.
func (s *sniffer) shown(column int) string {
	if s.nameless[column] {
		return "without a name"
	}
	return s.header[column]
}

// list writes names as the value of a setting.
func list(names []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(names) // into memory
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

func (s *sniffer) isEmpty(column int) bool {
	return !slices.ContainsFunc(s.rows, func(row []string) bool { return row[column] != "" })
}

// isIndex reports whether a column numbers the lines: whole numbers without a name, as pandas
// and R write them, or numbers that count from line to line.
func (s *sniffer) isIndex(column int) bool {
	if s.unnamed(column) && s.hasIntegers(column) {
		return true
	}
	return s.countsLines(column) && (s.named(column, indexNames) || min(s.number(0, column), s.number(len(s.rows)-1, column)) <= 1)
}
