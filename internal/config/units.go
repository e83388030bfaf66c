package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes, written as 512, 64KiB, 1MiB or 10MB.
type Size int64

var sizeUnits = []struct {
	name   string
	factor int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
}

// ParseSize parses a size.
func ParseSize(s string) (Size, error) {
	number, factor := strings.TrimSpace(s), int64(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = strings.TrimSpace(n), u.factor
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("must be a size such as 64KiB or 1MiB, got %q", s)
	}
	return Size(n * factor), nil
}

// String returns the size in the largest binary unit that divides it.
func (s Size) String() string {
	for i := 2; i >= 0; i-- {
		if u := sizeUnits[i]; s >= Size(u.factor) && s%Size(u.factor) == 0 {
			return strconv.FormatInt(int64(s)/u.factor, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalYAML returns the text that ParseSize parses.
func (s Size) MarshalYAML() ([]byte, error) { return []byte(s.String()), nil }

// ShortDuration returns the text of a duration without trailing units of 0: 1h for 1h0m0s.
func ShortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Interval is a time between samples. Positive: nanoseconds. Negative: minus the number of calendar months.
type Interval int64

var calendarIntervals = []struct {
	name   string
	months int
}{{"month", 1}, {"quarter", 3}, {"year", 12}}

// parseInterval parses a duration, or month, quarter or year.
func parseInterval(s string) (Interval, error) {
	for _, c := range calendarIntervals {
		if s == c.name {
			return Interval(-c.months), nil
		}
	}
	d, err := time.ParseDuration(s) // ParseDuration accepts "0" without a unit
	if err != nil || d < 0 {
		return 0, fmt.Errorf("must be a duration such as 5s or 1h30m, or month, quarter or year, got %q", s)
	}
	return Interval(d), nil
}

// Fixed returns the interval as a duration, or 0 for calendar months.
func (i Interval) Fixed() time.Duration { return time.Duration(max(i, 0)) }

// Months returns the number of calendar months, or 0 for a duration.
func (i Interval) Months() int { return int(max(-i, 0)) }

// String returns the text that parseInterval parses.
func (i Interval) String() string {
	for _, c := range calendarIntervals {
		if i.Months() == c.months {
			return c.name
		}
	}
	return i.Fixed().String()
}

// Short is String with ShortDuration.
func (i Interval) Short() string {
	if i > 0 {
		return ShortDuration(i.Fixed())
	}
	return i.String()
}

// MarshalYAML returns the text that parseInterval parses.
func (i Interval) MarshalYAML() ([]byte, error) { return []byte(i.String()), nil }

// Ridge is a ridge penalty; 0: auto.
type Ridge float64

// parseRidge parses a number or auto.
func parseRidge(s string) (Ridge, error) {
	if s == "auto" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("must be a number > 0, or auto, got %q", s)
	}
	return Ridge(v), nil
}

// Penalty returns the penalty. auto is sqrt(n) for the n = 1/(1 - forgetting) samples that a model remembers: n lambda,
// with lambda = 1/sqrt(n) (Rudi, Camoriano and Rosasco).
func (r Ridge) Penalty(forgetting float64) float64 {
	if r == 0 {
		return 1 / math.Sqrt(1-forgetting)
	}
	return float64(r)
}

// String returns the text that parseRidge parses.
func (r Ridge) String() string {
	if r == 0 {
		return "auto"
	}
	return strconv.FormatFloat(float64(r), 'g', -1, 64)
}

// MarshalYAML returns the text that parseRidge parses.
func (r Ridge) MarshalYAML() ([]byte, error) { return []byte(r.String()), nil }
