package sniff

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// timesOf returns the times that a file has by its own evidence, and its assumptions.
func timesOf(t *testing.T, name string, cells []string, c format.CSVConfig) (times []time.Time, said string, err error) {
	t.Helper()
	var b strings.Builder
	b.WriteString(name + "\tv\n")
	for i, cell := range cells {
		fmt.Fprintf(&b, "%s\t%d.5\n", cell, i%7)
	}
	c.Comma = '\t'
	s, err := sniff(t, b.String(), c)
	if err != nil {
		return nil, "", err
	}
	for _, a := range s.Assumptions {
		said += a.Text + "; "
	}
	d, err := format.NewCSV(s.CSV)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, name) {
			continue
		}
		var r stream.Record
		if err := d.Decode(&r, &stream.Message{Value: []byte(strings.TrimRight(line, "\n"))}); err != nil {
			return nil, said, err
		}
		times = append(times, time.Unix(0, r.Time).UTC())
	}
	return times, said, nil
}

// TestTimeForms: each form that programs write times in is read by its evidence, and what could be
// another one is said. A column of times that is named is read as one that is found.
func TestTimeForms(t *testing.T) {
	hours := func(layout string) (cells []string) {
		for i := range 60 {
			cells = append(cells, time.Date(2025, 1, 6, i, 0, 0, 0, time.UTC).Format(layout))
		}
		return cells
	}
	months := func(layout string) (cells []string) {
		for i := range 40 {
			cells = append(cells, time.Date(2010, 1+time.Month(i), 1, 0, 0, 0, 0, time.UTC).Format(layout))
		}
		return cells
	}
	made := func(n int, f func(i int) string) (cells []string) {
		for i := range n {
			cells = append(cells, f(i))
		}
		return cells
	}
	quarter := func(i int) (year, q int) { return 1990 + i/4, 1 + i%4 }
	const day = 24 * time.Hour
	for _, c := range []struct {
		name  string
		cells []string
		first string        // time
		step  time.Duration // 0 = months, or quarters
		said  string
	}{
		{"time", hours("20060102T150405Z"), "2025-01-06T00:00:00Z", time.Hour, ""},
		{"time", hours("20060102T1504"), "2025-01-06T00:00:00Z", time.Hour, ""},
		{"time", hours("200601021504"), "2025-01-06T00:00:00Z", time.Hour, "times are dates such as 202601311330; "},
		{"n", hours("20060102150405"), "2025-01-06T00:00:00Z", time.Hour, "times are dates such as 20260131133000; "},
		{"time", hours("2006010215"), "2025-01-06T00:00:00Z", time.Hour, "times are dates such as 2026013113; "},
		{"time", hours("2006-01-02T15:04:05.000Z"), "2025-01-06T00:00:00Z", time.Hour, ""}, // toISOString of JavaScript
		{"time", hours("2006-01-02T15:04:05.0000"), "2025-01-06T00:00:00Z", time.Hour, ""},
		{"time", hours("2006年1月2日 15:04"), "2025-01-06T00:00:00Z", time.Hour, ""},
		{"time", hours("2006年01月02日15时04分"), "2025-01-06T00:00:00Z", time.Hour, ""},
		{"time", hours("02-Jan-06 03.04.05.000000 PM"), "2025-01-06T00:00:00Z", time.Hour, ""},
		{"time", hours("Mon Jan _2 15:04:05 2006"), "2025-01-06T00:00:00Z", time.Hour, ""},
		{"time", hours("2. January 2006 15:04"), "2025-01-06T00:00:00Z", time.Hour, ""},
		{"time", hours("2006-002T15:04:05Z"), "2025-01-06T00:00:00Z", time.Hour, ""},
		{"time", made(60, func(i int) string { return time.Date(2024, 12, 25+i, 0, 0, 0, 0, time.UTC).Format("02/01/2006") }), "2024-12-25T00:00:00Z", day, "the day is first in dates such as 25/12/2024; "},
		{"time", made(60, func(i int) string { return time.Date(2025, 1, 1+i, 0, 0, 0, 0, time.UTC).Format("2006-002") }), "2025-01-01T00:00:00Z", day, ""},
		{"day", made(60, func(i int) string { return time.Date(2025, 1, 1+i, 0, 0, 0, 0, time.UTC).Format("2006002") }), "2025-01-01T00:00:00Z", day, "times are days of a year such as 2026031; "},
		{"day", made(60, func(i int) string { return fmt.Sprint(45000 + i) }), "2023-03-15T00:00:00Z", day, "times are dates of Excel, days since 1899-12-30; "},
		{"time", made(60, func(i int) string { return fmt.Sprintf("%.9f", 45000+float64(i)/24) }), "2023-03-15T00:00:00Z", time.Hour, "times are dates of Excel, days since 1899-12-30; "},
		{"time", made(60, func(i int) string {
			at := time.Date(2025, 1, 1, i+1, 0, 0, 0, time.UTC)
			if at.Hour() == 0 {
				return at.Add(-time.Hour).Format("2006-01-02") + " 24:00"
			}
			return at.Format("2006-01-02 15:04")
		}), "2025-01-01T01:00:00Z", time.Hour, ""},
		{"week", made(60, func(i int) string {
			y, w := time.Date(2018, 1, 1+7*i, 0, 0, 0, 0, time.UTC).ISOWeek()
			return fmt.Sprintf("%d-W%02d", y, w)
		}), "2018-01-01T00:00:00Z", 7 * day, ""},
		{"q", made(40, func(i int) string { y, q := quarter(i); return fmt.Sprintf("Q%d %d", q, y) }), "1990-01-01T00:00:00Z", 0, ""},
		{"q", made(40, func(i int) string { y, q := quarter(i); return fmt.Sprintf("%dq%d", y, q) }), "1990-01-01T00:00:00Z", 0, ""},
		{"year", made(40, func(i int) string { return fmt.Sprintf("%.3f", 1990+float64(i)/12) }), "1990-01-01T00:00:00Z", 0, "times are years with a fraction; "},
		{"month", months("Jan-06"), "2010-01-01T00:00:00Z", 0, "times are months such as Jan-26; "},
		{"month", months("January 2006"), "2010-01-01T00:00:00Z", 0, ""},
		{"month", months("01/2006"), "2010-01-01T00:00:00Z", 0, ""},
		{"month", months("01.2006"), "2010-01-01T00:00:00Z", 0, "times are months such as 01.2026; "},
		{"month", months("2006.01"), "2010-01-01T00:00:00Z", 0, "times are months such as 2026.01; "},
		{"time", months("200601"), "2010-01-01T00:00:00Z", 0, "times are months such as 202601; "},
		{"month", months("2006M01"), "2010-01-01T00:00:00Z", 0, ""},
		{"time", made(60, func(i int) string { return fmt.Sprint(133_801_632_000_000_000 + 36_000_000_000*i) }), "error: CSVConfig.TimeUnit=filetime", 0, ""},
		{"time", made(60, func(i int) string { return fmt.Sprint(638_717_184_000_000_000 + 36_000_000_000*i) }), "2025-01-06T00:00:00Z", time.Hour, "times are ticks of .NET; "},
		{"time", made(60, func(i int) string { return fmt.Sprint(3_472_243_200 + 60*i) }), "error: would begin at 2080", 0, ""},
		{"time", hours("01-02 15:04"), "error: dates without a year", 0, ""},
		{"time", hours("Jan  2 15:04:05"), "error: dates without a year", 0, ""},
	} {
		times, said, err := timesOf(t, c.name, c.cells, format.CSVConfig{})
		if want, fails := strings.CutPrefix(c.first, "error: "); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, %v", c.cells[0], times, err)
			}
			continue
		}
		named, saidNamed, errNamed := timesOf(t, c.name, c.cells, format.CSVConfig{Time: c.name})
		if errNamed != nil || saidNamed != said || !slices.Equal(named, times) {
			t.Errorf("%s in a column that is named: %v, said %q: %v", c.cells[0], named, saidNamed, errNamed)
		}
		if err != nil || said != c.said || times[0].Format(time.RFC3339) != c.first {
			t.Errorf("%s: %v, said %q, want %q: %v", c.cells[0], times, said, c.said, err)
			continue
		}
		for i := 1; i < len(times); i++ {
			want := times[i-1].Add(c.step)
			if c.step == 0 {
				months := 1
				if strings.ContainsAny(c.cells[0], "Qq") {
					months = 3
				}
				want = times[i-1].AddDate(0, months, 0)
			}
			if !times[i].Equal(want) {
				t.Errorf("%s: %v after %v", c.cells[i], times[i], times[i-1])
				break
			}
		}
	}
}

