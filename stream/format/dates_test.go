package format

import (
	"strings"
	"testing"
	"time"
)

// TestDatesOfTwoDigitYears: an order makes 31.12.25 a date, with the years of POSIX; no order
// does not.
func TestDatesOfTwoDigitYears(t *testing.T) {
	for _, c := range []struct {
		order      DateOrder
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
		times := newTimes(Auto, c.order, nil, false)
		at, err := times.parse([]byte(c.text), "")
		got := time.Unix(0, at).UTC().Format(time.RFC3339)
		if err != nil {
			got = ""
		}
		if got != c.want {
			t.Errorf("%q of %q: got %q (%v), want %q", c.order, c.text, got, err, c.want)
		}
	}
}

// TestMessagesOfOrders: dates whose order is not told, or told wrongly, are refused with the
// order that reads them, of the whole file or of one line.
func TestMessagesOfOrders(t *testing.T) {
	const unknown = "whose order of day and month is not known"
	for _, c := range []struct {
		told DateOrder
		rows []string
		want string
	}{
		{"", []string{"24.12.2025", "01.01.2026"}, `such as "24.12.2025", which show that the day is first: say --set input.csv.date_order=dmy`},
		{"", []string{"1/2/2024", "1/13/2024 1:00"}, `such as "1/13/2024 1:00", which show that the month is first: say --set input.csv.date_order=mdy`},
		{"", []string{"01.12.2025", "12.01.2026"}, unknown},
		{"", []string{"13.12.2025", "12.13.2026"}, unknown},
		{"", []string{"25-06-01", "25-06-02"}, unknown}, // the year may be first
		{"", []string{"01.06.25 00:00", "02.06.25 00:00"}, unknown},
		{MonthFirst, []string{"12.12.2025", "13.12.2025"}, `"13.12.2025" in column "time" is no date with input.csv.date_order=mdy, there is no month 13: say --set input.csv.date_order=dmy`},
		{DayFirst, []string{"12/12/25", "12/31/25"}, `"12/31/25" in column "time" is no date with input.csv.date_order=dmy, there is no month 31: say --set input.csv.date_order=mdy`},
		{DayFirst, []string{"12/12/25", "31/31/25"}, `"31/31/25" in column "time" is neither RFC 3339 nor a number`},
	} {
		file := "time,a\n" + strings.Join(c.rows, ",1\n") + ",2\n"
		if _, err := SniffCSV([]byte(file), CSVConfig{DateOrder: c.told}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, told %q: %v", c.rows, c.told, err)
		}
	}
	for _, c := range []struct {
		told       DateOrder
		text, want string
	}{
		{"", "01.06.25 00:00", "does not begin with the year: say --set input.csv.date_order=dmy (day first) or mdy (month first)"},
		{MonthFirst, "13.06.2025", "there is no month 13: say --set input.csv.date_order=dmy"},
		{DayFirst, "30.02.2025", errTime.Error()},
		{DayFirst, "noon", errTime.Error()},
		{"", "noon", errTime.Error()},
		{"", "1.2.3.4", errTime.Error()},
	} {
		times := newTimes(Auto, c.told, nil, false)
		_, err := times.parse([]byte(c.text), "")
		if err == nil || !strings.Contains(c.told.explain([]byte(c.text), err).Error(), c.want) {
			t.Errorf("%q, told %q: %v", c.text, c.told, err)
		}
	}
}

// TestOneColumnWithSeparators: a header that another separator would divide names that one.
func TestOneColumnWithSeparators(t *testing.T) {
	for separator, name := range map[string]string{"\t": "tab", ";": ";", "|": "|"} {
		_, err := NewCSV(CSVConfig{Header: []string{"time" + separator + "a"}})
		if err == nil || !strings.Contains(err.Error(), "say --set 'input.csv.comma="+name+"'") {
			t.Errorf("%q: %v", separator, err)
		}
	}
	if _, err := NewCSV(CSVConfig{Header: []string{"time"}}); err == nil || !strings.Contains(err.Error(), "awk") {
		t.Errorf("one column: %v", err)
	}
}
