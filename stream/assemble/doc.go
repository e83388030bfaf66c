// Package assemble makes samples of records: it decides which records may be learnt from,
// joins parts of a sample in rows on the time grid, estimates the spacing of a series, fills
// gaps and keeps exogenous inputs.
//
// An Assembler has no clock, no goroutine and does no I/O. Its samples are a function of its
// Config and of the records.
package assemble
