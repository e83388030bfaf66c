package stream

import (
	"fmt"

	"github.com/orffvar/forecaster/stream/refuse"
)

// Message is one entry of a log, before decoding.
type Message struct {
	Topic     string // topic, or name of a file
	Partition int32  // negative: Topic is a file, and Offset+1 its line number
	Offset    int64
	Time      int64 // time of the log entry, ns since 1970 UTC; 0 = unknown
	Key       []byte
	Value     []byte
	Refused   *refuse.Error // the source could not deliver the message whole; it is not decoded
	Place     string        // file:line, for one of several files; "" = place given by Topic and Offset
}

// Origin returns the place of the message, as file:line or topic[partition]@offset.
func (m *Message) Origin() string {
	if m.Place != "" {
		return m.Place
	}
	if m.Partition < 0 {
		return fmt.Sprintf("%s:%d", m.Topic, m.Offset+1)
	}
	return fmt.Sprintf("%s[%d]@%d", m.Topic, m.Partition, m.Offset)
}

// Record is a sample of one series at one time, or a part of one.
type Record struct {
	Message *Message // message it was decoded from
	Series  string
	Time    int64     // time of the sample, ns since 1970 UTC
	Names   []string  // variable of each value, distinct; nil if the format has no names
	Values  []float64 // NaN = missing

	// Since are the start times of counters, ns since 1970 UTC, one per value. 0: no counter. 1: a counter with an
	// unknown start. Nil: no counters. assemble.Assembly.Rates turns counters into rates.
	Since []int64

	// Ahead marks a record with exogenous inputs that are known before their time. The record comes again when its
	// time has come.
	Ahead bool
}

// Series describes the series of a point. A Series is immutable: new variables make a new Series.
type Series struct {
	Name      string
	Variables []string // length dim
	Tags      []Tag    // ascending by key, see assemble.Config.Tags; nil = the only tag is id, the name
}

// Tag is a name and a value that belong to a series, such as its host. Outputs index tags.
type Tag struct{ Key, Value string }
