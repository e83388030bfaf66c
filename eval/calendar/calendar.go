// Package calendar computes exogenous inputs from the time: cycles such as the hour of the day, and events.
package calendar

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// term is a calendar cycle.
type term string

// Calendar cycles.
const (
	hour    term = "hour"    // hour of the day
	weekday term = "weekday" // day of the week
	month   term = "month"   // month of the year
)

// Calendar computes inputs from the time. The zero value has no inputs.
type Calendar struct {
	terms []term
	zone  *time.Location

	events [][]Event // events per name
}

// Event is one occurrence of an event, in [From, To), ns since 1970 UTC.
type Event struct {
	Name     string
	From, To int64
}

// WithEvents returns a copy of c with one more input per event name: 1 during an event, otherwise 0. all must
// ascend by name, then by time. Events of one name must not overlap.
func (c Calendar) WithEvents(all []Event) Calendar {
	c.events = nil
	for i, e := range all {
		if i == 0 || e.Name != all[i-1].Name {
			c.events = append(c.events, nil)
		}
		last := len(c.events) - 1
		c.events[last] = append(c.events[last], e)
	}
	return c
}

// New returns a calendar with the named terms in a time zone of the IANA database, such as Europe/Rome; "" = UTC.
// The error names an unknown term or zone, or a repeated term.
func New(names []string, zone string) (Calendar, error) {
	var c Calendar
	var err error
	if c.zone, err = time.LoadLocation(zone); err != nil {
		return Calendar{}, fmt.Errorf("calendar: %w", err)
	}
	for _, name := range names {
		t := term(name)
		if t.harmonics() == 0 {
			return Calendar{}, fmt.Errorf("calendar: a calendar term is hour, weekday or month, got %q", name)
		}
		for _, other := range c.terms {
			if other == t {
				return Calendar{}, fmt.Errorf("calendar: the calendar has %s twice", name)
			}
		}
		c.terms = append(c.terms, t)
	}
	return c, nil
}

// harmonics returns the number of cosines, and of sines, of a term. It suffices for a morning and an evening, for
// seven different days, and for four seasons.
func (t term) harmonics() int {
	switch t {
	case hour, weekday:
		return 3
	case month:
		return 2
	}
	return 0
}

// Len returns the number of inputs.
func (c Calendar) Len() int {
	n := len(c.events)
	for _, t := range c.terms {
		n += 2 * t.harmonics()
	}
	return n
}

// To writes the inputs at a time, ns since 1970 UTC, into dst, of length Len.
func (c Calendar) To(dst []float64, ns int64) {
	for k, all := range c.events {
		next, _ := slices.BinarySearchFunc(all, ns+1, func(e Event, ns int64) int { return cmp.Compare(e.To, ns) })
		v := 0.
		if next < len(all) && all[next].From <= ns {
			v = 1
		}
		dst[len(dst)-len(c.events)+k] = v
	}
	if len(c.terms) == 0 {
		return
	}
	t := time.Unix(0, ns).In(c.zone)
	day := float64(t.Hour()) + float64(t.Minute())/60 + float64(t.Second())/3600
	i := 0
	for _, term := range c.terms {
		var phase float64
		switch term {
		case hour:
			phase = day / 24
		case weekday:
			phase = float64(t.Weekday()) / 7 // constant within a day, so that Sunday ends at midnight
		case month:
			phase = float64(t.YearDay()-1) / 365.2425
		}
		for k := 1; k <= term.harmonics(); k++ {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) * phase)
			dst[i], dst[i+1] = cos, sin
			i += 2
		}
	}
}
