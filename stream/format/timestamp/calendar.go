package timestamp

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream/internal/decimal"
)

// Calendar forms of times: most are numbers that look like seconds or milliseconds since 1970.
const (
	yearsUnit       Unit = "year"         // 2026
	yearMonthUnit   Unit = "yyyymm"       // 202601
	yearDayUnit     Unit = "yyyyddd"      // 2026031
	yearWeekUnit    Unit = "iso_week"     // 2026-W05, also 202605
	datesUnit       Unit = "yyyymmdd"     // 20260131
	hoursUnit       Unit = "yyyymmddhh"   // 2026013113
	minutesUnit     Unit = "yyyymmddhhmm" // 202601311330
	fullSecondsUnit Unit = "yyyymmddhhmmss"
	decimalYearUnit Unit = "decimal_year" // 2026.5
	excelUnit       Unit = "excel"        // days since 1899-12-30: 46053.5
	julianDayUnit   Unit = "julian_day"   // days since noon of -4713-11-24: 2461071.5
	dateNumberUnit  Unit = "datenum"      // days of MATLAB: 740013.5
	monthPointUnit  Unit = "mm.yyyy"      // 01.2026
	pointMonthUnit  Unit = "yyyy.mm"      // 2026.01
	fileTimeUnit    Unit = "filetime"     // 100 ns since 1601
	ticksUnit       Unit = "ticks"        // 100 ns since the year 1
	monthYearUnit   Unit = "month_year"   // Jan-26
	quarterUnit     Unit = "quarter"      // Q1 2026, 2026Q1, read anyhow
)

// named describes the calendar forms in words.
var named = []struct {
	unit Unit
	says string
}{
	{fullSecondsUnit, "dates such as 20260131133000"},
	{minutesUnit, "dates such as 202601311330"},
	{hoursUnit, "dates such as 2026013113"},
	{datesUnit, "dates such as 20260131"},
	{yearDayUnit, "days of a year such as 2026031"},
	{yearMonthUnit, "months such as 202601"},
	{yearsUnit, "years"},
	{monthPointUnit, "months such as 01.2026"},
	{pointMonthUnit, "months such as 2026.01"},
	{decimalYearUnit, "years with a fraction"},
	{excelUnit, "dates of Excel, days since 1899-12-30"},
	{julianDayUnit, "Julian days"},
	{dateNumberUnit, "days of MATLAB's datenum"},
	{ticksUnit, "ticks of .NET"},
	{monthYearUnit, "months such as Jan-26"},
	{fileTimeUnit, "file times of Windows"},
	{yearWeekUnit, "weeks such as 2026-W05"},
	{quarterUnit, "quarters such as Q1 2026"},
}

// julianEpoch and matlabEpoch are the Julian day and the MATLAB day number of 1899-12-30, day 0 of Excel.
const julianEpoch, matlabEpoch = 2415018.5, 693960

// Describe describes a calendar form in words; "" for other units.
func (u Unit) Describe() string {
	for _, f := range named {
		if f.unit == u {
			return f.says
		}
	}
	return ""
}

// units are the names of all units and forms of times.
func units() []string {
	names := []string{string(Seconds), string(Milliseconds), string(Microseconds), string(Nanoseconds)}
	for _, f := range named {
		names = append(names, string(f.unit))
	}
	return names
}

// ParseUnit returns the unit that a setting names: a unit or calendar form, epoch_s to epoch_ns, a layout of strftime
// (%d.%m.%Y %H:%M) or a layout of Go (02.01.2006 15:04). "" and auto are Auto.
func ParseUnit(text string) (Unit, error) {
	name := strings.TrimPrefix(text, "epoch_")
	switch {
	case name == "auto" || name == "":
		return Auto, nil
	case slices.Contains(units(), name):
		return Unit(name), nil
	case strings.Contains(text, "%"):
		layout, err := strftime(text)
		return Unit(layout), err
	}
	return Unit(text), checkLayout(text)
}

// isLayout reports whether the times are text of a layout of package time.
func (u Unit) isLayout() bool {
	return u != Auto && u.nanoseconds() == 0 && u.Describe() == ""
}

// checkLayout returns an error for a layout without a year, and for a text that is not a layout.
func checkLayout(layout string) error {
	a, b := time.Date(2019, 5, 17, 19, 43, 51, 0, time.UTC), time.Date(2021, 5, 17, 19, 43, 51, 0, time.UTC)
	if a.Format(layout) == b.Format(layout) {
		return fmt.Errorf("%q tells no year: a form of times is one of %s, a layout such as %%d.%%m.%%Y %%H:%%M, or one of Go such as 02.01.2006 15:04", layout, strings.Join(units(), ", "))
	}
	return nil
}

// directives maps directives of strftime to layouts of Go.
var directives = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "1", 'd': "2", 'e': "_2", 'H': "15", 'I': "3", 'M': "04", 'S': "05", 'p': "PM", 'b': "Jan", 'h': "Jan", 'B': "January",
	'a': "Mon", 'A': "Monday", 'j': "002", 'z': "-0700", 'Z': "MST", 'F': "2006-1-2", 'T': "15:04:05", 'R': "15:04", 'D': "1/2/06", '%': "%",
}

