package timestamp

import (
	"strings"
	"testing"
	"time"
)

// read returns a time in RFC 3339 as a reader has it; "": refused.
func read(t *Reader, text, series string) string {
	at, err := t.Parse([]byte(text), series)
	if err != nil {
		return ""
	}
	return time.Unix(0, at).UTC().Format(time.RFC3339Nano)
}

// TestCalendarForms: each form is read at its first and last day, and refuses texts beside it.
func TestCalendarForms(t *testing.T) {
	for _, c := range []struct {
		unit       Unit
		text, want string // "" = refused
	}{
		{yearsUnit, "2026", "2026-01-01T00:00:00Z"}, {yearsUnit, "202", ""}, {yearsUnit, "20261", ""}, {yearsUnit, "1677", ""},
		{yearMonthUnit, "202612", "2026-12-01T00:00:00Z"}, {yearMonthUnit, "202613", ""}, {yearMonthUnit, "202600", ""}, {yearMonthUnit, "20261", ""}, {yearMonthUnit, "2026.1", ""},
		{yearDayUnit, "2026031", "2026-01-31T00:00:00Z"}, {yearDayUnit, "2026365", "2026-12-31T00:00:00Z"}, {yearDayUnit, "2026366", ""}, {yearDayUnit, "2024366", "2024-12-31T00:00:00Z"},
		{yearDayUnit, "2026001", "2026-01-01T00:00:00Z"}, {yearDayUnit, "2026000", ""}, {yearDayUnit, "202631", ""},
		{yearWeekUnit, "202605", "2026-01-26T00:00:00Z"}, {yearWeekUnit, "202653", "2026-12-28T00:00:00Z"}, {yearWeekUnit, "202553", ""}, {yearWeekUnit, "202501", "2024-12-30T00:00:00Z"},
		{yearWeekUnit, "202500", ""}, {yearWeekUnit, "2026-W05", "2026-01-26T00:00:00Z"}, {yearWeekUnit, "20265", ""}, {yearWeekUnit, "2026051", ""},
		{datesUnit, "20260131", "2026-01-31T00:00:00Z"}, {datesUnit, "20260229", ""}, {datesUnit, "20240229", "2024-02-29T00:00:00Z"}, {datesUnit, "2026013", ""},
		{hoursUnit, "2026013113", "2026-01-31T13:00:00Z"}, {hoursUnit, "2026013124", "2026-02-01T00:00:00Z"}, {hoursUnit, "2026013125", ""}, {hoursUnit, "20260131", ""},
		{minutesUnit, "202601311359", "2026-01-31T13:59:00Z"}, {minutesUnit, "202601311360", ""}, {minutesUnit, "2026013113", ""},
		{fullSecondsUnit, "20260131135958", "2026-01-31T13:59:58Z"}, {fullSecondsUnit, "202601311359", ""},
		{decimalYearUnit, "2026.5", "2026-07-01T00:00:00Z"}, {decimalYearUnit, "2026", "2026-01-01T00:00:00Z"}, {decimalYearUnit, "2026.999", "2027-01-01T00:00:00Z"},
		{decimalYearUnit, "2026.0833", "2026-02-01T00:00:00Z"}, {decimalYearUnit, "2026.25", "2026-04-01T00:00:00Z"},
		{decimalYearUnit, "2026.3", "2026-04-20T12:00:00Z"}, {decimalYearUnit, "2024.3", "2024-04-19T19:12:00Z"}, // 0.3 of 365 and of 366 days
		{decimalYearUnit, "1678", "1678-01-01T00:00:00Z"}, {decimalYearUnit, "1677.9", ""}, {decimalYearUnit, "2260.5", "2260-07-01T00:00:00Z"}, {decimalYearUnit, "2261", ""},
		{excelUnit, "0", "1899-12-30T00:00:00Z"}, {excelUnit, "25569", "1970-01-01T00:00:00Z"}, {excelUnit, "46053.378472222", "2026-01-31T09:05:00Z"}, {excelUnit, "-1.75", "1899-12-28T06:00:00Z"},
		{excelUnit, "46053.00000001", "2026-01-31T00:00:00.001Z"}, {excelUnit, "1000000", ""}, {excelUnit, "-81000", "1678-03-23T00:00:00Z"}, {excelUnit, "-82000", ""}, {excelUnit, "x", ""},
		{julianDayUnit, "2440587.5", "1970-01-01T00:00:00Z"}, {julianDayUnit, "2461072", "2026-01-31T12:00:00Z"},
		{dateNumberUnit, "719529", "1970-01-01T00:00:00Z"}, {dateNumberUnit, "740013.25", "2026-01-31T06:00:00Z"},
		{monthPointUnit, "01.2026", "2026-01-01T00:00:00Z"}, {monthPointUnit, "1.2026", "2026-01-01T00:00:00Z"}, {monthPointUnit, ".2026", ""}, {monthPointUnit, "13.2026", ""}, {monthPointUnit, "12026", ""},
		{pointMonthUnit, "2026.12", "2026-12-01T00:00:00Z"}, {pointMonthUnit, "2026.1", ""}, {pointMonthUnit, "2026.13", ""}, {pointMonthUnit, "202612", ""},
		{fileTimeUnit, "116444736000000000", "1970-01-01T00:00:00Z"}, {fileTimeUnit, "134143239000000001", "2026-01-31T09:05:00.0000001Z"}, {fileTimeUnit, "94354848000000000", ""},
		{fileTimeUnit, "94670208000000000", "1901-01-01T00:00:00Z"}, {fileTimeUnit, "94670207999999999", ""}, {fileTimeUnit, "189025920000000000", ""}, {fileTimeUnit, "189025919999999999", "2199-12-31T23:59:59.9999999Z"},
		{ticksUnit, "621355968000000000", "1970-01-01T00:00:00Z"}, {ticksUnit, "639054471000000000", "2026-01-31T09:05:00Z"}, {ticksUnit, "1", ""}, {ticksUnit, "6.5", ""}, {ticksUnit, "99999999999999999999", ""},
		{monthYearUnit, "Jan-26", "2026-01-01T00:00:00Z"}, {monthYearUnit, "Dec-69", "1969-12-01T00:00:00Z"}, {monthYearUnit, "Dec-68", "2068-12-01T00:00:00Z"}, {monthYearUnit, "5 Jan 2026", ""}, {monthYearUnit, "26", ""},
		{quarterUnit, "Q1 2026", "2026-01-01T00:00:00Z"}, {quarterUnit, "1", ""},
		{Auto, "20260131", "1970-08-23T11:48:51Z"}, // seconds
	} {
		r := NewReader(c.unit, YearFirst, nil, false)
		if got := read(&r, c.text, ""); got != c.want {
			t.Errorf("%s of %s: got %q, want %q", c.text, c.unit, got, c.want)
		}
	}
}

