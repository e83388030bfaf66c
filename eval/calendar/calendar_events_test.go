package calendar

import "testing"

// An event lasts from its beginning up to before its end, and each name is an input after
// the terms of the calendar.
func TestCalendarEvents(t *testing.T) {
	c, err := New([]string{"hour"}, "")
	if err != nil {
		t.Fatal(err)
	}
	before := c.Len()
	c = c.WithEvents([]Event{{"holiday", 100, 200}, {"holiday", 300, 400}, {"service", 150, 350}})
	if c.Len() != before+2 {
		t.Fatalf("%d inputs, want %d", c.Len(), before+2)
	}
	dst := make([]float64, c.Len())
	for at, want := range map[int64][2]float64{
		99: {0, 0}, 100: {1, 0}, 149: {1, 0}, 150: {1, 1}, 199: {1, 1}, 200: {0, 1}, 299: {0, 1}, 300: {1, 1}, 350: {1, 0}, 399: {1, 0}, 400: {0, 0},
	} {
		c.To(dst, at)
		if got := [2]float64(dst[before:]); got != want {
			t.Errorf("at %d: %v, want %v", at, got, want)
		}
	}
	if only := (Calendar{}).WithEvents([]Event{{"a", 0, 1}}); only.Len() != 1 {
		t.Errorf("%d inputs without terms", only.Len())
	}
}
