package format

import (
	"bytes"
	"math"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/internal/decimal"
)

// shape is a message that the parser has read. The next message usually differs only in the time and the values: the
// text between them is then compared instead of parsed, which takes a third of the time.
type shape struct {
	text  []byte // empty: no message
	holes []hole // ascending. Invariant: the text between two holes is not empty
}

// hole is the range of a number, or of the inside of a string, that the record needs.
type hole struct {
	from, to int
	role     role
	quoted   bool
}

func (s *shape) forget() { s.text, s.holes = s.text[:0], s.holes[:0] }

// note adds the hole of a part of text. A part that is empty, or a copy because it had escapes, has no range.
func (s *shape) note(text, part []byte, as role, quoted bool) {
	from := cap(text) - cap(part)
	if len(part) == 0 || from < 0 || from >= len(text) || &text[from] != &part[0] {
		from = -1
	}
	s.holes = append(s.holes, hole{from, from + len(part), as, quoted})
}

// keep stores text, whose holes are complete.
func (s *shape) keep(text []byte) {
	for i := range s.holes {
		if s.holes[i].from < 0 {
			return
		}
	}
	s.text = append(s.text, text...)
}

// fill decodes a message with the shape of the previous message. It returns false for every other message, and for a
// message with a mistake or an unusual value.
func (d *JSON) fill(r *stream.Record, m *stream.Message) bool {
	s := &d.shape
	if len(s.text) == 0 {
		return false
	}
	rest, known := m.Value, 0
	series, variable, values := "", d.variable, d.values[:0]
	for i := range s.holes {
		h := &s.holes[i]
		same := s.text[known:h.from]
		if !bytes.HasPrefix(rest, same) {
			return false
		}
		rest, known = rest[len(same):], h.to
		end := bytes.IndexByte(rest, s.text[known]) // the byte that follows the hole
		if end <= 0 {
			return false
		}
		text := rest[:end]
		rest = rest[end:]
		v, ok := math.NaN(), true
		if !h.quoted && (h.role != valuesRole || string(text) != "null") {
			v, ok = plainJSON(text)
		}
		switch h.role {
		case timeRole:
			t, err := d.times.Parse(text, "")
			if err != nil {
				return false
			}
			r.Time = t
		case valuesRole:
			values = append(values, v)
		default:
			if ok = ok && isSimple(text); !ok {
				return false
			}
			switch {
			case h.role >= tagRole:
				d.tags[h.role-tagRole].value = d.names.Get(text)
			case h.role == seriesRole:
				series = d.series.Get(text)
			default:
				variable = d.names.Get(text)
			}
		}
		if !ok {
			return false
		}
	}
	if !bytes.Equal(rest, s.text[known:]) {
		return false
	}
	if !d.found[seriesRole] {
		series = d.unnamedSeries(m)
	}
	if d.c.Long {
		d.variable, d.namesOf[0] = variable, variable
	}
	d.values = values
	r.Message, r.Series, r.Values = m, series, values
	r.Names = d.namesOf
	if d.unnamed {
		r.Names = nil
	}
	return true
}

// plainJSON reads a JSON number; ok is false for exponents and very long numbers.
func plainJSON(text []byte) (v float64, ok bool) {
	digits := text
	if text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || digits[0]-'0' > 9 || digits[len(digits)-1] == '.' || digits[0] == '0' && len(digits) > 1 && digits[1] != '.' {
		return 0, false
	}
	return decimal.ParsePlain(text)
}

// isSimple reports whether a JSON string contains text without escapes.
func isSimple(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
}
