package config

import (
	"time"

	"github.com/orffvar/forecaster/internal/plural"
)

const day = 24 * time.Hour

// SpacingText returns a duration in words: 1h, 7 days, 3 months.
func SpacingText(d time.Duration) string {
	if n := NearMonths(d); n > 0 {
		return plural.Count(n, "month")
	}
	if d > 0 && d%day == 0 {
		return plural.Count(int(d/day), "day")
	}
	return ShortDuration(d)
}

// NearMonths returns the number of calendar months, up to 12, that a spacing of whole days can be; 0: none. Months
// differ in length: the tolerance is two days.
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
