package assemble

import (
	"math"
	"time"
)

const (
	day = int64(24 * time.Hour)

	// workdays is the spacing of days without weekends, of which the last one before a weekend,
	// in UTC, is added: Friday in most countries, Thursday where a local midnight is the day
	// before in UTC.
	workdays = Spacing(math.MinInt64)

	// fewestWorkdays is the number of differences between days of work that span two weekends.
	fewestWorkdays = 11
)

func (s Spacing) isWorkdays() bool { return s < workdays+7 }

// afterWorkdays returns the time h days of work after t, or the end of time.
func (s Spacing) afterWorkdays(t int64, h int) int64 {
	n := int64(h)
	before := (int64(s-workdays) - int64(time.Unix(0, t).UTC().Weekday()) + 7) % 7 // days of work until the weekend
	if n > before {
		n += 2 * (1 + (n-before-1)/5)
	}
	if n > (math.MaxInt64-max(t, 0))/day {
		return math.MaxInt64
	}
	return t + n*day
}

// workdays reports whether the samples until last were on five days of the week, and never on the
// two behind these.
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
