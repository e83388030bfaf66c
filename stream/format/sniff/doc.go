// Package sniff finds the format of a CSV file or of JSON lines from the first lines: the separator, the header, the
// form of numbers and times, and the columns of times and series. Each decision is an Assumption, with the setting
// that makes it explicit.
package sniff
