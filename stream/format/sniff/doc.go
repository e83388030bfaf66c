// Package sniff finds how a file of CSV or JSON lines is written, from its first lines: the
// separator, the header, the form of numbers and times, and the columns of the times and the
// series. Each decision is an Assumption, with the setting that makes it explicit.
package sniff
