package file

import (
	"bytes"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// nameSentinels lists, among the assumptions, numbers in the first lines of JSON or line protocol that may stand
// for a missing value.
func (s *Source) nameSentinels() error {
	var found sniff.Columns
	for line := range bytes.Lines(s.sample()) {
		var r stream.Record
		if s.decoder.Decode(&r, &stream.Message{Key: s.key, Value: bytes.TrimSpace(line)}) == nil {
			found.Add(&r)
		}
	}
	if a, ok := found.Sentinels(s.setting); ok {
		return s.assume(a)
	}
	return nil
}
