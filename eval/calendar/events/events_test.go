package events

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/calendar"
)

func read(t *testing.T, name, content string) ([]calendar.Event, error) {
	t.Helper()
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(path, rome)
}

// show writes events as lines in UTC.
func show(all []calendar.Event) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.Name + " " + time.Unix(0, e.From).UTC().Format("2006-01-02T15:04") + " " + time.Unix(0, e.To).UTC().Format("2006-01-02T15:04") + "\n")
	}
	return b.String()
}

// Days are those of the zone and end at midnight, times have their zone or that of the
// configuration, events of one name that touch are one.
func TestCSV(t *testing.T) {
	got, err := read(t, "events.csv", `to,name,from,note
2026-12-26,holiday,2026-12-25,two days
2026-12-27, "holiday",2026-12-27,
2026-07-01T04:00:00Z,service,2026-07-01T02:00:00Z,
2026-01-10 06:30,service,2026-01-10 05:00,
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `holiday 2026-12-24T23:00 2026-12-27T23:00
service 2026-01-10T04:00 2026-01-10T05:30
service 2026-07-01T02:00 2026-07-01T04:00
`
	if show(got) != want {
		t.Errorf("got\n%swant\n%s", show(got), want)
	}
	if names := strings.Join(Names(got), " "); names != "holiday service" {
		t.Errorf("names %s", names)
	}
}

// A weekly service at 01:30 to 03:30 stays there by the clock across summer time, without the
// excluded date; holidays have the name of the calendar, events with a category that one.
func TestCalendar(t *testing.T) {
	got, err := read(t, "it.ics", strings.ReplaceAll(`BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//test//EN
X-WR-CALNAME:Holidays in Italy
BEGIN:VEVENT
UID:1
DTSTAMP:20260101T000000Z
DTSTART;VALUE=DATE:20260106
SUMMARY:Epiphany
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Rome:20260322T013000
DTEND;TZID=Europe/Rome:20260322T033000
RRULE:FREQ=WEEKLY;COUNT=4
EXDATE;TZID=Europe/Rome:20260405T013000
CATEGORIES:service
SUMMARY:Backup
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTAMP:20260101T000000Z
DTSTART:20260501T000000Z
DURATION:PT2H
STATUS:CANCELLED
SUMMARY:Cancelled
END:VEVENT
END:VCALENDAR
`, "\n", "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := `Holidays in Italy 2026-01-05T23:00 2026-01-06T23:00
service 2026-03-22T00:30 2026-03-22T02:30
service 2026-03-29T00:30 2026-03-29T01:30
service 2026-04-11T23:30 2026-04-12T01:30
`
	if show(got) != want {
		t.Errorf("got\n%swant\n%s", show(got), want)
	}
}

// An error names the mistake and its place.
func TestErrors(t *testing.T) {
	many := "name,from,to\n"
	for i := range maxNames + 1 {
		many += string(rune('a'+i)) + ",2026-01-01,2026-01-01\n"
	}
	for _, c := range []struct{ name, content, want string }{
		{"e.csv", "", "its first line must be name,from,to"},
		{"e.csv", "name,from,to\n", "has no events"},
		{"e.csv", "name,begin,to\nx,2026-01-01,2026-01-02\n", `line 1: no column "from"`},
		{"e.csv", "name,from,to\nx,2026-01-01,2026-01-02\nx,2026-13-01,2026-01-02\n", "line 3: from: must be a day such as"},
		{"e.csv", "name,from,to\nx,2026-01-02,2026-01-01\n", "line 2: event \"x\" from 2026-01-02T00:00:00+01:00 ends at"},
		{"e.csv", "name,from,to\n,2026-01-02,2026-01-03\n", "line 2: an event without a name"},
		{"e.csv", "name,from,to\nx,2026-01-02\n", "wrong number of fields"},
		{"e.csv", many, "more than 16 names"},
		{"e.csv", "name,from,to\nx,0026-01-02,2026-01-03\n", "is not between 1700 and 2250"},
		{"e.csv", strings.Repeat("x", maxBytes+1), "has more than"},
		{"e.ics", "hello", "iCalendar: "},
		{"e.ics", icalendar("DTSTART:20260101T000000Z"), `event "S": event "e" from`},
		{"e.ics", icalendar("DTSTART:20260101T000000Z\r\nDURATION:PT1S\r\nRRULE:FREQ=SECONDLY;INTERVAL=2"), "more than 50000 occurrences"},
		{"e.ics", icalendar("DTSTART:20260101T000000Z\r\nDURATION:PT1H\r\nRDATE:20260102T000000Z"), "RDATE and RECURRENCE-ID are not known"},
	} {
		if _, err := read(t, c.name, c.content); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %q", c.content, err, c.want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.csv"), time.UTC); err == nil {
		t.Error("a file that does not exist")
	}
}

func icalendar(lines string) string {
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:S\r\n" + lines + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
}
