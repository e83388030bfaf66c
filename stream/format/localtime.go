package format

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// DateOrder is the order of day, month and year in a date.
type DateOrder string

// The orders. Dates with the day or the month first are read only where the order says so:
// 01/02/2026 alone does not tell.
const (
	YearFirst  DateOrder = "" // 2026-02-01
	DayFirst   DateOrder = "dmy"
	MonthFirst DateOrder = "mdy"
)

func (o DateOrder) check() error {
	switch o {
	case YearFirst, DayFirst, MonthFirst:
		return nil
	}
	return fmt.Errorf("format: the order of a date must be dmy, mdy or empty, got %q", o)
}

// times reads the times of a file: ParseTime with an order of dates and a zone for times
// that name none.
type times struct {
	unit  TimeUnit
	order DateOrder
	zone  *time.Location   // nil = UTC
	last  map[string]int64 // of each series, to tell a repeated hour apart; nil = it is the first one
}

func newTimes(unit TimeUnit, order DateOrder, zone *time.Location, remember bool) times {
	t := times{unit: unit, order: order, zone: zone}
	if t.zone == time.UTC {
		t.zone = nil
	}
	if t.zone != nil && remember {
		t.last = make(map[string]int64)
	}
	return t
}

// parse returns the time that text says for a series. Of an hour that the end of summer time
// repeats it is the first one, or, with a memory, the second one as soon as the first would not
// be later than the time before.
func (t *times) parse(text []byte, series string) (int64, error) {
	number := isNumber(text)
	switch {
	case number && (t.unit == Years || t.unit == CompactDates):
		text, number = t.unit.date(text), false
	case t.order != YearFirst && !number:
		if ordered, ok := t.order.yearFirst(text); ok {
			text = ordered
		}
	}
	at, err := ParseTime(text, t.unit)
	if err != nil && !number {
		if ordered, ok := t.order.yearFirst(text); ok {
			text = ordered
			at, err = ParseTime(text, t.unit)
		}
	}
	if err != nil || t.zone == nil || number || hasZone(text[min(len(text), len("2006-01-02")):]) {
		return at, err
	}
	first, second := t.instants(at)
	if t.last != nil {
		if last, known := t.last[series]; known && first <= last {
			first = second
		}
		t.last[series] = first
	}
	return first, nil
}

// explain returns the error of a text that is no date in order o: it names the order that reads
// the text, if there is one.
func (o DateOrder) explain(text []byte, err error) error {
	reads := func(o DateOrder) bool {
		date, ok := o.yearFirst(text)
		if ok {
			_, failed := ParseTime(date, Auto)
			ok = failed == nil
		}
		return ok
	}
	other := map[DateOrder]DateOrder{DayFirst: MonthFirst, MonthFirst: DayFirst}[o]
	switch {
	case o == YearFirst && (reads(DayFirst) || reads(MonthFirst)):
		return errors.New("a date that does not begin with the year: say --set input.csv.date_order=dmy (day first) or mdy (month first)")
	case o == YearFirst || !reads(other):
		return err
	}
	date, _ := o.yearFirst(text) // the day that other reads is at most 12: the month is wrong
	return fmt.Errorf("no date with input.csv.date_order=%s, there is no month %s: say --set input.csv.date_order=%s", o, date[5:7], other)
}

// instants returns the two times at which a clock on the wall of the zone shows what UTC shows
// at t; they are equal but for the hour that is repeated.
func (t *times) instants(wall int64) (first, second int64) {
	const day = int64(24 * time.Hour)
	offset := func(at int64) int64 {
		_, seconds := time.Unix(0, at).In(t.zone).Zone()
		return int64(seconds) * int64(time.Second)
	}
	before, after := wall-offset(wall-day), wall-offset(wall+day)
	switch {
	case offset(before) == wall-before && offset(after) == wall-after:
		return min(before, after), max(before, after)
	case offset(before) == wall-before:
		return before, before
	}
	return after, after // also in the hour that the beginning of summer time leaves out
}

// date writes a number of a unit of the calendar as a date; what is none is returned as it is
// and is no time then.
func (u TimeUnit) date(number []byte) []byte {
	switch {
	case u == Years && len(number) == len("2006"):
		return append(bytes.Clone(number), "-01-01"...)
	case u == CompactDates && len(number) == len("20060102"):
		return fmt.Appendf(nil, "%s-%s-%s", number[:4], number[4:6], number[6:])
	}
	return nil
}

