// Package format decodes messages into records: JSON objects, lines of CSV and of
// InfluxDB's line protocol.
//
// A decoder reuses its memory; those of JSON and CSV allocate nothing once they
// have seen the names of the variables. It is not safe for concurrent use.
package format

import (
	"fmt"

	"github.com/orffvar/forecaster/stream"
)

const (
	defaultMaxBytes = 1 << 20
	defaultMaxDepth = 8
	defaultMaxDim   = 1024
)

func refuse(reason stream.Reason, format string, args ...any) *stream.DataError {
	return &stream.DataError{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// clip shortens text for a message.
func clip(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}

// interner returns the same string for the same bytes, so that the name of a
// series or variable is allocated once. It forgets all when there are too many.
type interner struct {
	strings map[string]string
	last    string // as a rule, the next one
}

const maxInterned = 1 << 18

func newInterner() *interner { return &interner{strings: make(map[string]string)} }

func (in *interner) get(b []byte) string {
	if in.last == string(b) {
		return in.last
	}
	s, ok := in.strings[string(b)]
	if !ok {
		if len(in.strings) >= maxInterned {
			clear(in.strings)
		}
		s = string(b)
		in.strings[s] = s
	}
	in.last = s
	return s
}
