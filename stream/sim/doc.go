// Package sim provides a source of synthetic data: the generators of package eval/simulate as a stream of messages.
package sim
