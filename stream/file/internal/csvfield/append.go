package csvfield

import (
	"math"

	"github.com/orffvar/forecaster/stream/internal/decimal"
)

// AppendNumber appends v, or nothing for NaN.
func AppendNumber(dst []byte, v float64) []byte {
	if math.IsNaN(v) {
		return dst
	}
	return decimal.Append(dst, v)
}

// AppendText quotes s if need be (RFC 4180).
func AppendText(dst []byte, s string) []byte {
	if isPlain(s) {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// isPlain reports whether s needs no quotes: as strings.ContainsAny would, but short texts take less time.
func isPlain(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case ',', '"', '\r', '\n':
			return false
		}
	}
	return s != ""
}
