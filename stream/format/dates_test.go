package format

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/refuse"
)

// TestMessagesOfOrders: a date of another order than the one told names that one.
func TestMessagesOfOrders(t *testing.T) {
	for _, c := range []struct {
		told       timestamp.Order
		text, want string
	}{
		{"", "01.06.25 00:00", "does not begin with the year: say CSVConfig.DateOrder=dmy (day first) or mdy (month first)"},
		{timestamp.MonthFirst, "13.06.2025", "there is no month 13: say CSVConfig.DateOrder=dmy"},
		{timestamp.DayFirst, "30.02.2025", timestamp.Forms},
		{timestamp.DayFirst, "noon", timestamp.Forms},
		{"", "noon", timestamp.Forms},
		{"", "1.2.3.4", timestamp.Forms},
	} {
		times := timestamp.NewReader(timestamp.Auto, c.told, nil, false)
		_, err := times.Parse([]byte(c.text), "")
		if err == nil {
			t.Errorf("%s is read", c.text)
			continue
		}
		if what, remedy := explainDate(c.told, []byte(c.text), err, nil); !strings.Contains(what+remedy, c.want) {
			t.Errorf("%q, told %q: %v", c.text, c.told, err)
		}
	}
}

// TestOrderCheck: a date that is impossible in the order that was told, and a spacing that only
// the other order makes regular, are errors; dates that agree, or that tell nothing, are not.
func TestOrderCheck(t *testing.T) {
	days := func(layout string, from time.Time, step func(time.Time) time.Time, n int) (rows []string) {
		for range n {
			rows = append(rows, from.Format(layout))
			from = step(from)
		}
		return rows
	}
	after := func(d time.Duration) func(time.Time) time.Time {
		return func(t time.Time) time.Time { return t.Add(d) }
	}
	months := func(n int) func(time.Time) time.Time {
		return func(t time.Time) time.Time { return t.AddDate(0, n, 0) }
	}
	const dmy, mdy = "02/01/2006 15:04", "01/02/2006 15:04"
	april, january := time.Date(2024, 4, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		told timestamp.Order
		rows []string
		line int    // that decides; 0 = none
		want string // of the error
	}{
		{"day 13 as month", timestamp.MonthFirst, days(dmy, april, after(24*time.Hour), 30), 13, "DateOrder=mdy, there is no month 13: say CSVConfig.DateOrder=dmy"},
		{"day 13 as day", timestamp.DayFirst, days(dmy, april, after(24*time.Hour), 30), 13, ""},
		{"month first", timestamp.DayFirst, days(mdy, april, after(24*time.Hour), 30), 13, "DateOrder=dmy, there is no month 13: say CSVConfig.DateOrder=mdy"},
		{"hours of twelve days", timestamp.MonthFirst, days(dmy, april, after(time.Hour), 12*24), 0, "evenly spaced with CSVConfig.DateOrder=dmy, but not with mdy"},
		{"hours of twelve days, rightly", timestamp.DayFirst, days(dmy, april, after(time.Hour), 12*24), 0, ""},
		{"quarters", timestamp.DayFirst, days(mdy, january, months(3), 40), 0, "evenly spaced with CSVConfig.DateOrder=mdy, but not with dmy"},
		{"quarters, rightly", timestamp.MonthFirst, days(mdy, january, months(3), 40), 0, ""},
		{"months", timestamp.DayFirst, days(mdy, january, months(1), 40), 0, "evenly spaced with CSVConfig.DateOrder=mdy"},
		{"months of one year", timestamp.DayFirst, days(mdy, january, months(1), 12), 0, ""}, // or days
		{"one day", timestamp.MonthFirst, days(dmy, april, after(time.Minute), 600), 0, ""},
		{"too few", timestamp.DayFirst, days(mdy, january, months(3), 9), 0, ""},
		{"year first", timestamp.DayFirst, days("2006-01-02", april, after(24*time.Hour), 30), 0, ""},
		{"no dates", timestamp.DayFirst, []string{"noon", "99/99/2024"}, 0, ""},
	} {
		d, err := NewCSV(CSVConfig{Header: []string{"time", "a"}, DateOrder: c.told})
		if err != nil {
			t.Fatal(err)
		}
		check := d.NewOrderCheck()
		decided := 0
		for i, row := range c.rows {
			done, failed := check.Add(&stream.Message{Value: []byte(row + ",1")})
			if err = failed; done {
				decided = i + 1
				break
			}
		}
		if decided == 0 {
			err = check.Result()
		}
		if decided != c.line {
			t.Errorf("%s: line %d decides, want %d", c.name, decided, c.line)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if d, err := NewCSV(CSVConfig{Header: []string{"time", "a"}}); err != nil || d.NewOrderCheck() != nil {
		t.Errorf("no order: %v, %v", d, err)
	}
}

// TestOneOrder: with OneOrder, a date of the other order is an error and no refusal; a text that
// is no date stays a refusal.
func TestOneOrder(t *testing.T) {
	for _, one := range []bool{false, true} {
		d, err := NewCSV(CSVConfig{Header: []string{"time", "a"}, DateOrder: timestamp.MonthFirst, OneOrder: one})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"13/04/2024", "noon"} {
			var r stream.Record
			var refusal *refuse.Error
			err := d.Decode(&r, &stream.Message{Value: []byte(text + ",1")})
			if refused := errors.As(err, &refusal); err == nil || refused != (text == "noon" || !one) {
				t.Errorf("OneOrder %v, %s: %v", one, text, err)
			}
		}
	}
}

// TestOneColumnWithSeparators: the error for a header that another separator would divide names this separator.
func TestOneColumnWithSeparators(t *testing.T) {
	for separator, name := range map[string]string{"\t": "tab", ";": ";", "|": "|"} {
		_, err := NewCSV(CSVConfig{Header: []string{"time" + separator + "a"}})
		if err == nil || !strings.Contains(err.Error(), "say CSVConfig.Comma="+name) {
			t.Errorf("%q: %v", separator, err)
		}
	}
	if _, err := NewCSV(CSVConfig{Header: []string{"time"}}); err == nil || !strings.Contains(err.Error(), "awk") {
		t.Errorf("one column: %v", err)
	}
}

// TestApart: a line that is read by itself has the same time whatever was read before, the first of
// two in the hour that is repeated.
func TestApart(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewCSV(CSVConfig{Header: []string{"time", "a"}, Zone: zone, Apart: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var r stream.Record
		err := d.Decode(&r, &stream.Message{Value: []byte("2025-10-26 02:00,1")})
		if want := time.Date(2025, 10, 26, 0, 0, 0, 0, time.UTC).UnixNano(); err != nil || r.Time != want {
			t.Errorf("%v, %v", time.Unix(0, r.Time).UTC(), err)
		}
	}
}
