package timestamp

import (
	"bytes"
	"fmt"
	"strconv"
)

// Order is the order of day, month and year in a date.
type Order string

// The orders. A date with the day or the month first is read only with that order, because 01/02/2026 itself does not
// show it.
const (
	YearFirst  Order = "" // 2026-02-01
	DayFirst   Order = "dmy"
	MonthFirst Order = "mdy"
)

// Check returns an error for an unknown order.
func (o Order) Check() error {
	switch o {
	case YearFirst, DayFirst, MonthFirst:
		return nil
	}
	return fmt.Errorf("the order of a date must be dmy, mdy or empty, got %q", o)
}

// Other returns the order with day and month exchanged.
func (o Order) Other() Order {
	return map[Order]Order{DayFirst: MonthFirst, MonthFirst: DayFirst}[o]
}

// Reads reports whether text is a date in order o.
func (o Order) Reads(text []byte) bool {
	date, ok := o.Rewrite(text)
	if !ok {
		return false
	}
	_, err := Parse(date, Auto)
	return err == nil
}

// IsOther reports whether text is a date only in the other order: its day cannot be a month.
func (o Order) IsOther(text []byte) bool {
	return o != YearFirst && !o.Reads(text) && o.Other().Reads(text)
}

// Rewrite rewrites a date such as 31.12.2025 13:00, 31/12/25 or 12-31-2025 1:00 PM with the year first, as
// 2025-12-31T13:00:00. A year of two digits comes last, and is 1969 to 2068 as in POSIX. Every order reads
// 2025/12/31, 2025.1.5, 5 Jan 2025 and 2025Q4; ok is false for other text.
func (o Order) Rewrite(text []byte) (ordered []byte, ok bool) {
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
