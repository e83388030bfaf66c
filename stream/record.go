package stream

import (
	"fmt"

	"github.com/orffvar/forecaster/stream/refuse"
)

// Message is one entry of a log, before decoding.
type Message struct {
	Topic     string // or the name of a file
	Partition int32  // negative: Topic is a file, and Offset+1 the line in it
	Offset    int64
	Time      int64 // of the log entry, ns since 1970 UTC; 0 = unknown
	Key       []byte
	Value     []byte
	Refused   *refuse.Error // the source could not deliver it whole: not to be decoded
	Place     string        // file:line of a line in one of several files; "" = that of Topic and Offset
}

// Origin says where the message stands, as file:line or topic[partition]@offset.
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
	Message *Message // what it was decoded from
	Series  string
	Time    int64     // of the sample, ns since 1970 UTC
	Names   []string  // variable of each value, no two alike; nil when the format has no names
	Values  []float64 // NaN = missing

	// Since are the times, ns since 1970 UTC, from which the values of counters count, 1 = unknown; 0 = no
	// counter. Nil: none is one. assemble.Assembly.Rates makes rates of them.
	Since []int64

	// Ahead: the exogenous inputs in the record are known before its time comes.
	// The record itself comes again later.
	Ahead bool
}

// Series describes the series of a point. A Series never changes: new variables make a new
// Series.
type Series struct {
	Name      string
	Variables []string // length dim
	Tags      []Tag    // ascending by key, see assemble.Config.Tags; nil = the name alone, as id
}

// Tag is a name and a value that belong to a series, such as its host. Outputs can search
// by tags.
type Tag struct{ Key, Value string }
