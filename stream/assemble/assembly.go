package assemble

import "time"

// Fill is the rule for a variable without a value in a row.
type Fill string

// The rules. A value that FillLast repeats counts as observed, in the scores as well: it
// is for sources that report a value when it changes.
const (
	FillNone Fill = "none" // a missing value
	FillLast Fill = "last" // the last value, for at most MaxGap rows
)

// Aggregate is the rule for several values of one variable in a row.
type Aggregate string

// The rules.
const (
	AggregateLatest Aggregate = "latest" // the latest; among values of one time, the last to arrive
	AggregateMean   Aggregate = "mean"   // their mean, for a variable that is sampled more often than it is forecast
)

// Assembly joins records that each have a part of a sample: a variable per
// message, or several messages per sample, in any order.
//
// The rows of a series stand at the multiples of Config.Interval since 1970. A
// value belongs to the row nearest to its time. A row closes, and is a sample then,
//
//   - as soon as it is complete, when the row before it is closed (unless WaitForLate),
//   - or when a value of the series has arrived whose time is Wait after the end of the
//     row, which lies half an interval after its time.
//
// A value for a closed row is refused as Late. The variables of a series are collected
// until its first row closes, one interval later than other rows: so the list is complete
// even if reading began within an interval.
//
// The rows of a series are a function of its records: only their times count. Any order
// of the records within Wait gives the same rows if no two values of a variable have the
// same time; a mean is the same up to rounding. A row stays open until a later value of
// its series arrives.
type Assembly struct {
	Wait        time.Duration
	WaitForLate bool      // a complete row waits, too: for more than one value of a variable in a row
	Fill        Fill      // empty means FillNone
	Aggregate   Aggregate // empty means AggregateLatest; AggregateMean needs WaitForLate
	Rates       bool      // counters, see Record.Since, become rates per second; excludes AggregateMean
}

// longestRow bounds Interval and Wait, so that no time overflows.
const longestRow = 10 * 365 * 24 * time.Hour

// maxOpenRows is the largest number of intervals in Wait.
const maxOpenRows = 10_000
