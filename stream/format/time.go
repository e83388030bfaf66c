package format

// TimeUnit says how a time that is a number is read.
type TimeUnit string

// The units. A time that is text, or a JSON string, is RFC 3339 or one of its
// usual short forms (a blank for the T, no zone = UTC, no seconds, no time of day),
// whatever the unit.
const (
	// Auto takes the unit from the magnitude: below 1e11 seconds, below 1e14
	// milliseconds, below 1e17 microseconds, else nanoseconds.
	Auto         TimeUnit = ""
	Seconds      TimeUnit = "s"
	Milliseconds TimeUnit = "ms"
	Microseconds TimeUnit = "us"
	Nanoseconds  TimeUnit = "ns"
)

// ParseTime returns the time that text says in nanoseconds since 1970 UTC.
func ParseTime(text []byte, unit TimeUnit) (int64, error) { panic("format: not yet") }
