// Package timestamp reads and writes the times of samples: numbers in a unit since 1970, RFC 3339 and its short
// forms, dates in the order of a country, calendar forms such as 20260131, weeks, quarters, serial dates of
// spreadsheets, and layouts.
//
// A time is an int64: nanoseconds since 1970 UTC, in the years 1678 to 2261.
package timestamp
