package stream

import "time"

// Fill says what stands in a row for a variable of which nothing has arrived.
type Fill string

// The rules. A value carried on counts as observed, in the scores as well: FillLast is
// for sources that report a value when it changes.
const (
	FillNone Fill = "none" // a missing value
	FillLast Fill = "last" // the last value, for at most MaxGap rows
)

// Aggregate says what several values of one variable in a row become.
type Aggregate string

// The rules.
const (
	AggregateLatest Aggregate = "latest" // the latest; among those of one time, the one that arrived last
	AggregateMean   Aggregate = "mean"   // their mean, for a variable that is sampled more often than it is forecast
)

// Assembly makes samples of records that have a part of one each: a variable per
// message, or several messages per sample, in any order.
//
// The rows of a series stand at the multiples of AssemblerConfig.Interval since 1970. A
// value belongs to the row nearest to its time. A row closes, and is a sample then,
//
//   - as soon as it is complete, when the row before it is closed (unless WaitForLate),
//   - or when a value of the series has arrived whose time is Wait after the end of the
//     row, which lies half an interval after its time.
//
// What arrives for a closed row is Late. Until the first row of a series closes, which
// takes one interval more, the variables of the series are collected: they are those of
// a whole interval, even if reading began within one.
//
// Only the times in the records count, so the rows of a series are a function of its
// records. Any order of these within Wait gives the same rows if no two values of a
// variable have the same time; a mean is the same up to rounding. A row whose time has
// come stays open until a later value of its series arrives.
type Assembly struct {
	Wait        time.Duration
	WaitForLate bool      // a complete row waits, too: for more than one value of a variable in a row
	Fill        Fill      // empty means FillNone
	Aggregate   Aggregate // empty means AggregateLatest; AggregateMean needs WaitForLate
}

// longestRow bounds Interval and Wait, so that no time overflows.
const longestRow = 10 * 365 * 24 * time.Hour

// maxOpenRows is the largest number of intervals in Wait.
const maxOpenRows = 10_000
