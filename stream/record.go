package stream

// Message is one entry of a log, before decoding.
type Message struct {
	Topic     string
	Partition int32
	Offset    int64
	Time      int64 // of the log entry, ns since 1970 UTC; 0 = unknown
	Key       []byte
	Value     []byte
}

// Record is one decoded sample of one series.
type Record struct {
	Message *Message // what it was decoded from
	Series  string
	Time    int64     // of the sample, ns since 1970 UTC
	Names   []string  // variable of each value; nil when the format has no names
	Values  []float64 // NaN = missing
}

// Series describes the series that a point belongs to.
type Series struct {
	Name      string
	Variables []string // length dim
}
