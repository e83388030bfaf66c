package format

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

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
