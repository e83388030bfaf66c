package assemble

import (
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// Spacing is the time from one sample to the next. Positive: nanoseconds. Negative: calendar months, or one of the
// workdays. 0: unknown.
type Spacing int64

// months returns a spacing of n months.
func months(n int) Spacing { return Spacing(-n) }

// After returns the time h samples after t, or math.MaxInt64 beyond the range of times. Months keep the day and the
// time of day, in UTC. The last day of a month stays the last day, and a day that a month lacks becomes its last
// day.
func (s Spacing) After(t int64, h int) int64 {
	if s.isWorkdays() {
		return s.afterWorkdays(t, h)
	}
	if s.Length() > (math.MaxInt64-max(t, 0))/int64(max(h, 1)) {
		return math.MaxInt64
	}
	if s >= 0 {
		return t + int64(h)*int64(s)
	}
	from := time.Unix(0, t).UTC()
	first := time.Date(from.Year(), from.Month()+time.Month(h*int(-s)), 1, 0, 0, 0, 0, time.UTC)
	day := min(from.Day(), daysIn(first))
	if lastDay(from) {
		day = daysIn(first)
	}
	clock := t - time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, time.UTC).UnixNano()
	return first.AddDate(0, 0, day-1).UnixNano() + clock
}

// between returns the number of samples between two times, rounded to the nearest. The spacing must not be
// workdays, which are only estimated, never configured.
func (s Spacing) between(from, to int64) int64 {
	if s > 0 {
		n, rest := (to-from)/int64(s), (to-from)%int64(s)
		if rest >= int64(s)-int64(s)/2 {
			n++
		}
		return n
	}
	n := (to - from) / s.Length()
	for s.After(from, int(n)) > to {
		n--
	}
	for {
		at, next := s.After(from, int(n)), s.After(from, int(n+1))
		if to-at < next-to {
			return n
		}
		n++
	}
}

// Length returns the length of a spacing in ns, the average length for months and workdays.
func (s Spacing) Length() int64 {
	switch {
	case s >= 0:
		return int64(s)
	case s.isWorkdays():
		return day
	}
	return int64(-s) * int64(24*time.Hour) * 365 / 12
}

func daysIn(t time.Time) int { return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() }

func lastDay(t time.Time) bool { return t.Day() == daysIn(t) }

// monthsBetween returns the n in [1, longestMonths] with months(n).After(from, 1) = to, or 0 if there is none.
func monthsBetween(from, to int64) int64 {
	a, b := time.Unix(0, from).UTC(), time.Unix(0, to).UTC()
	n := 12*(b.Year()-a.Year()) + int(b.Month()) - int(a.Month())
	if n <= 0 || n > longestMonths || months(n).After(from, 1) != to {
		return 0
	}
	return int64(n)
}

// longestMonths is the largest spacing in months: ten years.
const longestMonths = 120

// spacings is the number of differences in the median. It is small, so that the estimate soon follows a change of
// the rate.
const spacings = 31

// spacingEstimate is the running median of the differences between sample times. It is in months if all differences
// are whole months.
type spacingEstimate struct {
	ring     [spacings]int64 // differences, in order of arrival
	calendar [spacings]int64 // differences in months, 0 = not a whole number of months
	sorted   [spacings]int64 // differences in ascending order
	n, at    int             // number of differences, and index in ring of the next one
}

// add adds the difference between two consecutive sample times.
func (s *spacingEstimate) add(from, to int64) {
	d := to - from
	if s.n < spacings || s.ring[s.at] != d { // otherwise an equal difference leaves
		if s.n == spacings {
			i, _ := slices.BinarySearch(s.sorted[:], s.ring[s.at])
			copy(s.sorted[i:], s.sorted[i+1:])
			s.n--
		}
		i, _ := slices.BinarySearch(s.sorted[:s.n], d)
		copy(s.sorted[i+1:s.n+1], s.sorted[i:s.n])
		s.sorted[i] = d
		s.n++
	}
	s.ring[s.at] = d
	s.calendar[s.at] = 0
	if d >= 28*int64(24*time.Hour) {
		s.calendar[s.at] = monthsBetween(from, to)
	}
	s.at = (s.at + 1) % spacings
}

// median returns the lower median of the differences, 0 before the first. It returns workdays if the median is a
// day and no sample lies on a weekend. last is the time of the last sample.
func (s *spacingEstimate) median(last int64) Spacing {
	if s.n == 0 {
		return 0
	}
	if slices.Contains(s.calendar[:s.n], 0) {
		d := s.sorted[(s.n-1)/2]
		if d == day {
			if w, ok := s.workdays(last); ok {
				return w
			}
		}
		return Spacing(d)
	}
	all := s.calendar
	slices.Sort(all[:s.n])
	return months(int(all[(s.n-1)/2]))
}

func (s *spacingEstimate) state(c *snapshot.Codec) {
	c.Index(&s.n, spacings+1)
	c.Index(&s.at, spacings)
	for i := range s.n {
		c.Int64(&s.ring[i])
		c.Int64(&s.calendar[i])
		if c.Err() == nil && (s.calendar[i] < 0 || s.calendar[i] > longestMonths) {
			c.Fail("a difference of %d months", s.calendar[i])
		}
	}
	if c.Decoding() {
		s.sorted = s.ring
		slices.Sort(s.sorted[:s.n])
	}
}
