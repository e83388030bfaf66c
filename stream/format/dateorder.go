package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/orffvar/forecaster/stream"
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
	return fmt.Errorf("the order of a date must be dmy, mdy or empty, got %q", o)
}

// other returns the order that takes the day for the month.
func (o DateOrder) other() DateOrder {
	return map[DateOrder]DateOrder{DayFirst: MonthFirst, MonthFirst: DayFirst}[o]
}

// reads reports whether text is a date in order o.
func (o DateOrder) reads(text []byte) bool {
	date, ok := o.yearFirst(text)
	if !ok {
		return false
	}
	_, err := ParseTime(date, Auto)
	return err == nil
}

// isOther reports whether text is a date in the other order alone: its day cannot be a month.
func (o DateOrder) isOther(text []byte) bool {
	return o != YearFirst && !o.reads(text) && o.other().reads(text)
}

// explain says what a text is that is no date in order o because of err. The remedy is the order
// that reads the text, if there is one.
func (o DateOrder) explain(text []byte, err error, names Names) (what, remedy string) {
	switch {
	case o == YearFirst && (DayFirst.reads(text) || MonthFirst.reads(text)):
		return "a date that does not begin with the year", ": say " + names.Set("CSVConfig.DateOrder", "dmy") + " (day first) or mdy (month first)"
	case !o.isOther(text):
		return err.Error(), ""
	}
	date, _ := o.yearFirst(text) // the day that the other order reads is at most 12: the month is wrong
	return fmt.Sprintf("no date with %s=%s, there is no month %s", names.Set("CSVConfig.DateOrder", ""), o, date[5:7]), ": say " + names.Set("CSVConfig.DateOrder", string(o.other()))
}

// OrderCheck compares the dates in the lines of a file with the order that was told, before
// anything is learnt from them: the wrong order reads 03/04/2026, but not 13/04/2026.
type OrderCheck struct {
	d     *CSV
	order DateOrder
	lines int
	read  [2][]int64 // times in the order that was told, and in the other one
}

// NewOrderCheck returns nil where no order was told.
func (d *CSV) NewOrderCheck() *OrderCheck {
	if d.c.DateOrder == YearFirst {
		return nil
	}
	return &OrderCheck{d: d, order: d.c.DateOrder}
}

// mostOrdered is the number of lines that an OrderCheck looks at.
const mostOrdered = 200_000

// Add looks at a line. It reports whether it needs no further one, and returns an error for a
// date that only the other order reads.
func (c *OrderCheck) Add(m *stream.Message) (done bool, err error) {
	text, ok := c.d.timeText(m.Value)
	if !ok {
		return false, nil // Decode refuses the line
	}
	var at [2]int64
	var failed [2]error
	for i, order := range []DateOrder{c.order, c.order.other()} {
		t := newTimes(c.d.c.TimeUnit, order, nil, false)
		at[i], failed[i] = t.parse(text, "")
	}
	switch {
	case failed[0] == nil && failed[1] == nil:
		for i, t := range at {
			c.read[i] = append(c.read[i], t)
		}
		c.lines++
		return c.lines == mostOrdered, nil
	case failed[1] == nil:
		return true, errors.New(c.d.notTime(text, failed[0]).Detail)
	}
	return failed[0] == nil, nil
}

// Shares of the rows that a regular series would have.
const regular, holes = .9, .5

// Result compares the spacing of the times by both orders where no date has decided: months that
// are read as days leave holes of months. It returns an error when the other order alone is
// without holes.
func (c *OrderCheck) Result() error {
	if filled(c.read[0]) >= holes || filled(c.read[1]) < regular {
		return nil
	}
	return fmt.Errorf("the times in column %q are evenly spaced with %s=%s, but not with %s: say %s; if %[4]s is right, write the dates with the year first (2006-01-02)",
		c.d.TimeColumn(), c.d.c.Names.Set("CSVConfig.DateOrder", ""), c.order.other(), c.order, c.d.c.Names.Set("CSVConfig.DateOrder", string(c.order.other())))
}

// filled returns the number of distinct times as a share of those that a series of their median
// spacing would have between the first and the last; 1 where they are too few to tell.
func filled(times []int64) float64 {
	const fewest = 10
	times = slices.Compact(slices.Sorted(slices.Values(times)))
	n := len(times) - 1
	if n+1 < fewest {
		return 1
	}
	steps := make([]int64, n)
	for i := range steps {
		steps[i] = times[i+1] - times[i]
	}
	slices.Sort(steps)
	return float64(steps[n/2]) * float64(n) / float64(times[n]-times[0])
}

// yearFirst rewrites 31.12.2025 13:00, 31/12/25 or 12-31-2025 1:00 PM as 2025-12-31T13:00:00.
// Years of two digits are 1969 to 2068, as in POSIX, and stand last. It takes 2025/12/31, 2025.1.5, 5 Jan 2025 and 2025Q4 in any order; ok is false for
// every other text.
func (o DateOrder) yearFirst(text []byte) (ordered []byte, ok bool) {
	if date, ok := otherForm(text); ok {
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