// TestOtherForms: dates of programs and languages are read without a setting, their neighbours are not.
func TestOtherForms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"20260106T093015.25Z", "2026-01-06T09:30:15.25Z"}, {"20260106T0930", "2026-01-06T09:30:00Z"}, {"20260106T09", "2026-01-06T09:00:00Z"}, {"20260106 093015,5+0100", "2026-01-06T08:30:15.5Z"}, {"20260106T093", ""},
		{"2026-W02", "2026-01-05T00:00:00Z"}, {"2026W027", "2026-01-11T00:00:00Z"}, {"2026-w53-1", "2026-12-28T00:00:00Z"}, {"2026-W54", ""}, {"2026-W00", ""}, {"2026-W02-8", ""}, {"2025-W53", ""},
		{"2025-W01-1", "2024-12-30T00:00:00Z"}, {"2021-W01", "2021-01-04T00:00:00Z"}, {"2017-W01", "2017-01-02T00:00:00Z"}, // years that begin on a Wednesday, a Friday and a Sunday
		{"2026Q1", "2026-01-01T00:00:00Z"}, {"2026-q4", "2026-10-01T00:00:00Z"}, {"Q2 2026", "2026-04-01T00:00:00Z"}, {"3Q2026", "2026-07-01T00:00:00Z"}, {"2026Q5", ""}, {"2026Q0", ""},
		{"2026M01", "2026-01-01T00:00:00Z"}, {"2026-M12", "2026-12-01T00:00:00Z"}, {"2026M13", ""}, {"2026/1", "2026-01-01T00:00:00Z"}, {"01/2026", "2026-01-01T00:00:00Z"}, {"12 2026", "2026-12-01T00:00:00Z"}, {"13-2026", ""},
		{"2026-001", "2026-01-01T00:00:00Z"}, {"2026-365", "2026-12-31T00:00:00Z"}, {"2026-366", ""}, {"2024-366 12:30", "2024-12-31T12:30:00Z"}, {"2026-000", ""}, {"2026-002T15:04:05Z", "2026-01-02T15:04:05Z"},
		{"2026年1月6日", "2026-01-06T00:00:00Z"}, {"2026年1月", "2026-01-01T00:00:00Z"}, {"2026年01月06日 9時30分15秒", "2026-01-06T09:30:15Z"}, {"2026년 1월 6일 9시", "2026-01-06T09:00:00Z"}, {"2026年13月6日", ""},
		{"2026/1/6", "2026-01-06T00:00:00Z"}, {"2026.1.6 9:05", "2026-01-06T09:05:00Z"}, {"2026/01/06 09:05:07.5", "2026-01-06T09:05:07.5Z"}, {"2026/0/6", ""}, {"2026/1/0", ""}, {"2026/1/", ""}, {"999/1/6", ""}, {"20260/1/6", ""},
		{"2026/1/6 9:05 PM", "2026-01-06T21:05:00Z"}, {"2026/1/6, 12:05 am", "2026-01-06T00:05:00Z"}, {"2026/1/6 12:05:30 PM", "2026-01-06T12:05:30Z"}, {"2026/1/6 1:05 AM", "2026-01-06T01:05:00Z"}, {"2026/1/6 0:05 AM", ""}, {"2026/1/6 13:05 PM", ""}, {"2026/1/6 9:05 XM", ""}, {"2026/1/6 9", ""}, {"2026/1/6 9:", ""},
		{"5 Jan 2026", "2026-01-05T00:00:00Z"}, {"Jan 5, 2026", "2026-01-05T00:00:00Z"}, {"January 2026", "2026-01-01T00:00:00Z"}, {"5-Jan-26", "2026-01-05T00:00:00Z"}, {"5-Jan-68", "2068-01-05T00:00:00Z"}, {"5-Jan-69", "1969-01-05T00:00:00Z"},
		{"Jan '26", "2026-01-01T00:00:00Z"}, {"5 Jan '26", "2026-01-05T00:00:00Z"}, {"Jan-26", ""}, {"2026 Jan '26", ""}, {"5 Jan", ""}, {"Jan", ""}, {"2026", "1970-01-01T00:33:46Z"}, {"5 6 Jan 2026", ""}, {"Jan Feb 2026", ""}, {"5 Jan 2026 2027", ""}, {"5 Jan 026", ""}, {"5 Foo 2026", ""}, {"0 Jan 2026", ""},
		{"Tue, 06 Jan 2026 09:30:15 GMT", "2026-01-06T09:30:15Z"}, {"Tue Jan 6 09:30:15 2026", "2026-01-06T09:30:15Z"}, {"6 Jan 2026 09:30 +0100", "2026-01-06T08:30:00Z"}, {"6 Jan 2026 9.30.15,25", "2026-01-06T09:30:15.25Z"}, {"6-JAN-26 09.30.15.000000 PM", "2026-01-06T21:30:15Z"},
		{"6 Jan 2026 12:00 a.m.", "2026-01-06T00:00:00Z"}, {"6 Jan 2026 12:00 PM", "2026-01-06T12:00:00Z"}, {"6 Jan 2026 1:00 AM", "2026-01-06T01:00:00Z"}, {"6 Jan 2026 0:00 PM", ""}, {"6 Jan 2026 13:00 PM", ""}, {"Jan 2026 09:30", ""}, {"Jan 2026 00:00", "2026-01-01T00:00:00Z"},
		{"1st of January 2026", "2026-01-01T00:00:00Z"}, {"6th Jan 2026", "2026-01-06T00:00:00Z"}, {"1st Jan 2026", "2026-01-01T00:00:00Z"}, {"2nd Jan 2026", "2026-01-02T00:00:00Z"}, {"3rd Jan 2026", "2026-01-03T00:00:00Z"}, {"st Jan 2026", ""}, {"6 de enero de 2026", "2026-01-06T00:00:00Z"},
		{"6. März 2026", "2026-03-06T00:00:00Z"}, {"6 août 2026", "2026-08-06T00:00:00Z"}, {"6 dicembre 2026", "2026-12-06T00:00:00Z"}, {"6 mei 2026", "2026-05-06T00:00:00Z"}, {"6 okt 2026", "2026-10-06T00:00:00Z"}, {"6 septiembre 2026", "2026-09-06T00:00:00Z"},
		{"30 Feb 2026", ""}, {"29 Feb 2024", "2024-02-29T00:00:00Z"}, {"32 Jan 2026", ""}, {strings.Repeat(" ", 60) + "5 Jan 2026", ""},
		{"2026-01-06 24:00", "2026-01-07T00:00:00Z"}, {"2026-01-06T24:00:00Z", "2026-01-07T00:00:00Z"}, {"2026-12-31T24:00Z", "2027-01-01T00:00:00Z"}, {"2026/1/6 24:00:00", "2026-01-07T00:00:00Z"}, {"2026-01-06 24:01", ""}, {"2026-01-0624:00", ""}, {"2026 24:00", ""}, {" 24:00", ""},
	} {
		r := NewReader(Auto, YearFirst, nil, false)
		if got := read(&r, c.text, ""); got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestLocalTimes: the times of a clock in Berlin and in New York, around the changes of summer time. The hour that is
// repeated is the first of the two, or the second for a reader that remembers a time of the series which is not
// earlier. The hour that is skipped has the offset of the next day.
func TestLocalTimes(t *testing.T) {
	for _, c := range []struct{ zone, text, want, second string }{
		{"Europe/Berlin", "2026-01-31 12:00", "2026-01-31T11:00:00Z", ""},
		{"Europe/Berlin", "2026-07-31 12:00", "2026-07-31T10:00:00Z", ""},
		{"Europe/Berlin", "2026-07-31 12:00Z", "2026-07-31T12:00:00Z", ""},
		{"Europe/Berlin", "2026-07-31T12:00:00-03:00", "2026-07-31T15:00:00Z", ""},
		{"Europe/Berlin", "1785499200", "2026-07-31T12:00:00Z", ""},
		{"Europe/Berlin", "2026-03-29 01:59", "2026-03-29T00:59:00Z", ""},
		{"Europe/Berlin", "2026-03-29 02:30", "2026-03-29T00:30:00Z", ""}, // skipped
		{"Europe/Berlin", "2026-03-29 03:00", "2026-03-29T01:00:00Z", ""},
		{"Europe/Berlin", "2026-03-29 24:00", "2026-03-29T22:00:00Z", ""},
		{"Europe/Berlin", "2026-10-25 01:59", "2026-10-24T23:59:00Z", ""},
		{"Europe/Berlin", "2026-10-25 02:00", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"},
		{"Europe/Berlin", "2026-10-25 02:59", "2026-10-25T00:59:00Z", "2026-10-25T01:59:00Z"},
		{"Europe/Berlin", "2026-10-25 03:00", "2026-10-25T02:00:00Z", ""},
		{"Europe/Berlin", "2026-10-25 24:00", "2026-10-25T23:00:00Z", ""},
		{"America/New_York", "2026-11-01 01:30", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"},
		{"America/New_York", "2026-03-08 02:30", "2026-03-08T06:30:00Z", ""}, // skipped
		{"UTC", "2026-10-25 02:00", "2026-10-25T02:00:00Z", ""},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		alone, remembers := NewReader(Auto, YearFirst, zone, false), NewReader(Auto, YearFirst, zone, true)
		if alone.Remembers() || remembers.Remembers() != (c.zone != "UTC") {
			t.Errorf("%s: a reader remembers %v, and %v where it should", c.zone, alone.Remembers(), remembers.Remembers())
		}
		for i, want := range []string{c.want, map[bool]string{true: c.want, false: c.second}[c.second == ""]} {
			if got := read(&alone, c.text, "a"); got != c.want {
				t.Errorf("%s of %s: got %s, want %s", c.text, c.zone, got, c.want)
			}
			if got := read(&remembers, c.text, "a"); got != want {
				t.Errorf("%s of %s, %d times before: got %s, want %s", c.text, c.zone, i, got, want)
			}
		}
		if got := read(&remembers, c.text, "another"); got != c.want {
			t.Errorf("%s of %s in another series: got %s, want %s", c.text, c.zone, got, c.want)
		}
	}
	zone := time.FixedZone("", 3600)
	layout := NewReader("02.01.2006 15:04", YearFirst, zone, false)
	zoned := NewReader("02.01.2006 15:04 -0700", YearFirst, zone, false)
	for text, want := range map[string]string{"31.01.2026 12:00": "2026-01-31T11:00:00Z", "31.01.2261 12:00": "2261-01-31T11:00:00Z", "31.01.2262 12:00": "", "31.01.1677 12:00": "", "2026": ""} {
		if got := read(&layout, text, ""); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if got := read(&zoned, "31.01.2026 12:00 -0200", ""); got != "2026-01-31T14:00:00Z" {
		t.Errorf("a layout with a zone: %s", got)
	}
	if _, err := layout.Parse([]byte("x"), ""); err == nil || err.Error() != `no time of the form "02.01.2006 15:04"` {
		t.Error(err)
	}
}

// TestUnitNames: every name of a unit is read and described, and the error for another one lists them.
func TestUnitNames(t *testing.T) {
	said := make(map[string]Unit)
	for _, name := range units() {
		u, err := ParseUnit(name)
		if err != nil || u != Unit(name) || u.Check() != nil || u.isLayout() {
			t.Errorf("%s: %q, %v", name, u, err)
		}
		if says := u.Describe(); (says == "") != (u.nanoseconds() > 0) || says != "" && said[says] != "" {
			t.Errorf("%s is described as %q", name, says)
		} else {
			said[says] = u
		}
	}
	for text, want := range map[string]Unit{
		"": Auto, "auto": Auto, "epoch_s": Seconds, "epoch_ms": Milliseconds, "epoch_us": Microseconds, "epoch_ns": Nanoseconds,
		"%d.%m.%Y": "2.1.2006", "%Y%j": "2006002", "%y-%-m-%e %I:%M:%S.%f %p": "06-1-_2 3:04:05 PM", "%a %A %b %h %B %Y %H,%f": "Mon Monday Jan Jan January 2006 15",
		"%F %T%z": "2006-1-2 15:04:05-0700", "%D %R %Z": "1/2/06 15:04 MST", "%Y%%": "2006%", "%Y%": "2006%",
	} {
		if u, err := ParseUnit(text); err != nil || u != want || u.isLayout() != (len(want) > 2) {
			t.Errorf("%s: %q, %v, want %q", text, u, err, want)
		}
	}
	const forms = "a form of times is one of s, ms, us, ns, yyyymmddhhmmss, yyyymmddhhmm, yyyymmddhh, yyyymmdd, yyyyddd, yyyymm, year, mm.yyyy, yyyy.mm, decimal_year, excel, julian_day, datenum, ticks, month_year, filetime, iso_week, quarter, a layout such as %d.%m.%Y %H:%M, or one of Go such as 02.01.2006 15:04"
	for text, want := range map[string]string{
		"fortnight": `the form of times: "fortnight" tells no year: ` + forms, "15:04": `the form of times: "15:04" tells no year: ` + forms,
		"%H:%M": `the form of times: "15:04" tells no year: ` + forms, "%Q %Y": `the form of times: %Q in "%Q %Y" is not read`,
	} {
		if err := Unit(text).Check(); err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// TestMonthOf: names of months in full and short, in several languages.
func TestMonthOf(t *testing.T) {
	for word, want := range map[string]int{
		"January": 1, "ENE": 1, "gennaio": 1, "févr": 2, "mrz": 3, "maart": 3, "avril": 4, "May": 5, "mag": 5, "giugno": 6, "juin": 6, "luglio": 7, "juillet": 7, "agosto": 8, "septiembre": 9, "setembro": 9,
		"out": 10, "ott": 10, "Nov": 11, "dez": 12, "dic": 12, "": 0, "ja": 0, "x": 0, "marvellously": 0, "septiembres": 0,
	} {
		if got := MonthOf(word); got != want {
			t.Errorf("%s: %d, want %d", word, got, want)
		}
	}
}
