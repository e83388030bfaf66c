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