// TestTimeFormat: a form by name, by strftime and by Go's layout.
func TestTimeFormat(t *testing.T) {
	for _, c := range [][3]string{
		{"%d.%m.%Y %H:%M", "31.1.2026 9:05", "2026-01-31T09:05:00Z"},
		{"%Y%m%d-%H%M%S.%f", "20260131-090500.25", "2026-01-31T09:05:00.25Z"},
		{"%d %b %y %I:%M %p", "31 Jan 26 9:05 PM", "2026-01-31T21:05:00Z"},
		{"%Y-%m-%dT%H:%M:%S%z", "2026-01-31T09:05:00+0100", "2026-01-31T08:05:00Z"},
		{"02.01.2006 15:04", "31.01.2026 09:05", "2026-01-31T09:05:00Z"},
		{"epoch_ms", "1769850300000", "2026-01-31T09:05:00Z"},
		{"excel", "46053.378472222", "2026-01-31T09:05:00Z"},
		{"iso_week", "202605", "2026-01-26T00:00:00Z"},
		{"filetime", "134143239000000000", "2026-01-31T09:05:00Z"},
		{"month_year", "Jan-26", "2026-01-01T00:00:00Z"},
	} {
		unit, err := timestamp.ParseUnit(c[0])
		if err != nil {
			t.Fatal(err)
		}
		times := timestamp.NewReader(unit, timestamp.YearFirst, nil, false)
		at, err := times.Parse([]byte(c[1]), "")
		if got := time.Unix(0, at).UTC().Format(time.RFC3339Nano); err != nil || got != c[2] {
			t.Errorf("%s of %s: %s, %v, want %s", c[0], c[1], got, err, c[2])
		}
	}
	for _, bad := range []string{"%H:%M", "%Q %Y", "yyyy-mm-dd", "fortnight"} {
		if _, err := timestamp.ParseUnit(bad); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// TestOrders: dates whose order is not told are refused, unless they show it.
func TestOrders(t *testing.T) {
	const unknown = "whose order of day and month is not known"
	for _, c := range []struct {
		rows []string
		want string
	}{
		{[]string{"01.12.2025", "12.01.2026"}, unknown},
		{[]string{"13.12.2025", "12.13.2026"}, unknown},
		{[]string{"25-06-01", "25-06-02"}, unknown}, // the year may be first
		{[]string{"01.06.25 00:00", "02.06.25 00:00"}, unknown},
	} {
		file := "time,a\n" + strings.Join(c.rows, ",1\n") + ",2\n"
		if _, err := sniff(t, file, format.CSVConfig{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.rows, err)
		}
	}
	for rows, want := range map[string]string{
		"24.12.2025,1\n01.01.2026":   "the day is first in dates such as 24.12.2025",
		"1/2/2024,1\n1/13/2024 1:00": "the month is first in dates such as 1/2/2024",
	} {
		s, err := sniff(t, "time,a\n"+rows+",2\n", format.CSVConfig{})
		if err != nil || len(s.Assumptions) != 1 || s.Assumptions[0].Text != want {
			t.Errorf("%q: assumed %v, %v", rows, s.Assumptions, err)
		}
	}
}

// TestClockOfANamedColumn: dates have their time of day also if the configuration names their column.
func TestClockOfANamedColumn(t *testing.T) {
	text := lines("day,clock,v", 4, func(i int) string { return fmt.Sprintf("2026-01-01,%02d:00,1.5", i) })
	want := "Header=day,clock,v Comma=, Time=day Clock=clock Values=v | time of day in column clock"
	if got := decided(t, text, format.CSVConfig{Time: "day"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
