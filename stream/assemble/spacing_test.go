package assemble

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func ns(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixNano()
}

func TestMonthsAfter(t *testing.T) {
	for _, c := range []struct {
		from  string
		every Spacing
		h     int
		want  string
		exact bool // between finds h again from a neighbour of the target
	}{
		{"1959-01-01T00:00:00Z", months(3), 1, "1959-04-01T00:00:00Z", true},
		{"1959-10-01T00:00:00Z", months(3), 2, "1960-04-01T00:00:00Z", true},
		{"2026-01-31T06:30:00Z", months(1), 1, "2026-02-28T06:30:00Z", true},
		{"2026-02-28T06:30:00Z", months(1), 1, "2026-03-31T06:30:00Z", true}, // the last stays the last
		{"2024-02-29T00:00:00Z", months(12), 1, "2025-02-28T00:00:00Z", true},
		{"2026-01-30T00:00:00Z", months(1), 1, "2026-02-28T00:00:00Z", true},
		{"2026-01-15T12:00:00.5Z", months(1), 13, "2027-02-15T12:00:00.5Z", true},
		{"2026-01-15T00:00:00Z", Spacing(time.Hour), 5, "2026-01-15T05:00:00Z", true},
	} {
		from, want := ns(t, c.from), ns(t, c.want)
		if got := c.every.After(from, c.h); got != want {
			t.Errorf("%d steps of %d after %s: %s, want %s", c.h, c.every, c.from, time.Unix(0, got).UTC().Format(time.RFC3339Nano), c.want)
		}
		for _, shift := range []int64{0, c.every.Length() / 4, -c.every.Length() / 4} {
			if got := c.every.between(from, want+shift); got != int64(c.h) {
				t.Errorf("%d steps of %d after %s, shifted by %v: %d steps", c.h, c.every, c.from, time.Duration(shift), got)
			}
		}
	}
	if got := months(120).After(math.MaxInt64-1, 100); got != math.MaxInt64 {
		t.Errorf("past the end of time: %d", got)
	}
}

// The spacing is one of the calendar when all differences are, whatever they are in
// days; a gap does not change it, and anything irregular ends it.
func TestSpacingFindsTheCalendar(t *testing.T) {
	feed := func(times ...string) Spacing {
		var s spacingEstimate
		for i := 1; i < len(times); i++ {
			s.add(ns(t, times[i-1]), ns(t, times[i]))
		}
		return s.median(ns(t, times[len(times)-1]))
	}
	for _, c := range []struct {
		name  string
		want  Spacing
		times []string
	}{
		{"quarters", months(3), []string{"1959-01-01T00:00:00Z", "1959-04-01T00:00:00Z", "1959-07-01T00:00:00Z", "1959-10-01T00:00:00Z"}},
		{"months with a gap", months(1), []string{"2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z"}},
		{"ends of months", months(1), []string{"2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"}},
		{"years", months(12), []string{"2023-06-30T00:00:00Z", "2024-06-30T00:00:00Z"}},
		{"thirty days", Spacing(30 * 24 * time.Hour), []string{"2026-01-01T00:00:00Z", "2026-01-31T00:00:00Z", "2026-03-02T00:00:00Z"}},
		{"months, but not all", Spacing(31 * 24 * time.Hour), []string{"2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-05T00:00:00Z"}},
		{"hours", Spacing(time.Hour), []string{"2026-01-31T22:00:00Z", "2026-01-31T23:00:00Z", "2026-02-01T00:00:00Z"}},
	} {
		if got := feed(c.times...); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// The running median is that of the last differences, sorted again each time.
func TestSpacingMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s spacingEstimate
	var all []int64
	at := int64(0)
	for range 500 {
		d := r.Int64N(1000) + 1
		s.add(at, at+d)
		at += d
		all = append(all, d)
		last := slices.Clone(all[max(0, len(all)-spacings):])
		slices.Sort(last)
		if got, want := s.median(at), last[(len(last)-1)/2]; int64(got) != want {
			t.Fatalf("after %d differences: %d, want %d", len(all), got, want)
		}
	}
}

// TestWorkdays: the spacing of days without weekends follows the week, whatever its two free days
// and the holidays; one sample on a weekend ends it.
func TestWorkdays(t *testing.T) {
	for name, c := range map[string]struct {
		begin string
		free  [2]time.Weekday
		last  time.Weekday
	}{
		"Monday to Friday":             {"2026-01-05T00:00:00Z", [2]time.Weekday{time.Saturday, time.Sunday}, time.Friday},
		"at 23:00 of the day before":   {"2026-01-04T23:00:00Z", [2]time.Weekday{time.Friday, time.Saturday}, time.Thursday},
		"Sunday to Thursday, at eight": {"2026-01-04T08:00:00Z", [2]time.Weekday{time.Friday, time.Saturday}, time.Thursday},
		"Tuesday to Saturday":          {"2026-01-06T00:00:00Z", [2]time.Weekday{time.Sunday, time.Monday}, time.Saturday},
	} {
		at := time.Unix(0, ns(t, c.begin)).UTC()
		var days []int64 // of work, without a holiday
		for d := at; len(days) < 200; d = d.AddDate(0, 0, 1) {
			if d.Weekday() != c.free[0] && d.Weekday() != c.free[1] {
				days = append(days, d.UnixNano())
			}
		}
		var s spacingEstimate
		last := days[0]
		for i, d := range days[1:100] {
			if i%23 == 20 { // a holiday
				continue
			}
			s.add(last, d)
			last = d
			want := Spacing(day)
			if s.n >= fewestWorkdays {
				want = workdays + Spacing(c.last)
			}
			if got := s.median(d); got != want {
				t.Fatalf("%s, day %d: %d, want %d", name, i, got, want)
			}
		}
		every := workdays + Spacing(c.last)
		for from := range 20 {
			for h := range 100 {
				if got := every.After(days[from], h); got != days[from+h] {
					t.Fatalf("%s: %d days after %v: %v", name, h, time.Unix(0, days[from]).UTC(), time.Unix(0, got).UTC())
				}
			}
		}
		if got := every.After(math.MaxInt64-40*day, 30); got != math.MaxInt64 {
			t.Errorf("%s: %d at the end of time", name, got)
		}
		free := last
		for time.Unix(0, free).UTC().Weekday() != c.free[0] {
			free += day
		}
		s.add(last, free)
		if got := s.median(free); got != Spacing(day) {
			t.Errorf("%s, and a sample on a free day: %d", name, got)
		}
	}
}

// Ten spacings are apart, one ns less is not, and the whole range of times does not overflow.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		every    Spacing
		from, to int64
		want     bool
	}{
		{2, -5, 15, true}, {2, -5, 14, false}, {1, math.MinInt64, math.MaxInt64, true}, {math.MaxInt64, math.MinInt64, math.MaxInt64, false},
	} {
		if c.every.Apart(c.from, c.to) != c.want {
			t.Errorf("%d to %d every %d: want %t", c.from, c.to, c.every, c.want)
		}
	}
}
