package sniff

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/internal/lazyregexp"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// dateColumn is the part of a date in one column, if each part has its own column.
type dateColumn struct {
	names       lazyregexp.Regexp
	least, most int
}

// The parts of dates, with the names of their columns.
var (
	yearPart    = dateColumn{lazyregexp.New(`(?i)^#?(year|yr|yyyy|yy|jahr|ann[ée]e|año|ano|anno)$`), 1600, 2260}
	monthPart   = dateColumn{lazyregexp.New(`(?i)^(month|mon|mo|mm|monat|mois|mes|mese)$`), 1, 12}
	dayPart     = dateColumn{lazyregexp.New(`(?i)^(day|dd|dy|dom|day_of_month|tag|jour|d[ií]a|giorno)$`), 1, 31}
	hourPart    = dateColumn{lazyregexp.New(`(?i)^(hour|hr|hh|stunde|heure|hora|ora)$`), 0, 24}
	minutePart  = dateColumn{lazyregexp.New(`(?i)^(minute|min|mn|mi)$`), 0, 59}
	weekPart    = dateColumn{lazyregexp.New(`(?i)^(week|iso_?week|week_?(no|number|of_year)|kw|kalenderwoche|woche|semaine|semana)$`), 1, 53}
	quarterPart = dateColumn{lazyregexp.New(`(?i)^(quarter|qtr|q|quartal|trimestre)$`), 1, 4}
	yearDayPart = dateColumn{lazyregexp.New(`(?i)^(doy|yday|day_?of_?year|jday)$`), 1, 366}
)

var englishMonth = lazyregexp.New(`(?i)^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}$`)

// part returns the column with a part of dates, counted from 1; 0: none.
func (s *sniffer) part(p dateColumn) int {
	return 1 + s.first(func(i int) bool {
		return p.names().MatchString(s.header[i]) && s.nearlyAll(i, func(cell string) bool {
			n, err := strconv.Atoi(cell)
			return err == nil && n >= p.least && n <= p.most || p.most == 12 && englishMonth().MatchString(cell)
		})
	})
}

