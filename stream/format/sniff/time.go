package sniff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/lazyregexp"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/format/internal/object"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/internal/decimal"
)

const calendarYear = 31_556_952 * int64(1e9) // mean length of a year, ns

// The kinds of columns that may have times:

// hasDates: texts such as 2026-01-05 10:00.
func (s *sniffer) hasDates(column int) bool {
	return s.nearlyAll(column, s.parses(func(cell string, _ int64) bool { return !timestamp.IsNumber([]byte(cell)) }))
}

// hasNumbers: numbers of any size.
func (s *sniffer) hasNumbers(column int) bool {
	return s.nearlyAll(column, s.parses(func(cell string, _ int64) bool { return timestamp.IsNumber([]byte(cell)) }))
}

// hasEpochs: numbers that are times between 1990 and 2100.
func (s *sniffer) hasEpochs(column int) bool {
	return s.nearlyAll(column, s.parses(func(cell string, at int64) bool {
		return timestamp.IsNumber([]byte(cell)) && at >= 20*calendarYear && at < 130*calendarYear
	}))
}

// findTime finds the column of the times.
func (s *sniffer) findTime() error {
	c := &s.out.CSV
	if c.Time != "" {
		s.findDateOrder()
		if c.Time == "time" {
			s.time = 0
			s.nameIndex()
		}
		if s.time = slices.Index(s.header, c.Time); s.time >= 0 { // NewCSV reports an unknown name
			s.findClock()
			return s.findForm()
		}
		return nil
	}
	s.findDateOrder()
	if s.time = s.timeColumn(); s.time < 0 {
		return s.noTime()
	}
	s.nameIndex()
	if c.Time = s.header[s.time]; s.time > 0 {
		s.assume("CSVConfig.Time", c.Time, "time in column %s", c.Time)
	}
	s.findClock()
	return s.findForm()
}

// findForm finds the form of the times. It returns an error for numbers whose times are decades off.
func (s *sniffer) findForm() error {
	c := &s.out.CSV
	if unit := s.formOf(s.time); unit != timestamp.Auto {
		c.TimeUnit = unit
		s.times = timestamp.NewReader(unit, c.DateOrder, nil, false)
		s.assume("CSVConfig.TimeUnit", string(unit), "times are %s", unit.Describe())
	}
	if err := s.implausible(s.time); err != nil {
		return err
	}
	if err := s.yearFractions(s.time); err != nil {
		return err
	}
	if c.TimeUnit == timestamp.Auto && s.nearlyAll(s.time, s.parses(func(cell string, at int64) bool { return timestamp.IsNumber([]byte(cell)) && at < 1e8*1e9 })) {
		s.assume("CSVConfig.TimeUnit", "s", "numbers of column %s taken for seconds", s.header[s.time])
	}
	return nil
}

// yearFractions returns an error for years with a fraction, such as 1990.25 for April, which R writes for the times
// of a series. As seconds, they would all lie in the first hour of 1970.
func (s *sniffer) yearFractions(column int) error {
	const least, most, day = 1600, 2260, 1. / 367
	whole := true
	for i, row := range s.rows {
		v, err := decimal.Parse([]byte(row[column]))
		if isYear := err == nil && v >= least && v <= most; !isYear || i > 0 && math.Abs(v-s.number(i-1, column)) > 1 {
			return nil
		}
		whole = whole && v == math.Trunc(v)
	}
	step := math.Abs(s.number(len(s.rows)-1, column)-s.number(0, column)) / float64(len(s.rows)-1)
	if s.out.CSV.TimeUnit != timestamp.Auto || whole || step < day || !s.isOrdered(column) {
		return nil
	}
	program := `NR > HEADER {y = int($C); m = int(($C - y) * 12 + 1.5); if (m > 12) {y++; m = 1}; $C = sprintf("%%04d-%%02d-01", y, m)} 1`
	if step < .08 || !s.nearlyAll(column, func(cell string) bool {
		v, err := decimal.Parse([]byte(cell))
		return err == nil && math.Abs(12*v-math.Round(12*v)) < .1
	}) {
		program = `NR > HEADER {y = int($C); n = y %% 4 == 0 && y %% 100 != 0 || y %% 400 == 0 ? 366 : 365; d = int(($C - y) * n + 1.5); if (d > n) {y++; d = 1}; $C = sprintf("%%04d-%%03d", y, d)} 1`
	}
	return fmt.Errorf("the numbers of column %s, such as %s, seem to be years with a fraction: write dates with  %s, and if they are seconds, say %s",
		s.header[column], s.rows[0][column], s.awk(strings.ReplaceAll(program, "$C", "$"+strconv.Itoa(column+1))), s.set("CSVConfig.TimeUnit", "s"))
}

