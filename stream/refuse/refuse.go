// Package refuse has the reasons for which data is not used, and the error of one message.
package refuse

import "fmt"

// Reason says why a record was not learnt from, or a point not written.
type Reason string

// The reasons. Each has its own count in the metrics.
const (
	Malformed Reason = "malformed"  // could not be decoded
	NonFinite Reason = "non_finite" // an infinite value, or one beyond the limit
	Dimension Reason = "dimension"  // other variables than the series has
	Late      Reason = "late"       // older than the last record of the series
	Duplicate Reason = "duplicate"  // the same time as the last record
	Future    Reason = "future"     // too far ahead of the time of its message
	TooLarge  Reason = "too_large"  // a limit on size was exceeded
	TooMany   Reason = "too_many"   // a limit on the number of series was exceeded
	Memory    Reason = "memory"     // a new series would exceed the memory for models
	Rejected  Reason = "rejected"   // the sink refused the point for good
)

// Reasons lists every Reason.
var Reasons = []Reason{Malformed, NonFinite, Dimension, Late, Duplicate, Future, TooLarge, TooMany, Memory, Rejected}

// Error refuses a message. Refused messages are counted and kept as dead letters, and reading goes on.
type Error struct {
	Reason Reason
	Detail string // the mistake, its place, and the expected value
	Facts
}

// Facts describe a message that cannot be used.
type Facts struct {
	Fault        Fault  // "" = none of those that have a name
	Cell, Column string // where it is, if it is one cell
	Remedy       string // end of Detail that says what helps; "" = Detail does not say it
}

// Fault names the mistake in a malformed message.
type Fault string

// The faults that have remedies of their own.
const (
	WrongFields Fault = "fields" // more or fewer than the header has
	NotNumber   Fault = "number" // a cell
	NotTime     Fault = "time"   // a cell
	NotObject   Fault = "object" // a message that is not one object of JSON
)

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Reason, e.Detail) }

// New returns an Error with a formatted Detail.
func New(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}
