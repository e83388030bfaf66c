package format

import (
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

// parse returns the time that text says for a series. The end of summer time repeats an hour:
// text means the first one. With a memory it means the second one as soon as the first would not
// be later than the time before.
func (t *times) parse(text []byte, series string) (int64, error) {
	if t.unit.isLayout() {
		at, zoned, err := parseLayout(text, string(t.unit))
		if err != nil || zoned {
			return at, err
		}
		return t.local(at, series), nil
	}
	number := isNumber(text)
	switch {
	case t.unit != Auto && t.unit.nanoseconds() == 0 && (number || t.unit == monthYearUnit):
		text, number = t.unit.date(text), false
	case t.order != YearFirst && !number:
		if ordered, ok := t.order.yearFirst(text); ok {
			text = ordered
		}
	}
	at, err := ParseTime(text, t.unit)
	if err != nil && !number {
		if begin, ok := endOfDay(text); ok {
			at, err = t.parse(begin, series)
			return at + int64(24*time.Hour), err
		}
		if ordered, ok := t.order.yearFirst(text); ok {
			text = ordered
			at, err = ParseTime(text, t.unit)
		}
	}
	if err != nil || number || hasZone(text[min(len(text), len("2006-01-02")):]) {
		return at, err
	}
	return t.local(at, series), nil
}

// local returns the time at which a clock in the zone shows what UTC shows at.
func (t *times) local(at int64, series string) int64 {
	if t.zone == nil {
		return at
	}
	first, second := t.instants(at)
	if t.last != nil {
		if last, known := t.last[series]; known && first <= last {
			first = second
		}
		t.last[series] = first
	}
	return first
}

// instants returns the two times at which a clock in the zone shows the wall time, which is
// written in ns since 1970 as if it were UTC. They are equal except in the repeated hour; in the
// hour left out in spring both have the offset of the day after.
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
