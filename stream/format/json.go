package format

import "github.com/orffvar/forecaster/stream"

// JSONConfig says where a JSON message has what. Paths are names of fields
// joined by dots.
type JSONConfig struct {
	Series   string   // path of the name of the series; "" = the key of the message
	Time     string   // path of the time; "" = "time"
	Values   string   // path of the object or array of values; "" = "values"
	TimeUnit TimeUnit // of a time that is a number

	// MaxBytes, MaxDepth and MaxDim limit a message, its nesting and its values.
	// 0 means the default.
	MaxBytes int // 1 MiB
	MaxDepth int // 8
	MaxDim   int // 1,024
}

// JSON decodes one object a message:
//
//	{"time": "2026-01-01T00:00:00Z", "values": {"cpu": 0.5, "mem": 0.7}}
//	{"time": 1767225600, "values": [0.5, null, 0.7]}
type JSON struct{}

// NewJSON returns a decoder.
func NewJSON(c JSONConfig) (*JSON, error) { panic("format: not yet") }

// Decode implements stream.Decoder. The record shares no memory with m, but its
// slices are reused by the next Decode.
func (d *JSON) Decode(r *stream.Record, m *stream.Message) error { panic("format: not yet") }
