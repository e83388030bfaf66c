package sniff

import (
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// guessed are the calendar forms of times that are recognised. Some forms also fit counts and measurements: their
// rule distinguishes times from those.
var guessed = []struct {
	unit timestamp.Unit
	fits func(s *sniffer, column int) bool
}{
	{"yyyymmddhhmmss", nil},
	{"yyyymmddhhmm", nil},
	{"yyyymmddhh", nil},
	{"yyyymmdd", nil},
	{"yyyyddd", (*sniffer).isOrdered},
	{"yyyymm", (*sniffer).isOrdered},
	{"year", anyOrder},
	{"mm.yyyy", anyOrder},
	{"yyyy.mm", (*sniffer).isOrdered},
	{"decimal_year", (*sniffer).isOrdered},
	{"excel", hasDays("excel")},
	{"julian_day", hasDays("julian_day")},
	{"datenum", hasDays("datenum")},
	{"ticks", anyOrder},
	{"month_year", (*sniffer).hasMonths},
}

// formOf returns the calendar form of the cells in a column. A form that small numbers have, too, is accepted only
// for a column with the name of a time column and with times in order.
func (s *sniffer) formOf(column int) timestamp.Unit {
	if s.out.CSV.TimeUnit != timestamp.Auto || len(s.rows) < 2 {
		return timestamp.Auto
	}
	sample := slices.IndexFunc(s.rows, func(row []string) bool { return row[column] != "" })
	for _, f := range guessed {
		if sample < 0 || f.unit.Date([]byte(s.rows[sample][column])) == nil {
			continue
		}
		t := timestamp.NewReader(f.unit, timestamp.YearFirst, nil, false)
		ok := s.nearlyAll(column, func(cell string) bool {
			at, err := t.Parse([]byte(cell), "")
			return err == nil && at >= -170*calendarYear && at < 130*calendarYear
		})
		if ok && (f.fits == nil || timeLike().MatchString(s.header[column]) && f.fits(s, column)) {
			return f.unit
		}
	}
	return timestamp.Auto
}

func anyOrder(*sniffer, int) bool { return true }

// hasDays: numbers of days that only rise or fall, from 1954 to 2091.
func hasDays(unit timestamp.Unit) func(s *sniffer, column int) bool {
	const serial1970 = 25_569 // days from 1899-12-30
	return func(s *sniffer, column int) bool {
		t := timestamp.NewReader(unit, timestamp.YearFirst, nil, false)
		return s.isOrdered(column) && s.nearlyAll(column, func(cell string) bool {
			at, err := t.Parse([]byte(cell), "")
			serial := float64(at)/float64(24*time.Hour) + serial1970
			return err == nil && serial > 20_000 && serial < 70_000
		})
	}
}

// hasMonths: Jan-26, Feb-26, … where the month changes from one time to the next, not the number.
func (s *sniffer) hasMonths(column int) bool {
	steps, months := 0, 0
	for i := 1; i < len(s.rows); i++ {
		if before, cell := s.rows[i-1][column], s.rows[i][column]; before != cell {
			steps++
			if strings.TrimRight(before, "0123456789") != strings.TrimRight(cell, "0123456789") {
				months++
			}
		}
	}
	return steps > 1 && 2*months > steps
}