// quarter reads 2026Q1, 2026-Q1 or 2026 Q1 as the first day of the quarter.
func quarter(text []byte) (date []byte, ok bool) {
	n := len(text)
	if n != len("2006Q1") && n != len("2006-Q1") || text[n-2] != 'Q' || text[n-1] < '1' || text[n-1] > '4' ||
		n == len("2006-Q1") && text[4] != '-' && text[4] != ' ' {
		return nil, false
	}
	return fmt.Appendf(nil, "%s-%02d-01", text[:4], 3*(text[n-1]-'0')-2), true
}

// Dates with the name of the month, in English.
var monthLayouts = []string{
	"2-Jan-2006", "2 Jan 2006", "Jan 2, 2006", "2 January 2006", "January 2, 2006", "Jan 2006",
	time.RFC1123, time.RFC1123Z, "02/Jan/2006:15:04:05 -0700",
}

// withMonthName reads dates such as 5-Jan-2026 10:00, and those of HTTP and its logs.
func withMonthName(text []byte) (date []byte, ok bool) {
	letters := 0
	for _, b := range text {
		if b |= 0x20; b >= 'a' && b <= 'z' {
			letters++
		}
	}
	if letters < 3 || len(text) > 40 {
		return nil, false
	}
	for _, layout := range monthLayouts {
		for _, clock := range []string{"", " 15:04", " 15:04:05", " 3:04 PM", " 3:04:05 PM"} {
			t, err := time.Parse(layout+clock, string(text))
			switch {
			case err != nil:
			case strings.Contains(layout, "15"):
				return t.UTC().AppendFormat(nil, time.RFC3339), true
			default:
				return t.AppendFormat(nil, "2006-01-02T15:04:05"), true
			}
		}
	}
	return nil, false
}

// yearFirst rewrites 31.12.2025 13:00, 31/12/25 or 12-31-2025 1:00 PM as 2025-12-31T13:00:00.
// Years of two digits are 1969 to 2068, as in POSIX, and stand last. It takes 2025/12/31, 2025.1.5, 5 Jan 2025 and 2025Q4 in any order; ok is false for
// every other text.
func (o DateOrder) yearFirst(text []byte) (ordered []byte, ok bool) {
	if date, ok := quarter(text); ok {
		return date, true
	}
	if date, ok := withMonthName(text); ok {
		return date, true
	}
	rest := text
	number := func(ends string) int {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		v, err := strconv.Atoi(string(rest[:n]))
		if err != nil || n > 4 || ends != "" && (n == len(rest) || bytes.IndexByte([]byte(ends), rest[n]) < 0) {
			return -1
		}
		rest = rest[n:]
		if ends != "" {
			rest = rest[1:]
		}
		return v
	}
	a, b := number("./-"), -1
	if a >= 0 {
		b = number("./-")
	}
	if b < 0 {
		return nil, false
	}
	behind := len(rest)
	year := number("")
	if behind-len(rest) == 2 && a < 1000 {
		if year += 1900; year < 1969 {
			year += 100
		}
	}
	day, month := a, b
	switch {
	case a >= 1000:
		year, month, day = a, b, year
	case o == YearFirst:
		return nil, false
	case o == MonthFirst:
		day, month = b, a
	}
	if year < 1000 || day < 1 || month < 1 {
		return nil, false
	}
	hour, minute := 0, 0
	tail := []byte(":00")
	if rest = bytes.TrimLeft(rest, " ,T"); len(rest) > 0 {
		if hour = number(":"); hour < 0 {
			return nil, false
		}
		if minute = number(""); minute < 0 {
			return nil, false
		}
		if i := bytes.IndexByte(rest, ' '); i >= 0 {
			half := bytes.ToUpper(bytes.TrimSpace(rest[i:]))
			switch rest = rest[:i]; {
			case hour < 1 || hour > 12:
				return nil, false
			case string(half) == "AM":
				hour %= 12
			case string(half) == "PM":
				hour = hour%12 + 12
			default:
				return nil, false
			}
		}
		if len(rest) > 0 {
			tail = rest
		}
	}
	return fmt.Appendf(nil, "%04d-%02d-%02dT%02d:%02d%s", year, month, day, hour, minute, tail), true
}
