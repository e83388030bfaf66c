package assemble

import "time"

// Fill is the rule for a variable without a value in a row.
type Fill string

// Rules for a variable without a value. A value repeated by FillLast counts as observed, also in the scores:
// FillLast is for sources that report a value only when it changes.
const (
	FillNone Fill = "none" // a missing value
	FillLast Fill = "last" // the last value, for at most MaxGap rows
)

// Aggregate is the rule for several values of one variable in one row.
type Aggregate string

// Rules for several values.
const (
	AggregateLatest Aggregate = "latest" // the latest; of values at one time, the last to arrive
	AggregateMean   Aggregate = "mean"   // the mean, for a variable sampled more often than it is forecast
)

// Assembly joins records that each hold a part of a sample, such as one variable per message, in any order.
//
// Rows of a series lie at the multiples of Config.Interval since 1970. A value belongs to the row nearest to its
// time. A row closes, and becomes a sample,
//
//   - as soon as it is complete and the row before it is closed (unless WaitForLate),
//   - or when a value of the series arrives whose time is at least Wait after the end of the
//     row. A row ends half an interval after its time.
//
// A value for a closed row is refused as Late. The first row of a series closes one interval later than others,
// because its variables are collected until then. So the variables are complete even if reading began within an
// interval.
//
// Only the times of records count, not their arrival. Any order of the records within Wait gives the same rows if
// no two values of a variable have the same time; a mean is the same up to rounding. A row stays open until a later
// value of its series arrives.
type Assembly struct {
	Wait        time.Duration
	WaitForLate bool      // complete rows wait, too, for further values of a variable
	Fill        Fill      // empty means FillNone
	Aggregate   Aggregate // empty means AggregateLatest; AggregateMean needs WaitForLate
	Rates       bool      // counters, see Record.Since, become rates per second; excludes AggregateMean
}

// longestRow is the largest Interval and Wait. It keeps times from overflowing.
const longestRow = 10 * 365 * 24 * time.Hour

// maxOpenRows is the largest Wait, in intervals.
const maxOpenRows = 10_000