// checkTable returns an error for a table whose rows are not times. The error has the command that converts the
// table.
func (s *sniffer) checkTable() error {
	c := &s.out.CSV
	if c.Time != "" || c.TimeUnit != timestamp.Auto {
		return nil
	}
	for _, check := range []func() error{s.splitDates, s.splitHours, s.monthColumns, s.timesAcross, s.intervals} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// awk returns the command that runs an awk program on the lines from the header on.
func (s *sniffer) awk(program string, args ...any) string {
	sep := shell.Quote(string(s.out.CSV.Comma))
	program = strings.ReplaceAll(fmt.Sprintf(program, args...), "HEADER", strconv.Itoa(s.out.Skip+1))
	return "awk -F" + sep + " -v OFS=" + sep + " " + shell.Quote(program) + " IN > OUT"
}

// splitDates returns an error for dates in several columns: year, month, day, hour.
func (s *sniffer) splitDates() error {
	year := s.part(yearPart)
	if year == 0 || s.first(s.hasDates) >= 0 {
		return nil
	}
	month, day, hour, minute := s.part(monthPart), s.part(dayPart), s.part(hourPart), s.part(minutePart)
	form, parts := "", []int{year}
	add := func(text string, column int) {
		if column > 0 {
			form, parts = form+text, append(parts, column)
		}
	}
	switch week, quarter, yearDay := s.part(weekPart), s.part(quarterPart), s.part(yearDayPart); {
	case month > 0:
		add("%04d-%02d", month)
		if add("-%02d", day); day == 0 {
			form += "-01"
		} else if add("T%02d", hour); hour > 0 {
			if add(":%02d:00", minute); minute == 0 {
				form += ":00:00"
			}
		}
	case week > 0:
		add("%04d-W%02d", week)
	case quarter > 0:
		add("%04dQ%d", quarter)
	case yearDay > 0:
		if add("%04d-%03d", yearDay); hour > 0 {
			add(" %02d:00", hour)
		}
	default:
		return nil
	}
	var fields, others []string
	for _, column := range parts {
		field := "$" + strconv.Itoa(column)
		if column == month && s.isText(month-1) {
			field = `(index("janfebmaraprmayjunjulaugsepoctnovdec", tolower(substr(` + field + `, 1, 3))) + 2) / 3`
		}
		fields = append(fields, field)
	}
	for i := range s.header {
		if !slices.Contains(parts, i+1) {
			others = append(others, "$"+strconv.Itoa(i+1))
		}
	}
	rest := strings.Join(others, ", ")
	return fmt.Errorf("the dates are in %d columns (%s): join them in one with  %s", len(parts), s.namesOf(parts),
		s.awk(`NR == HEADER {print "time", %s} NR > HEADER {print sprintf("%s", %s), %s}`, rest, form, strings.Join(fields, ", "), rest))
}

var hourName = lazyregexp.New(`(?i)^(hour|hr|hh|he|hour[ _]?ending|hour[ _]?of[ _]?(the[ _]?)?day|stunde|heure|hora|ora)$`)

// splitHours returns an error for dates whose hour is a number in another column. That column would otherwise
// separate 24 series.
func (s *sniffer) splitHours() error {
	hour := s.part(dateColumn{hourName, 0, 24})
	date := 1 + s.first(func(i int) bool {
		return (s.hasOrderedDates(i) || s.hasDates(i)) && s.nearlyAll(i, func(cell string) bool { return len(cell) <= len("2006-01-02") })
	})
	if hour == 0 || date == 0 || hour == date || !s.repeatsTexts(date-1) || len(s.out.CSV.Series) > 0 {
		return nil
	}
	var rest strings.Builder
	for i := range s.header {
		if i+1 != hour && i+1 != date {
			fmt.Fprintf(&rest, ", $%d", i+1)
		}
	}
	return fmt.Errorf("the hours of column %s belong to the dates of column %s: join them in one with  %s", s.header[hour-1], s.header[date-1],
		s.awk(`NR == HEADER {print "time"%s} NR > HEADER {print $%d sprintf(" %%02d:00", $%d)%[1]s}`, rest.String(), date, hour))
}

// isRule reports whether a line is a rule: |:---|---:| or -----+-----.
func isRule(line []byte) bool {
	return len(line) > 2 && len(bytes.Trim(line, "-+|: \r")) == 0 && bytes.Contains(line, []byte("--"))
}

var interval = lazyregexp.New(`^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}[ T]\d{1,2}:[\d:]+ ?(-|–|/) ?\d{1,4}[-./]\d{1,2}[-./]\d{1,4}[ T]\d`)

// ruled returns an error for a table with a rule above or below its header, as MySQL, psql and Markdown write it.
func ruled(lines []sampleLine) error {
	if len(lines) < 3 || !bytes.Contains(slices.Concat(lines[0].text, lines[1].text), []byte{'|'}) || !isRule(lines[0].text) && !isRule(lines[1].text) {
		return nil
	}
	return errors.New(`the table is drawn with lines: write it as CSV with  sed -E '/^[-+|: ]*$/d; /^\(?[0-9]+ rows?( in set.*|\))$/d; /^\|/{s/^\| *//; s/ *\| *$//;}; s/^ +//; s/ +$//; s/ *\| */,/g' IN > OUT.csv`)
}

// intervals returns an error for a column with the beginning and the end of each step.
func (s *sniffer) intervals() error {
	i := s.first(func(i int) bool { return s.nearlyAll(i, interval().MatchString) })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("column %s has the beginning and the end of each step, such as %q: keep the beginning with  sed -E 's/(:[0-9]{2}) ?(-|–|\\/) ?[0-9]{1,4}[-.\\/][0-9]{1,2}[-.\\/][0-9]{1,4}[ T][0-9:]+/\\1/' IN > OUT", s.header[i], s.rows[0][i])
}

func (s *sniffer) namesOf(columns []int) string {
	var names []string
	for _, i := range columns {
		names = append(names, s.header[i-1])
	}
	return strings.Join(names, ", ")
}

// monthColumns returns an error for a table with one row per year and one column per month.
func (s *sniffer) monthColumns() error {
	first := slices.IndexFunc(s.header, func(name string) bool { return timestamp.MonthOf(name) == 1 })
	if first < 1 || len(s.header) < first+12 || !s.nearlyAll(0, func(cell string) bool { return len(cell) == 4 && timestamp.IsNumber([]byte(cell)) }) {
		return nil
	}
	for m := range 12 {
		if timestamp.MonthOf(s.header[first+m]) != m+1 {
			return nil
		}
	}
	return fmt.Errorf("the table has a row for each year and a column for each month (%s to %s), a row for each time was expected: write it so with  %s",
		s.header[first], s.header[first+11], s.awk(`BEGIN {print "time", "value"} NR > HEADER {for (m = 1; m <= 12; m++) if ($(m + %d) != "") print sprintf("%%04d-%%02d-01", $1, m), $(m + %[1]d)}`, first))
}

var yearName = lazyregexp.New(`^(1[6-9]|2[01])\d\d( \[YR\d{4}\])?$`)

// timesAcross returns an error for a table with times in the header and variables in the first columns.
func (s *sniffer) timesAcross() error {
	isTime := func(name string) bool {
		_, err := timestamp.Parse([]byte(name), timestamp.Auto)
		return yearName().MatchString(name) || err == nil && !timestamp.IsNumber([]byte(name))
	}
	first := slices.IndexFunc(s.header, isTime)
	if first < 1 || len(s.header)-first < 3 || !s.isText(0) || s.hasDates(0) || slices.ContainsFunc(s.header[first:], func(name string) bool { return !isTime(name) }) {
		return nil
	}
	turn := `.set_index(` + strconv.Quote(s.header[0]) + `).T.rename_axis("time").to_csv("OUT")`
	if first > 1 {
		var ids []string
		for _, name := range s.header[:first] {
			ids = append(ids, strconv.Quote(name))
		}
		turn = `.melt([` + strings.Join(ids, ", ") + `], var_name="time").to_csv("OUT", index=False)`
	}
	return fmt.Errorf("the times are in the header (%s to %s), a row for each time was expected: turn the table with  python3 -c %s",
		s.header[first], s.header[len(s.header)-1], shell.Quote(fmt.Sprintf(`import pandas; pandas.read_csv("IN", sep=%q, skiprows=%d)%s`, string(s.out.CSV.Comma), s.out.Skip, turn)))
}

// byBlanks returns an error for columns that are separated by several blanks.
func (s *sniffer) byBlanks() error {
	if len(s.header) != 1 || len(s.rows) < 2 {
		return nil
	}
	for _, form := range []string{" {2,}", " +"} {
		blanks := regexp.MustCompile(form)
		last := blanks.Split(s.rows[len(s.rows)-1][0], -1)
		if form != " +" && !strings.Contains(last[0], " ") {
			continue // single blanks do not count: a date may have one before the time of day
		}
		if n := len(last); n > 1 && s.nearlyAll(0, func(cell string) bool { return len(blanks.Split(cell, -1)) == n }) {
			return fmt.Errorf("%d columns stand behind blanks: put commas between them with  sed -E 's/^ +//; s/%s/,/g' IN > OUT.csv", n, form)
		}
	}
	return nil
}

// checkBreaks returns an error for quoted texts with line breaks: a row must be one line.
func (s *sniffer) checkBreaks(lines []sampleLine) error {
	broken := 0
	for _, l := range lines {
		if bytes.Count(l.text, []byte{'"'})%2 == 1 {
			broken++
		}
	}
	if broken < 2 || 5*broken < len(lines) {
		return nil
	}
	return errors.New("texts in quotes have line breaks, and a row is a line: write it so with  python3 -c " + shell.Quote(fmt.Sprintf(
		`import csv, sys; csv.writer(sys.stdout, delimiter=%q).writerows([" ".join(c.split()) for c in r] for r in csv.reader(sys.stdin, delimiter=%[1]q))`, string(s.out.CSV.Comma))) + " < IN > OUT")
}

// checkBeside returns an error for two tables side by side with different times: the values of the second table would
// get the times of the first.
func (s *sniffer) checkBeside() error {
	if s.out.CSV.Values != nil || s.time < 0 {
		return nil
	}
	other := slices.Index(s.header, s.header[s.time]+".1") // the second column with this name
	if other < s.time+2 || other+1 == len(s.header) || !s.hasDates(other) && !s.hasEpochs(other) ||
		!slices.ContainsFunc(s.rows, func(row []string) bool { return row[s.time] != row[other] }) {
		return nil
	}
	columns := func(names []string) string {
		return s.set("CSVConfig.Values", cells.List(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" || strings.HasPrefix(name, unnamed) })))
	}
	return fmt.Errorf("the columns %s and %s have different times, as two tables side by side: read one with  %s  or  %s %s",
		s.header[s.time], s.header[other], columns(s.header[s.time+1:other]), s.set("CSVConfig.Time", s.header[other]), columns(s.header[other+1:]))
}
