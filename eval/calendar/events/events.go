package events

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/eval/calendar"
)

// Limits for one file.
const (
	maxBytes       = 4 << 20
	maxNames       = 16
	maxOccurrences = 50_000
)

// lastYear is the last year of repeated events.
const lastYear = 2100

// Read reads a file of events: iCalendar if its name ends in .ics, otherwise CSV. zone applies to times without a
// zone. Occurrences ascend by name, then by time. Events of one name do not overlap.
func Read(path string, zone *time.Location) ([]calendar.Event, error) {
	f, err := os.Open(path) // #nosec G304 -- the user has named it
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxBytes {
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxBytes)
	}
	l := &list{}
	if strings.EqualFold(filepath.Ext(path), ".ics") {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		err = l.readCalendar(content, name, zone)
	} else {
		err = l.readCSV(content, zone)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(l.all) == 0 {
		return nil, fmt.Errorf("%s has no events", path)
	}
	return l.merged(), nil
}

// Names returns the distinct names of events, ascending.
func Names(all []calendar.Event) []string {
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// list collects events.
type list struct {
	all   []calendar.Event
	names map[string]bool
}

func (l *list) add(name string, from, to time.Time) error {
	switch {
	case name == "":
		return fmt.Errorf("an event without a name")
	case !from.Before(to):
		return fmt.Errorf("event %q from %s ends at %s, which is not later", name, from.Format(time.RFC3339), to.Format(time.RFC3339))
	case from.Year() < 1700 || to.Year() > 2250:
		return fmt.Errorf("event %q from %s to %s is not between 1700 and 2250", name, from.Format(time.RFC3339), to.Format(time.RFC3339))
	case len(l.all) == maxOccurrences:
		return fmt.Errorf("more than %d occurrences; leave out old ones, or end repeated events with UNTIL", maxOccurrences)
	}
	if l.names == nil {
		l.names = make(map[string]bool)
	}
	if l.names[name] = true; len(l.names) > maxNames {
		return fmt.Errorf("more than %d names, of which each is an input of the model: give events that act alike one name, such as holiday", maxNames)
	}
	l.all = append(l.all, calendar.Event{Name: name, From: from.UnixNano(), To: to.UnixNano()})
	return nil
}

// merged returns the events, sorted, after joining events of one name that overlap or touch.
func (l *list) merged() []calendar.Event {
	slices.SortFunc(l.all, func(a, b calendar.Event) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return int(min(max(a.From-b.From, -1), 1))
	})
	out := l.all[:1]
	for _, e := range l.all[1:] {
		if last := &out[len(out)-1]; last.Name == e.Name && e.From <= last.To {
			last.To = max(last.To, e.To)
		} else {
			out = append(out, e)
		}
	}
	return out
}
