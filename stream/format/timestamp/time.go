package timestamp

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Unit is the unit of a time that is a number.
type Unit string

// The units. A time that is text needs none: it is RFC 3339 or one of its usual short
// forms (a blank for the T, no zone = UTC, no seconds, no time of day, no day).
const (
	// Auto derives the unit from the magnitude of the number: below 1e11 seconds, below 1e14 milliseconds, below 1e17
	// microseconds, otherwise nanoseconds. So the steps 0, 1, 2, ... are seconds.
	Auto         Unit = ""
	Seconds      Unit = "s"
	Milliseconds Unit = "ms"
	Microseconds Unit = "us"
	Nanoseconds  Unit = "ns"
)

// nanoseconds returns the length of the unit, 0 for Auto and unknown units.
func (u Unit) nanoseconds() int64 {
	switch u {
	case Seconds:
		return 1e9
	case Milliseconds:
		return 1e6
	case Microseconds:
		return 1e3
	case Nanoseconds:
		return 1
	}
	return 0
}

// Check returns an error for a unit that ParseUnit does not know.
func (u Unit) Check() error {
	if _, err := ParseUnit(string(u)); err != nil {
		return fmt.Errorf("the form of times: %w", err)
	}
	return nil
}

// Forms lists the forms of times that every decoder reads, for messages.
const Forms = "RFC 3339, 2006-01-02 15:04:05, 2006/1/2, 2 Jan 2006, Jan 2006, 01/2006, 2006Q1, 2006-W01 or seconds since 1970"

var (
	errTime  = errors.New("of no form that is read: " + Forms)
	errRange = errors.New("outside the years 1678 to 2261")
)

// Parse returns the time in text, in ns since 1970 UTC. The fraction of a number is exact to a nanosecond.
func Parse(text []byte, unit Unit) (int64, error) {
	if IsNumber(text) {
		return parseEpoch(text, unit)
	}
	if t, ok := parseUTC(text); ok {
		return t, nil
	}
	return parseRFC3339(text)
}

// parseUTC reads the most frequent form, 2006-01-02T15:04:05Z, several times as fast as time.Parse. The T, the Z and
// a fraction are optional; ok is false for other text.
func parseUTC(b []byte) (t int64, ok bool) {
	const seconds = len("2006-01-02T15:04:05")
	if len(b) > seconds && b[len(b)-1] == 'Z' {
		b = b[:len(b)-1]
	}
	if len(b) < seconds || b[4] != '-' || b[7] != '-' || b[10] != 'T' && b[10] != ' ' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	year := 100*two(b, 0) + two(b, 2)
	month, day, hour, minute, second := two(b, 5), two(b, 8), two(b, 11), two(b, 14), two(b, 17)
	if year < 1678 || year > 2261 || month-1 >= 12 || day-1 >= 28 && day-1 >= daysIn(year, month) || hour >= 24 || minute >= 60 || second >= 60 {
		return 0, false
	}
	nanoseconds := 0
	if len(b) > seconds {
		if b[seconds] != '.' || len(b) == seconds+1 || len(b) > seconds+10 {
			return 0, false
		}
		unit := 100_000_000
		for _, c := range b[seconds+1:] {
			if c -= '0'; c > 9 {
				return 0, false
			}
			nanoseconds += int(c) * unit
			unit /= 10
		}
	}
	// The days since 0000-03-01 of the Gregorian calendar: a year that begins in
	// March has its leap day last, and (153 m + 2) / 5 days before its month m.
	y, m := int64(year), int64(month)-3
	if m < 0 {
		y, m = y-1, m+12
	}
	days := 365*y + y/4 - y/100 + y/400 + (153*m+2)/5 + int64(day) - 1
	const epoch = 719468 // day number of 1970-01-01
	return ((days-epoch)*86400+int64(hour*3600+minute*60+second))*1e9 + int64(nanoseconds), true
}

// daysIn returns the number of days of a month.
func daysIn(year, month uint) uint {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// two returns the number in two digits, and a number above 65,000 if b has no digits there.
func two(b []byte, i int) uint {
	tens, ones := uint(b[i]-'0'), uint(b[i+1]-'0')
	if tens > 9 || ones > 9 {
		return 1 << 16
	}
	return 10*tens + ones
}

// IsNumber reports whether text is digits with an optional sign and an optional point.
func IsNumber(text []byte) bool {
	digits, points := 0, 0
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && digits > 0 && points == 0: // 01.03.2025 is a date
			points++
		case i == 0 && (c == '-' || c == '+'):
		default:
			return false
		}
	}
	return digits > 0
}