var clock = lazyregexp.New(`^\d{1,2}[:.]\d\d([:.]\d\d([.,]\d+)?)?( ?[AaPp][Mm])?$`)

// findClock finds the column with the time of day that belongs to a column of dates.
func (s *sniffer) findClock() {
	if s.out.CSV.Clock != "" || s.nearlyAll(s.time, func(cell string) bool { return len(cell) > len("2006-01-02") }) {
		return // the times include the time of day
	}
	if i := s.first(func(i int) bool { return i != s.time && s.isText(i) && s.nearlyAll(i, clock().MatchString) }); i >= 0 {
		s.out.CSV.Clock = s.header[i]
		s.assume("CSVConfig.Clock", s.header[i], "time of day in column %s", s.header[i])
	}
}

// timeOf returns the time of a row as text.
func (s *sniffer) timeOf(row []string) string {
	if i := slices.Index(s.header, s.out.CSV.Clock); i >= 0 {
		return string(cells.JoinClock(nil, []byte(row[s.time]), []byte(row[i])))
	}
	return row[s.time]
}

// timeColumn returns the column of the times, or -1. It tries the kinds of columns in the order of this list, and
// returns the first column of the first kind that occurs.
func (s *sniffer) timeColumn() int {
	isTime := func(i int) bool { return s.named(i, object.TimeNames) }
	isDate := func(i int) bool {
		return s.hasDates(i) || s.formOf(i) != timestamp.Auto || s.out.CSV.DateOrder != timestamp.YearFirst && s.hasOrderedDates(i)
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

var dayFirst = lazyregexp.New(`^\d{1,2}[./-]\d{1,2}[./-](\d{4}\b|\d\d($|[ ,T]))`)

// orderShown matches dates that show their order, because there is no month 25. Years of two digits do not count:
// 25-06-01 may begin with the year.
var orderShown = map[timestamp.Order]lazyregexp.Regexp{
	timestamp.DayFirst:   lazyregexp.New(`^(1[3-9]|2\d|3[01])[./-]\d{1,2}[./-]\d{4}\b`),
	timestamp.MonthFirst: lazyregexp.New(`^\d{1,2}[./-](1[3-9]|2\d|3[01])[./-]\d{4}\b`),
}

// shownOrder returns the order that the dates of a column show, because the other order has a month above 12 or
// leaves gaps of months; "": the dates do not show it.
func (s *sniffer) shownOrder(column int) (order timestamp.Order) {
	for _, row := range s.rows {
		for o, shows := range orderShown {
			if shows().MatchString(row[column]) {
				if order != timestamp.YearFirst && o != order {
					return timestamp.YearFirst
				}
				order = o
			}
		}
	}
	if order != timestamp.YearFirst {
		return order
	}
	for _, o := range []timestamp.Order{timestamp.DayFirst, timestamp.MonthFirst} {
		if timestamp.MisreadOrder(s.timesBy(column, o.Other()), s.timesBy(column, o)) {
			return o
		}
	}
	return timestamp.YearFirst
}

// timesBy returns the times of a column when its dates are read in order o.
func (s *sniffer) timesBy(column int, o timestamp.Order) (at []int64) {
	t := timestamp.NewReader(timestamp.Auto, o, nil, false)
	for _, row := range s.rows {
		if v, err := t.Parse([]byte(row[column]), ""); err == nil {
			at = append(at, v)
		}
	}
	return at
}

// findDateOrder sets the order that the dates of the file show, unless it is configured.
func (s *sniffer) findDateOrder() {
	c := &s.out.CSV
	i := s.first(func(i int) bool { return (c.Time == "" || s.header[i] == c.Time) && s.hasOrderedDates(i) })
	if i < 0 || c.DateOrder != timestamp.YearFirst {
		return
	}
	if c.DateOrder = s.shownOrder(i); c.DateOrder != timestamp.YearFirst {
		s.times = timestamp.NewReader(c.TimeUnit, c.DateOrder, nil, false)
		s.assume("CSVConfig.DateOrder", string(c.DateOrder), "the %s is first in dates such as %s", map[timestamp.Order]string{timestamp.DayFirst: "day", timestamp.MonthFirst: "month"}[c.DateOrder], s.rows[0][i])
	}
}

// hasOrderedDates: dates that begin with the day or the month.
func (s *sniffer) hasOrderedDates(column int) bool {
	return s.nearlyAll(column, dayFirst().MatchString)
}

// hasOtherDates: text in a column with the name of a time column.
func (s *sniffer) hasOtherDates(column int) bool {
	return s.named(column, object.TimeNames) && s.isText(column) && !s.nearlyAll(column, clock().MatchString)
}

// noTime returns the error of a file without a column of times, with a remedy.
func (s *sniffer) noTime() error {
	if err := s.byBlanks(); err != nil {
		return err
	}
	if i := s.first(s.hasOrderedDates); i >= 0 {
		return fmt.Errorf("column %q has dates such as %q, whose order of day and month is not known: "+
			"say %s (day first) or mdy (month first)", s.header[i], s.rows[0][i], s.set("CSVConfig.DateOrder", "dmy"))
	}
	if i := s.first(func(i int) bool { return s.nearlyAll(i, noYear().MatchString) && s.isText(i) }); i >= 0 {
		return fmt.Errorf("column %s has dates without a year, such as %q: put it before them with  awk -F%s -v OFS=%[3]s 'NR > 1 {$%d = \"2026-\" $%[4]d} 1' IN > OUT, and name their form, such as %[5]s",
			s.header[i], s.rows[0][i], shell.Quote(string(s.out.CSV.Comma)), i+1, s.set("CSVConfig.TimeUnit", "%Y-%m-%d"))
	}
	column := max(0, s.first(s.hasOtherDates))
	if s.hasNumbers(column) {
		return fmt.Errorf("no column has times, the first one (%s) has numbers that rise and fall: name the column with %s; "+
			`a file without times gets numbers of its lines with  awk 'NR == 1 {print "step%c" $0; next} {print NR - 2 "%[3]c" $0}' IN > OUT`, s.header[0], s.set("CSVConfig.Time", "NAME"), s.out.CSV.Comma)
	}
	odd := max(0, slices.IndexFunc(s.rows, func(row []string) bool {
		_, err := timestamp.Parse([]byte(row[column]), timestamp.Auto)
		return err != nil
	}))
	return fmt.Errorf("no column has times, column %s has %q: name the column with %s, or the form of its times with %s (as strftime has it); "+
		"times are %s, 20060102, or with %s (or mdy) 31.12.2006", s.header[column], cells.Clip([]byte(s.rows[odd][column])),
		s.set("CSVConfig.Time", "NAME"), s.set("CSVConfig.TimeUnit", "%d.%m.%Y"), timestamp.Forms, s.set("CSVConfig.DateOrder", "dmy"))
}

// noYear matches dates without a year: 01-06, 06.01. 10:00, Jan-10, Jan  6 10:00:00.
var noYear = lazyregexp.New(`^(\d{1,2}[./-]\d{1,2}\.?|[A-Z][a-z]{2,8}[-. ]+\d{1,2}|\d{1,2}[-. ]+[A-Z][a-z]{2,8})([ T]+\d{1,2}:\d\d.*)?$`)

// timeLike matches names of columns of times, also of months and years.
var timeLike = lazyregexp.New(`(?i:^|[_ .-])(?i:_?@?date|time|datetime|date_?time|timestamp|stamp|year|month|yearmonth|year_?month|day|week|quarter|period|epoch|ym|jd|julian_?(?:day|date)|datenum|ds|ts|dt|t|x|datum|zeit|zeitpunkt|zeitstempel|tag|woche|monat|jahr|fecha|mes|mois|ann[eé]e|anno|mese|ano)(?:$|[_ .-])|[a-z](?:Date|Time|Year|Month|Day)$`)

// implausible returns an error for numbers whose times lie before 1980 or more than a year ahead, with the units that
// make them plausible. Small numbers are accepted: they count steps.
func (s *sniffer) implausible(column int) error {
	const counts = 1e8 // smaller numbers count steps; as seconds, 1e8 is in 1973
	if s.out.CSV.TimeUnit != timestamp.Auto {
		return nil
	}
	now := time.Now()
	odd := func(at int64) bool { return at < 10*calendarYear || at > now.AddDate(1, 0, 0).UnixNano() }
	for _, row := range s.rows {
		cell := []byte(row[column])
		at, err := s.times.Parse(cell, "")
		plausible := err != nil || !odd(at) || at < counts*1e9 && at > -counts*1e9
		if !timestamp.IsNumber(cell) || plausible {
			return nil
		}
	}
	cell := []byte(s.rows[0][column])
	at, _ := s.times.Parse(cell, "")
	var likely []string
	for _, unit := range []timestamp.Unit{timestamp.Seconds, timestamp.Milliseconds, timestamp.Microseconds, timestamp.Nanoseconds, "filetime", "ticks"} {
		t := timestamp.NewReader(unit, timestamp.YearFirst, nil, false)
		if v, err := t.Parse(cell, ""); err == nil && !odd(v) {
			likely = append(likely, string(unit))
		}
	}
	if len(likely) == 0 {
		likely = []string{"s"} // the user has confirmed them
	}
	return fmt.Errorf("the times in column %s would begin at %s (%s): name their form with %s",
		s.header[column], time.Unix(0, at).UTC().Format(time.RFC3339), cell, s.set("CSVConfig.TimeUnit", likely[0]))
}
