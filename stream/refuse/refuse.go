// Package refuse defines the reasons for which data is refused, and the error for a refused message.
package refuse

import "fmt"

// Reason is the reason for which a record was not learnt, or a point not written.
type Reason string

// Reasons. Each has its own count in the metrics.
const (
	Malformed Reason = "malformed"  // the message could not be decoded
	NonFinite Reason = "non_finite" // an infinite value, or one beyond the limit
	Dimension Reason = "dimension"  // variables differ from those of the series
	Late      Reason = "late"       // time before the last record of the series
	Duplicate Reason = "duplicate"  // same time as the last record
	Future    Reason = "future"     // time too far ahead of the time of the message
	TooLarge  Reason = "too_large"  // a limit on size was exceeded
	TooMany   Reason = "too_many"   // a limit on the number of series was exceeded
	Memory    Reason = "memory"     // a new series would exceed the memory for models
	Rejected  Reason = "rejected"   // the sink refused the point permanently
)

// Reasons lists every Reason.
var Reasons = []Reason{Malformed, NonFinite, Dimension, Late, Duplicate, Future, TooLarge, TooMany, Memory, Rejected}

// Error is the error for a refused message. Refused messages are counted and stored as dead letters, and reading
// continues.
type Error struct {
	Reason Reason
	Detail string // mistake, its place, and the expected value
	Facts
}

// Facts describe the mistake in a message.
type Facts struct {
	Fault        Fault  // "" = no Fault applies
	Cell, Column string // cell with the mistake and its column, if it is one cell
	Remedy       string // remedy at the end of Detail; "" = none
	Spacing      int64  // of a Duplicate: time between samples of its series, ns or minus calendar months; 0 = not known
}

// Fault is a kind of mistake in a malformed message.
type Fault string

// Faults with remedies of their own.
const (
	WrongFields Fault = "fields" // more or fewer fields than the header
	NotNumber   Fault = "number" // cell that is not a number
	NotTime     Fault = "time"   // cell that is not a time
	NotObject   Fault = "object" // message that is not one JSON object
)

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Reason, e.Detail) }

// New returns an Error with a formatted Detail.
func New(reason Reason, format string, args ...any) *Error {
	return &Error{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}
