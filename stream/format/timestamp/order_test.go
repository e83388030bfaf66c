package timestamp

import (
	"testing"
	"time"
)

// TestDatesOfTwoDigitYears: an order makes 31.12.25 a date, with the years of POSIX; no order
// does not.
func TestDatesOfTwoDigitYears(t *testing.T) {
	for _, c := range []struct {
		order      Order
		text, want string // "" = refused
	}{
		{DayFirst, "31.12.25 13:45", "2025-12-31T13:45:00Z"},
		{DayFirst, "31-12-68", "2068-12-31T00:00:00Z"},
		{DayFirst, "1/2/69", "1969-02-01T00:00:00Z"},
		{DayFirst, "01.02.00", "2000-02-01T00:00:00Z"},
		{DayFirst, "29.02.99", ""},
		{DayFirst, "01.02.999", ""},
		{DayFirst, "01.02.5", ""},
		{MonthFirst, "12/31/99 1:00 PM", "1999-12-31T13:00:00Z"},
		{MonthFirst, "31/12/99", ""},
		{DayFirst, "2025-12-31", "2025-12-31T00:00:00Z"},
		{DayFirst, "2025/1/31", "2025-01-31T00:00:00Z"},
		{YearFirst, "31.12.25", ""},
		{YearFirst, "25-12-31", ""},
	} {
		times := NewReader(Auto, c.order, nil, false)
		at, err := times.Parse([]byte(c.text), "")
		got := time.Unix(0, at).UTC().Format(time.RFC3339)
		if err != nil {
			got = ""
		}
		if got != c.want {
			t.Errorf("%q of %q: got %q (%v), want %q", c.order, c.text, got, err, c.want)
		}
	}
}

// TestOrderNames: an order has a name, another order, and dates that only it reads.
func TestOrderNames(t *testing.T) {
	for _, c := range []struct {
		order, other Order
		valid        bool
		reads, only  string // dates; only: in the other order
	}{
		{YearFirst, YearFirst, true, "2025-12-31", ""},
		{DayFirst, MonthFirst, true, "31.12.2025", "12/31/2025"},
		{MonthFirst, DayFirst, true, "12/31/2025", "31.12.2025"},
		{"ymd", YearFirst, false, "2025/12/31", ""},
	} {
		err := c.order.Check()
		if (err == nil) != c.valid || c.order.Other() != c.other {
			t.Errorf("%q: %v, the other is %q", c.order, err, c.order.Other())
		}
		if err != nil && err.Error() != `the order of a date must be dmy, mdy or empty, got "ymd"` {
			t.Error(err)
		}
		for _, text := range []string{"2025-12-31 10:00", "2025/12/31", "31.12.2025", "12/31/2025", "05.06.2025", "32.13.2025", "noon"} {
			if reads, only := c.order.Reads([]byte(text)), c.order.IsOther([]byte(text)); text == c.reads && !reads || only != (text == c.only) {
				t.Errorf("%s in order %q: reads %v, only in the other %v", text, c.order, reads, only)
			}
		}
	}
}

