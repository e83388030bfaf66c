package calendar

import (
	"math"
	"testing"
	"time"
)

func TestCalendar(t *testing.T) {
	if _, err := New([]string{"hour", "day"}, ""); err == nil {
		t.Error("day is no term")
	}
	if _, err := New([]string{"hour", "hour"}, ""); err == nil {
		t.Error("hour twice")
	}
	c, err := New([]string{"hour", "weekday", "month"}, "")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) []float64 {
		t.Helper()
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		u := make([]float64, c.Len())
		c.To(u, when.UnixNano())
		return u
	}
	near := func(a, b []float64) bool {
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-9 { // rounding of angles
				return false
			}
		}
		return true
	}
	monday := at("2026-01-05T06:00:00Z")
	if !near(monday[:6], []float64{0, 1, -1, 0, 0, -1}) {
		t.Errorf("six o'clock: %v", monday[:6])
	}
	if next := at("2026-01-12T06:00:00Z"); !near(next[:12], monday[:12]) || near(next[12:], monday[12:]) {
		t.Errorf("a week later: %v, was %v", next, monday)
	}
	if same := at("2026-01-05T08:00:00+02:00"); !near(same, monday) {
		t.Errorf("the same time elsewhere: %v, want %v", same, monday)
	}
	if _, err := New(nil, "Europe/Atlantis"); err == nil {
		t.Error("a zone that does not exist")
	}
	local, err := New([]string{"hour"}, "Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	summer := make([]float64, local.Len())
	local.To(summer, time.Date(2026, 7, 1, 4, 0, 0, 0, time.UTC).UnixNano()) // six o'clock there
	if !near(summer, monday[:6]) {
		t.Errorf("six o'clock in Rome: %v, want %v", summer, monday[:6])
	}
	seen := make(map[float64]bool) // seven different days
	for d := range 7 {
		seen[math.Round(1e6*at("2026-01-0" + string(rune('1'+d)) + "T00:00:00Z")[6])*1000+math.Round(1e6*at("2026-01-0" + string(rune('1'+d)) + "T00:00:00Z")[7])] = true
	}
	if len(seen) != 7 {
		t.Errorf("%d different days", len(seen))
	}
}
