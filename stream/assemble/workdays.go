package assemble

import (
	"math"
	"time"
)

const (
	day = int64(24 * time.Hour)

	// workdays is the spacing of five days per week. The last workday of a week, in UTC, is added to it: Friday in
	// most countries, Thursday if local midnight falls on the previous day in UTC.
	workdays = Spacing(math.MinInt64)

	// fewestWorkdays is the number of differences between consecutive workdays that is certain to span two
	// weekends.
	fewestWorkdays = 11
)

func (s Spacing) isWorkdays() bool { return s < workdays+7 }

// afterWorkdays returns the time h workdays after t, or math.MaxInt64 beyond the range of times.
func (s Spacing) afterWorkdays(t int64, h int) int64 {
	n := int64(h)
	before := (int64(s-workdays) - int64(time.Unix(0, t).UTC().Weekday()) + 7) % 7 // workdays until the weekend
	if n > before {
		n += 2 * (1 + (n-before-1)/5)
	}
	if n > (math.MaxInt64-max(t, 0))/day {
		return math.MaxInt64
	}
	return t + n*day
}

// workdays reports whether all samples of the kept differences, up to the time last, lie on the same five consecutive
// days of the week, and on each of them.
func (s *spacingEstimate) workdays(last int64) (Spacing, bool) {
	if s.n < fewestWorkdays {
		return 0, false
	}
	var on [7]bool
	for i := range s.n {
		on[time.Unix(0, last).UTC().Weekday()] = true
		last -= s.ring[(s.at-1-i+2*spacings)%spacings]
	}
	on[time.Unix(0, last).UTC().Weekday()] = true
	for d := range on {
		if on[d] && !on[(d+1)%7] && !on[(d+2)%7] && on[(d+3)%7] && on[(d+4)%7] && on[(d+5)%7] && on[(d+6)%7] {
			return workdays + Spacing(d), true
		}
	}
	return 0, false
}
