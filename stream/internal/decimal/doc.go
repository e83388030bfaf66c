// Package decimal parses and formats float64 as decimal text. Its results equal those of strconv. For typical
// measurements and forecasts it takes less than half the time; other numbers go to strconv.
package decimal