// TestMisreadOrder: ten times with fewer than half of the places filled are misread if the other order fills nine of ten.
func TestMisreadOrder(t *testing.T) {
	const day = int64(24 * time.Hour)
	even := func(n int) (at []int64) {
		for i := range n {
			at = append(at, int64(n-i)*day)
		}
		return at
	}
	gap := func(n int, days int64) []int64 { // even, but for a gap
		at := even(n)
		at[0] += (days - 1) * day
		return append(at, at[n-1])
	}
	for _, c := range []struct {
		name         string
		times, other []int64
		want         bool
	}{
		{"even in both", even(20), even(20), false},
		{"gaps in both", gap(20, 200), gap(20, 200), false},
		{"gaps in the first", gap(20, 200), even(20), true},
		{"gaps in the other", even(20), gap(20, 200), false},
		{"half filled", gap(20, 20), even(20), false},   // 19 of 38 steps
		{"less filled", gap(20, 21), even(20), true},    // 19 of 39
		{"nine of ten", gap(19, 100), gap(19, 3), true}, // 18 of 20
		{"fewer", gap(19, 100), gap(19, 4), false},
		{"nine times", gap(9, 100), even(9), false},
		{"ten times", gap(10, 100), even(10), true},
	} {
		if got := MisreadOrder(c.times, c.other); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestUsualFormIsFast: every form of RFC 3339 in UTC is read without time.Parse, which takes several times as long.
func TestUsualFormIsFast(t *testing.T) {
	for year := 1678; year <= 2261; year++ {
		for day := time.Date(year, 1, 1, 23, 59, 59, 1, time.UTC); day.Year() == year; day = day.AddDate(0, 0, 1) {
			for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05.999999999"} {
				text := day.Format(layout)
				want := day
				if layout == time.RFC3339 {
					want = want.Truncate(time.Second)
				}
				if got, ok := parseUTC([]byte(text)); !ok || got != want.UnixNano() {
					t.Fatalf("%s: %d, %v", text, got, ok)
				}
			}
		}
	}
	for _, text := range []string{
		"2026-01-01T00:00:00.", "2026-01-01T00:00:00.1234567891", "2026-01-01T00:00:00.12x", "2026-01-01T00:00:00,5", "2026-01-01T00:00:60", "2026-01-01T00:60:00", "2026-01-01T24:00:00",
		"2026/01-01T00:00:00", "2026-01/01T00:00:00", "2026-01-01x00:00:00", "2026-01-01T00-00:00", "2026-01-01T00:00-00", "2026-00-01T00:00:00", "2026-13-01T00:00:00", "2026-01-00T00:00:00",
		"2026-01-32T00:00:00", "2026-04-31T00:00:00", "1900-02-29T00:00:00", "1677-12-31T00:00:00", "2262-01-01T00:00:00", "2026-01-01T00:00:0", "2026-01-01T00:00:0Z",
	} {
		if got, ok := parseUTC([]byte(text)); ok {
			t.Errorf("%s is read as %d", text, got)
		}
	}
}

// TestRewrite: a date of an order gets the year first, and ok is false for every other text.
func TestRewrite(t *testing.T) {
	for _, c := range []struct {
		order      Order
		text, want string // "" = no date
	}{
		{DayFirst, "31.12.2025", "2025-12-31T00:00:00"}, {DayFirst, "1/2/25 9:05:07.5", "2025-02-01T09:05:07.5"}, {DayFirst, "1-2-1000", "1000-02-01T00:00:00"}, {DayFirst, "1.2.2025, 12:05 am", "2025-02-01T00:05:00"}, {DayFirst, "1.2.2025T1:05:06 PM", "2025-02-01T13:05:06"},
		{MonthFirst, "12/31/69", "1969-12-31T00:00:00"}, {MonthFirst, "12/31/68", "2068-12-31T00:00:00"}, {YearFirst, "2025/1/2", "2025-01-02T00:00:00"}, {DayFirst, "1000/1/2", "1000-01-02T00:00:00"}, {DayFirst, "5 Jan 2026", "2026-01-05T00:00:00"},
		{YearFirst, "31.12.2025", ""}, {DayFirst, "31.12", ""}, {DayFirst, "31", ""}, {DayFirst, "", ""}, {DayFirst, "31.12.", ""}, {DayFirst, "31.12.999", ""}, {DayFirst, "0.12.2025", ""}, {DayFirst, "31.0.2025", ""}, {DayFirst, "31:12:2025", ""}, {DayFirst, "x.12.2025", ""}, {DayFirst, "12345.12.2025", ""},
		{DayFirst, "31.12.2025 9", ""}, {DayFirst, "31.12.2025 9:", ""}, {DayFirst, "31.12.2025 :05", ""}, {DayFirst, "31.12.2025 0:05 AM", ""}, {DayFirst, "31.12.2025 13:05 PM", ""}, {DayFirst, "31.12.2025 9:05 XM", ""}, {DayFirst, "2026-W60", ""},
	} {
		date, ok := c.order.Rewrite([]byte(c.text))
		if ok != (c.want != "") || string(date) != c.want {
			t.Errorf("%q in order %q: %q, %v, want %q", c.text, c.order, date, ok, c.want)
		}
	}
}
