// Package assemble makes samples from records. It refuses invalid records, joins parts of a sample into rows on the
// time grid, estimates the spacing of a series, fills gaps and keeps exogenous inputs.
//
// An Assembler has no clock, no goroutine and no I/O. Its samples are a function of its Config and of the records.
package assemble
