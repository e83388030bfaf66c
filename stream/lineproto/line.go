package lineproto

import (
	"strconv"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/internal/decimal"
)

// line appends lines: measurement, tags, fields, time.
type line struct {
	dst    []byte
	exact  bool
	start  int // index of the first byte of the line
	fields int
}

// tag is a tag of a point. Its value is a text or, if that is empty, a number.
type tag struct {
	name, value string
	number      float64
}

// begin begins a line with the tags of a series and the tags own, both ascending by name.
func (l *line) begin(measurement, series string, tags []stream.Tag, own ...tag) {
	l.start, l.fields = len(l.dst), 0
	l.dst = append(l.dst, measurement...)
	if tags == nil {
		for len(own) > 0 && own[0].name < "id" {
			l.own(own[0])
			own = own[1:]
		}
		l.tagName("id")
		l.dst = AppendTag(l.dst, series)
	}
	for _, t := range tags {
		for len(own) > 0 && own[0].name <= t.Key {
			l.own(own[0])
			own = own[1:]
		}
		l.dst = appendTag(l.dst, t.Key, t.Value)
	}
	for _, t := range own {
		l.own(t)
	}
}

func (l *line) tagName(name string) {
	l.dst = append(append(append(l.dst, ','), name...), '=')
}

func (l *line) own(t tag) {
	l.tagName(t.name)
	if t.value == "" {
		l.dst = decimal.Append(l.dst, t.number)
	} else {
		l.dst = AppendTag(l.dst, t.value)
	}
}

// separate appends the separator before a field.
func (l *line) separate() {
	if l.fields == 0 {
		l.dst = append(l.dst, ' ')
	} else {
		l.dst = append(l.dst, ',')
	}
	l.fields++
}

func (l *line) field(name string) {
	l.separate()
	l.dst = append(append(l.dst, name...), '=')
}

// float appends a field, unless v is not finite.
func (l *line) float(name string, v float64) {
	if v-v == 0 {
		l.field(name)
		l.value(v)
	}
}

// of appends a field named variable and suffix, unless v is not finite.
func (l *line) of(variable, suffix string, v float64) {
	if v-v != 0 {
		return
	}
	l.separate()
	if variable != "" {
		l.dst = AppendTag(l.dst, stream.OutputName(variable))
	}
	l.dst = append(append(l.dst, suffix...), '=')
	l.value(v)
}

func (l *line) value(v float64) {
	if l.exact {
		l.dst = decimal.Append(l.dst, v)
	} else {
		l.dst = decimal.AppendDigits(l.dst, v, Digits)
	}
}

func (l *line) int(name string, v int64) {
	l.field(name)
	l.dst = append(strconv.AppendInt(l.dst, v, 10), 'i')
}

// flag appends a field with the value true.
func (l *line) flag(name string) {
	l.field(name)
	l.dst = append(l.dst, "true"...)
}

// text appends a field in quotes, with a blank for every control character.
func (l *line) text(name, s string) {
	l.field(name)
	l.dst = append(l.dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			l.dst = append(l.dst, '\\', c)
		case c < ' ':
			l.dst = append(l.dst, ' ')
		default:
			l.dst = append(l.dst, c)
		}
	}
	l.dst = append(l.dst, '"')
}

// end appends the time. It removes a line without fields.
func (l *line) end(t int64) {
	if l.fields == 0 {
		l.dst = l.dst[:l.start]
		return
	}
	l.dst = append(strconv.AppendInt(append(l.dst, ' '), t, 10), '\n')
}
