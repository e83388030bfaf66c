package config

import (
	"time"

	"github.com/orffvar/forecaster/internal/plural"
)

const day = 24 * time.Hour

// SpacingText is a duration in words: 1h, 7 days, 3 months.
func SpacingText(d time.Duration) string {
	if n := NearMonths(d); n > 0 {
		return plural.Count(n, "month")
	}
	if d > 0 && d%day == 0 {
		return plural.Count(int(d/day), "day")
	}
	return ShortDuration(d)
}

// NearMonths returns the months of the calendar that a spacing of whole days may be, up to a
// year; 0 = none. Months differ in length, so two days more or less are allowed.
func NearMonths(d time.Duration) int {
	if d%day != 0 {
		return 0
	}
	days := int(d / day)
	for n := 1; n <= 12; n++ {
		if days >= max(28, n*365/12-2) && days <= min(31*n, n*61/2+2) {
			return n
		}
	}
	return 0
}
