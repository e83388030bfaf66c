// Package plural writes a number with its noun.
package plural

import "strconv"

// Noun returns the noun for n: variable or variables. The plural ends with s.
func Noun[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return noun
}

// Count returns n with its Noun: 1 variable, 2 variables.
func Count[N int | int64](n N, noun string) string {
	return strconv.FormatInt(int64(n), 10) + " " + Noun(n, noun)
}
