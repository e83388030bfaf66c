package timestamp

import "time"

// Reader reads the times of a file. In addition to Parse it has an order of dates, calendar forms, layouts, and a
// zone for times without one. It is not safe for concurrent use.
type Reader struct {
	unit  Unit
	order Order
	zone  *time.Location   // nil: UTC
	last  map[string]int64 // last time of each series, which resolves a repeated hour; nil: the first of the two
}

// NewReader returns a reader; a nil zone is UTC. remember: the reader keeps the last time of each series, to
// distinguish the two equal hours at the end of summer time.
func NewReader(unit Unit, order Order, zone *time.Location, remember bool) Reader {
	t := Reader{unit: unit, order: order, zone: zone}
	if t.zone == time.UTC {
		t.zone = nil
	}
	if t.zone != nil && remember {
		t.last = make(map[string]int64)
	}
	return t
}

// Remembers reports whether the time of a text depends on earlier texts.
func (t *Reader) Remembers() bool { return t.last != nil }

// Parse returns the time in text for a series, in ns since 1970 UTC. A local time in the hour that the end of summer
// time repeats is the first of the two. A reader that remembers takes the second if the first is not later than the
// last time of the series.
func (t *Reader) Parse(text []byte, series string) (int64, error) {
	at, zoned, err := t.wall(text)
	if err != nil || zoned {
		return at, err
	}
	return t.local(at, series), nil
}

// wall returns the time in text. zoned is false for the wall time of a text without a zone, in ns since 1970 as if it
// were UTC.
func (t *Reader) wall(text []byte) (at int64, zoned bool, err error) {
	if t.unit.isLayout() {
		return parseLayout(text, string(t.unit))
	}
	number := IsNumber(text)
	switch {
	case t.unit != Auto && t.unit.nanoseconds() == 0 && (number || t.unit == monthYearUnit):
		text, number = t.unit.Date(text), false
	case t.order != YearFirst && !number:
		if ordered, ok := t.order.Rewrite(text); ok {
			text = ordered
		}
	}
	at, err = Parse(text, t.unit)
	if err != nil && !number {
		if begin, ok := endOfDay(text); ok {
			at, zoned, err = t.wall(begin)
			return at + int64(24*time.Hour), zoned, err
		}
		if ordered, ok := t.order.Rewrite(text); ok {
			text = ordered
			at, err = Parse(text, t.unit)
		}
	}
	return at, number || hasZone(text[min(len(text), len("2006-01-02")):]), err
}

// local returns the time at which a clock in the zone shows the wall time at, which is in ns since 1970 as if it were
// UTC.
func (t *Reader) local(at int64, series string) int64 {
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

// instants returns the two times at which a clock in the zone shows the wall time, which is in ns since 1970 as if it
// were UTC. They differ only in the repeated hour. In the hour that spring skips, both have the offset of the next
// day.
func (t *Reader) instants(wall int64) (first, second int64) {
	const day = int64(24 * time.Hour)
	offset := func(at int64) int64 {
		_, seconds := time.Unix(0, at).In(t.zone).Zone()
		return int64(seconds) * int64(time.Second)
	}
	before, after := wall-offset(wall-day), wall-offset(wall+day) // in order where both are: the offset shrinks then
	switch {
	case offset(before) == wall-before && offset(after) == wall-after:
		return before, after
	case offset(before) == wall-before:
		return before, before
	}
	return after, after // also in the hour that the beginning of summer time skips
}
