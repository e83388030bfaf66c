package lineproto

import "github.com/orffvar/forecaster/stream"

// Encoder appends points as lines with nanosecond times. No line contains
// another newline than its last byte, so a batch can be cut at newlines.
type Encoder struct {
	// Levels are those of the engine. With more than one, a forecast becomes a
	// line a level, with the tag level.
	Levels []float64
}

// AppendHeader appends nothing: the format has no header.
func (e Encoder) AppendHeader(dst []byte) []byte { return dst }

// AppendBatch appends all points of b but the dead letters.
func (e Encoder) AppendBatch(dst []byte, b *stream.Batch) []byte { panic("lineproto: not yet") }

// AppendTag appends s as the value of a tag: injective, never empty, and safe
// from the characters that break a line or merge two series. DecodeTag reverses
// it.
func AppendTag(dst []byte, s string) []byte { panic("lineproto: not yet") }

// DecodeTag returns the string that AppendTag encoded.
func DecodeTag(s string) (string, error) { panic("lineproto: not yet") }