// strftime rewrites a layout of strftime as a layout of package time. That package accepts a fraction after the
// seconds without a directive.
func strftime(text string) (string, error) {
	text = strings.NewReplacer(".%f", "", ",%f", "", "%-", "%").Replace(text)
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		part, known := directives[text[i]]
		if !known {
			return "", fmt.Errorf("%%%c in %q is not read", text[i], text)
		}
		b.WriteString(part)
	}
	return b.String(), checkLayout(b.String())
}

// Date rewrites a time in a calendar form as RFC 3339 or one of its short forms; nil for other text. All forms but
// Jan-26 are numbers.
func (u Unit) Date(text []byte) []byte {
	digits := len(bytes.TrimLeft(text, "0123456789")) == 0
	part := func(i, n int) []byte { return text[i : i+n] }
	clock := func(n int) []byte { return append(append(bytes.Clone(text[8:n]), "000000"[:14-n]...), 'Z') }
	switch {
	case u == monthYearUnit:
		if date, ok := withMonthName(text, true); ok {
			if _, whole := withMonthName(text, false); !whole {
				return date
			}
		}
		return nil
	case !IsNumber(text):
		return nil
	case u == monthPointUnit && len(text) >= 6 && text[len(text)-5] == '.':
		return []byte(monthOf(string(text[len(text)-4:]), string(text[:len(text)-5])))
	case u == pointMonthUnit && len(text) == 7 && text[4] == '.':
		return []byte(monthOf(string(text[:4]), string(text[5:])))
	case u == fileTimeUnit && digits:
		return ticks(text, -11_644_473_600)
	case u == ticksUnit && digits:
		return ticks(text, -62_135_596_800)
	case u == excelUnit:
		return serialDate(text, 0)
	case u == julianDayUnit:
		return serialDate(text, julianEpoch)
	case u == dateNumberUnit:
		return serialDate(text, matlabEpoch)
	case u == decimalYearUnit:
		return decimalYear(text)
	case !digits:
	case u == yearsUnit && len(text) == 4:
		return append(bytes.Clone(text), "-01-01"...)
	case u == yearMonthUnit && len(text) == 6:
		return fmt.Appendf(nil, "%s-%s-01", part(0, 4), part(4, 2))
	case u == yearWeekUnit && len(text) == 6:
		return []byte(isoWeek(atoi(string(part(0, 4))), atoi(string(part(4, 2))), 1))
	case u == yearDayUnit && len(text) == 7:
		return []byte(dayOfYear(atoi(string(part(0, 4))), atoi(string(part(4, 3))), ""))
	case u == datesUnit && len(text) == 8:
		return fmt.Appendf(nil, "%s-%s-%s", part(0, 4), part(4, 2), part(6, 2))
	case u == hoursUnit && len(text) == 10 || u == minutesUnit && len(text) == 12 || u == fullSecondsUnit && len(text) == 14:
		c := clock(len(text))
		return fmt.Appendf(nil, "%s-%s-%sT%s:%s:%s", part(0, 4), part(4, 2), part(6, 2), c[:2], c[2:4], c[4:6])
	}
	return nil
}

// ticks reads a number of 100 ns since epoch, which is in seconds since 1970.
func ticks(text []byte, epoch int64) []byte {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if at := time.Unix(n/1e7+epoch, n%1e7*100).UTC(); err == nil && at.Year() > 1900 && at.Year() < 2200 {
		return at.AppendFormat(nil, time.RFC3339Nano)
	}
	return nil
}

// serialDate reads a number of days, where epoch is the number of 1899-12-30, to the nearest millisecond.
func serialDate(text []byte, epoch float64) []byte {
	days, err := decimal.Parse(text)
	if days -= epoch; err != nil || !(math.Abs(days) < 1e6) {
		return nil
	}
	whole := math.Floor(days)
	at := time.Date(1899, 12, 30+int(whole), 0, 0, 0, 0, time.UTC).Add(time.Duration(math.Round((days-whole)*86400e3)) * time.Millisecond)
	return at.AppendFormat(nil, "2006-01-02T15:04:05.999")
}

// decimalYear reads a year such as 2026.5. A fraction within 0.001 of a multiple of 1/12 is the first day of a month:
// months and quarters are written like that.
func decimalYear(text []byte) []byte {
	years, err := decimal.Parse(text)
	if err != nil || !(years >= 1678 && years < 2261) {
		return nil
	}
	year := math.Floor(years)
	month := math.Round((years - year) * 12)
	if math.Abs((years-year)*12-month) <= .012 {
		return time.Date(int(year), 1+time.Month(month), 1, 0, 0, 0, 0, time.UTC).AppendFormat(nil, time.DateOnly)
	}
	from, to := time.Date(int(year), 1, 1, 0, 0, 0, 0, time.UTC), time.Date(int(year)+1, 1, 1, 0, 0, 0, 0, time.UTC)
	return from.Add(time.Duration(math.Round((years-year)*to.Sub(from).Seconds()))*time.Second).AppendFormat(nil, "2006-01-02T15:04:05")
}

// parseLayout reads a time in a layout; zoned: the text has a zone.
func parseLayout(text []byte, layout string) (at int64, zoned bool, err error) {
	t, err := time.Parse(layout, string(text))
	if err != nil {
		return 0, false, fmt.Errorf("no time of the form %s", strconv.Quote(layout))
	}
	if y := t.Year(); y < 1678 || y > 2261 {
		return 0, false, errRange
	}
	return t.UnixNano(), strings.Contains(layout, "Z07") || strings.Contains(layout, "-07") || strings.Contains(layout, "MST"), nil
}
