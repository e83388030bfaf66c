// Package plural writes a number with its noun.
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

// Count returns n with its Noun: 1 variable, 2 variables.
func Count[N int | int64](n N, noun string) string {
	return strconv.FormatInt(int64(n), 10) + " " + Noun(n, noun)
}