func parseEpoch(text []byte, unit Unit) (int64, error) {
	whole, fraction := text, []byte(nil)
	for i, c := range text {
		if c == '.' {
			whole, fraction = text[:i], text[i+1:]
			break
		}
	}
	negative := whole[0] == '-'
	n, err := strconv.ParseInt(string(whole), 10, 64)
	if err != nil {
		return 0, errRange
	}
	n, scale, err := epoch(n, unit)
	if err != nil {
		return 0, err
	}
	var part int64
	place := scale
	for _, c := range fraction {
		place /= 10
		part += int64(c-'0') * place
	}
	if negative {
		part = -part
	}
	if sum := n + part; sum < n == negative || part == 0 {
		return sum, nil
	}
	return 0, errRange
}

// Epoch returns the time that is n units after 1970 UTC, in nanoseconds.
func Epoch(n int64, unit Unit) (int64, error) {
	t, _, err := epoch(n, unit)
	return t, err
}

// epoch returns Epoch and the length of the unit in ns.
func epoch(n int64, unit Unit) (t, scale int64, err error) {
	if scale = unit.nanoseconds(); scale == 0 {
		scale = magnitude(n)
	}
	if n > math.MaxInt64/scale || n < -math.MaxInt64/scale {
		return 0, 0, errRange
	}
	return n * scale, scale, nil
}

// magnitude returns the length in ns of the unit that Auto derives from n.
func magnitude(n int64) int64 {
	if n < 0 {
		n = -n
	}
	switch {
	case n < 0:
		return 1 // the smallest integer
	case n < 1e11:
		return 1e9
	case n < 1e14:
		return 1e6
	case n < 1e17:
		return 1e3
	}
	return 1
}

// parseRFC3339 completes the short forms to RFC 3339, which time.Parse reads fast.
func parseRFC3339(text []byte) (int64, error) {
	var buf [64]byte
	const longest = len("2006-01-02 15:04:05.999999999 +0000 UTC")
	if len(text) > longest {
		return 0, errTime
	}
	b := withZone(append(buf[:0], text...))
	if len(b) == len("2006-01") {
		b = append(b, "-01"...)
	}
	if len(b) == len("2006-01-02") {
		b = append(b, "T00:00:00Z"...)
	}
	const minute = len("2006-01-02T15:04")
	if len(b) < minute {
		return 0, errTime
	}
	if c := b[10]; c == ' ' || c == 't' {
		b[10] = 'T'
	}
	if len(b) == minute || b[minute] != ':' {
		zone := string(b[minute:])
		b = append(append(b[:minute], ":00"...), zone...)
	}
	if last := &b[len(b)-1]; *last == 'z' {
		*last = 'Z'
	}
	if !hasZone(b[minute:]) {
		b = append(b, 'Z')
	}
	t, err := time.Parse(time.RFC3339, string(b))
	if err != nil {
		return 0, errTime
	}
	if y := t.UTC().Year(); y < 1678 || y > 2261 {
		return 0, errRange
	}
	return t.UnixNano(), nil
}

// withZone rewrites the zone at the end of a time as in RFC 3339: +00 of PostgreSQL, +0000 of Java, and UTC of
// sysstat, with or without a space before it.
func withZone(b []byte) []byte {
	if n := len(b); hasUTC(b) {
		if b = bytes.TrimRight(b[:n-3], " "); !hasZone(b[min(len(b), len("2006-01-02")):]) {
			return append(b, 'Z')
		}
	}
	const minute = len("2006-01-02T15:04")
	sign := max(bytes.LastIndexByte(b, '+'), bytes.LastIndexByte(b, '-'))
	if sign < minute {
		return b
	}
	switch len(b) - sign {
	case len("+00"):
		b = append(b, ":00"...)
	case len("+0000"):
		b = append(b[:sign+3], ':', b[sign+3], b[sign+4])
	}
	if b[sign-1] == ' ' {
		b = append(b[:sign-1], b[sign:]...)
	}
	return b
}

func hasUTC(b []byte) bool {
	return bytes.HasSuffix(b, []byte("UTC")) || bytes.HasSuffix(b, []byte("GMT"))
}

// hasZone reports whether a time ends with a zone.
func hasZone(b []byte) bool {
	if hasUTC(b) {
		return true
	}
	for _, c := range b {
		if c == 'Z' || c == '+' || c == '-' {
			return true
		}
	}
	return false
}

// Append appends a time as text that Parse reads with the same unit: RFC 3339 in UTC for Auto, otherwise a number.
func Append(dst []byte, t int64, unit Unit) []byte {
	scale := unit.nanoseconds()
	if scale == 0 {
		return time.Unix(0, t).UTC().AppendFormat(dst, time.RFC3339Nano)
	}
	whole, part := t/scale, t%scale
	if t < 0 {
		if whole == 0 {
			dst = append(dst, '-')
		}
		part = -part
	}
	dst = strconv.AppendInt(dst, whole, 10)
	if part == 0 {
		return dst
	}
	dst = append(dst, '.')
	for part > 0 {
		scale /= 10
		dst = append(dst, byte('0'+part/scale))
		part %= scale
	}
	return dst
}
