package events

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/emersion/go-ical"
	"github.com/teambition/rrule-go"
)

// readCalendar reads iCalendar (RFC 5545). An event gets the name of its first category, or else of the calendar.
// Its own title would not help: a single holiday occurs once per year, too rarely to learn from, but all holidays
// together are many. Cancelled events are left out.
func (l *list) readCalendar(content []byte, name string, zone *time.Location) error {
	calendar, err := ical.NewDecoder(bytes.NewReader(content)).Decode()
	if err != nil {
		return fmt.Errorf("iCalendar: %w", err)
	}
	if p := calendar.Props.Get("X-WR-CALNAME"); p != nil {
		name = cmp.Or(strings.TrimSpace(p.Value), name)
	}
	for _, e := range calendar.Events() {
		if status, err := e.Status(); err == nil && status == ical.EventCancelled {
			continue
		}
		if err := l.addOccurrences(&e, name, zone); err != nil {
			return fmt.Errorf("event %q: %w", text(&e, ical.PropSummary), err)
		}
	}
	return nil
}

func (l *list) addOccurrences(e *ical.Event, name string, zone *time.Location) error {
	if p := e.Props.Get(ical.PropCategories); p != nil {
		if names, err := p.TextList(); err == nil && len(names) > 0 {
			name = cmp.Or(strings.TrimSpace(names[0]), name)
		}
	}
	from, err := e.DateTimeStart(zone)
	if err != nil {
		return fmt.Errorf("DTSTART: %w", err)
	}
	to, err := e.DateTimeEnd(zone)
	if err != nil {
		return fmt.Errorf("DTEND: %w", err)
	}
	if len(e.Props["RDATE"]) > 0 || e.Props.Get(ical.PropRecurrenceID) != nil {
		return fmt.Errorf("RDATE and RECURRENCE-ID are not known; export the occurrences one by one")
	}
	option, err := e.Props.RecurrenceRule()
	if err != nil {
		return fmt.Errorf("RRULE: %w", err)
	}
	if option == nil {
		return l.add(name, from, to)
	}
	option.Dtstart = from
	rule, err := rrule.NewRRule(*option)
	if err != nil {
		return fmt.Errorf("RRULE: %w", err)
	}
	without, err := excluded(e, zone)
	if err != nil {
		return err
	}
	for next := rule.Iterator(); ; {
		start, ok := next()
		if !ok || start.Year() > lastYear {
			return nil
		}
		if without[start.Unix()] {
			continue
		}
		// The end follows the clock of the zone, not the number of hours.
		end := start.Add(to.Sub(from))
		_, offset := start.Zone()
		_, then := end.Zone()
		if err := l.add(name, start, end.Add(time.Duration(offset-then)*time.Second)); err != nil {
			return err
		}
	}
}

// excluded returns the times in EXDATE, in seconds since 1970 UTC.
func excluded(e *ical.Event, zone *time.Location) (map[int64]bool, error) {
	without := make(map[int64]bool)
	for _, p := range e.Props[ical.PropExceptionDates] {
		for part := range strings.SplitSeq(p.Value, ",") {
			one := p
			one.Value = part
			t, err := one.DateTime(zone)
			if err != nil {
				return nil, fmt.Errorf("EXDATE: %w", err)
			}
			without[t.Unix()] = true
		}
	}
	return without, nil
}

// text returns a property as text, "" if it is missing.
func text(e *ical.Event, property string) string {
	s, _ := e.Props.Text(property)
	return s
}
