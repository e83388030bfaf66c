// Package plural writes a number with its noun: 1,234 rows.
package plural

import (
	"strconv"
	"strings"
)

// Noun returns the noun for n: variable or variables, anomaly or anomalies, day or days, series.
func Noun[N int | int64](n N, noun string) string {
	if n == 1 || noun == "series" {
		return noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.ContainsAny(stem[len(stem)-1:], "aeiou") {
		return stem + "ies"
	}
	return noun + "s"
}

// Count returns n with its Noun: 1 variable, 2,000 variables.
func Count[N int | int64](n N, noun string) string { return Thousands(n) + " " + Noun(n, noun) }

// Thousands returns n with separators: 1,234,567.
func Thousands[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
