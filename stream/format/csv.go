package format

import "github.com/orffvar/forecaster/stream"

// CSVConfig says what the columns of a CSV line are.
type CSVConfig struct {
	Header   []string // names of the columns; required
	Comma    byte     // between fields; 0 = ','
	Series   string   // column with the name of the series; "" = the key of the message
	Time     string   // column with the time; "" = the first column
	TimeUnit TimeUnit // of a time that is a number

	// Values are the columns with values, in order; nil = all others.
	Values []string

	// Missing are the spellings of a missing value besides the empty field;
	// nil = "NA", "null".
	Missing []string

	// MaxBytes limits a line. 0 means 1 MiB.
	MaxBytes int
}

// CSV decodes one line a message.
type CSV struct{}

// NewCSV returns a decoder.
func NewCSV(c CSVConfig) (*CSV, error) { panic("format: not yet") }

// Decode implements stream.Decoder. The record shares no memory with m, but its
// slices are reused by the next Decode.
func (d *CSV) Decode(r *stream.Record, m *stream.Message) error { panic("format: not yet") }
