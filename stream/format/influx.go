package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/influxdata/line-protocol/v2/lineprotocol"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/format/internal/intern"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Measurement, as an element of InfluxConfig.Series, stands for the measurement of a line. Flux has the same name.
const Measurement = "_measurement"

// measurementTag is the output tag with the measurement of a series. Its name is not "measurement", which is a
// keyword of InfluxQL.
const measurementTag = "metric"

// InfluxConfig assigns the parts of a line of line protocol to series and variables.
type InfluxConfig struct {
	// Names name the fields in errors.
	Names Names

	// Series are the tags that identify a series, and Measurement. Other tags become part of the names of the
	// variables. Nil: the measurement and all tags.
	Series []string

	// Ignore are tags that belong neither to the series nor to the variables.
	Ignore []string

	// Fields are the fields with values; nil: every field that is a number or a boolean (true is 1).
	Fields []string

	TimeUnit timestamp.Unit // unit of the times

	// MaxBytes is the largest length of a message, MaxDim the largest number of values per line. 0: the default.
	MaxBytes int // 1 MiB
	MaxDim   int // 1,024
}

// Influx decodes messages of line protocol, as Telegraf publishes them: any number of lines per message, one
// record per line.
//
//	cpu,cpu=cpu0,host=a usage_idle=97.5,usage_user=2i 1767225600000000000
//
// The name of the series is the head of the line with sorted tags: cpu,cpu=cpu0,host=a. With Series: host the name
// is host=a, and the names of the variables begin with the rest of the head:
//
//	cpu,cpu=cpu0 usage_idle
//
// Strings, comments and lines without a number are skipped. A line without a time has the time of its message.
// Influx implements stream.Splitter.
type Influx struct {
	c InfluxConfig

	series, names *intern.Strings
	plain         map[string]*plainLine // by the text before the fields

	// The next three fields belong to the message being decoded.
	message *stream.Message
	rest    []byte
	large   bool

	// The rest belongs to the line that is being decoded.
	line        stream.Message
	measurement []byte
	tags        []tag
	head, fixed []byte // name of the series, and the common beginning of the names of the variables
	prefix      int    // length of the common beginning
	buf         []byte // memory of measurement and tags
	namesOf     []string
	values      []float64
	seen        map[string]uint64 // name of a variable -> line it was last seen in
	lines       uint64
}

type tag struct{ key, value []byte }

var _ stream.Splitter = (*Influx)(nil)

// NewInflux returns a decoder.
func NewInflux(c InfluxConfig) (*Influx, error) {
	if err := c.TimeUnit.Check(); err != nil {
		return nil, err
	}
	if c.MaxBytes < 0 || c.MaxDim < 0 {
		return nil, errors.New("a negative limit")
	}
	for _, name := range c.Ignore {
		if slices.Contains(c.Series, name) {
			return nil, fmt.Errorf("the tag %q cannot both make the series and be ignored", name)
		}
	}
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.MaxDim = cmp.Or(c.MaxDim, defaultMaxDim)
	return &Influx{c: c, series: intern.New(), names: intern.New(), seen: map[string]uint64{}, plain: map[string]*plainLine{}}, nil
}

// Decode implements stream.Decoder for messages of one record: it returns the first record
// of Next, or refuses a message without one.
func (d *Influx) Decode(r *stream.Record, m *stream.Message) error {
	d.Split(m)
	err := d.Next(r)
	if errors.Is(err, io.EOF) {
		return refuse.New(refuse.Malformed, "no line with a number")
	}
	return err
}

// Split implements stream.Splitter.
func (d *Influx) Split(m *stream.Message) {
	d.message, d.rest, d.large = m, m.Value, len(m.Value) > d.c.MaxBytes
}

// Next implements stream.Splitter. The record shares no memory with the message. The next call overwrites its
// slices.
func (d *Influx) Next(r *stream.Record) error {
	if d.large {
		d.rest, d.large, r.Message = nil, false, d.message
		return refuse.New(refuse.TooLarge, "%d bytes, at most %d are allowed", len(d.message.Value), d.c.MaxBytes)
	}
	for len(d.rest) > 0 {
		n := lineEnd(d.rest)
		line := d.rest[:n]
		d.rest = d.rest[min(n+1, len(d.rest)):]
		d.line = *d.message
		d.line.Value = line
		r.Message = &d.line
		ok, err := d.decode(r, line)
		if err != nil {
			if what := d.c.Names.Unreadable(d.message.Value); what != "" {
				d.rest, r.Message = nil, d.message
				return refuse.New(refuse.Malformed, "%s", what)
			}
			return err
		}
		if ok {
			return nil
		}
	}
	return io.EOF
}

// lineEnd returns the length of the first line of b without its newline. A newline
// within the quotes of a string does not end a line.
func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		n = len(b)
	}
	if bytes.IndexByte(b[:n], '"') < 0 {
		return n
	}
	if c := bytes.TrimLeft(b, " "); len(c) > 0 && c[0] == '#' {
		return n
	}
	fields, quoted := false, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\' && i+1 < len(b) && b[i+1] != '\n':
			i++
		case c == '\n' && !quoted:
			return i
		case c == ' ' && !fields:
			fields = true
		case c == '"' && (quoted || fields && b[i-1] == '='):
			quoted = !quoted
		}
	}
	return len(b)
}

// decode decodes one line; ok is false where it has no number.
func (d *Influx) decode(r *stream.Record, line []byte) (ok bool, err error) {
	if ok, number := d.decodePlain(r, line); ok {
		return number, nil
	}
	dec := lineprotocol.NewDecoderWithBytes(line)
	if !dec.Next() {
		return false, nil // blank, or a comment
	}
	if err := d.decodeHead(dec); err != nil {
		return false, err
	}
	if err := d.decodeFields(dec); err != nil {
		return false, err
	}
	text, err := dec.TimeBytes()
	if err != nil {
		return false, malformed(err)
	}
	if dec.Next() {
		return false, refuse.New(refuse.Malformed, "more than one line")
	}
	if len(d.values) == 0 {
		return false, nil
	}
	switch {
	case text != nil:
		if r.Time, err = timestamp.Parse(text, d.c.TimeUnit); err != nil {
			return false, refuse.New(refuse.Malformed, "the time %s is %v", cells.Clip(text), err)
		}
	case d.message.Time != 0:
		r.Time = d.message.Time
	default:
		return false, refuse.New(refuse.Malformed, "no time")
	}
	r.Series = d.series.Get(d.head)
	r.Names, r.Values = d.namesOf, d.values
	d.remember(line, r)
	return true, nil
}

func malformed(err error) error {
	var at *lineprotocol.DecodeError
	if errors.As(err, &at) {
		const most = 200 // bytes: the error may quote most of the line
		text := at.Err.Error()
		return refuse.New(refuse.Malformed, "column %d: %s", at.Column, text[:min(len(text), most)])
	}
	return refuse.New(refuse.Malformed, "%v", err)
}

// decodeHead decodes measurement and tags into d.head and d.fixed.
func (d *Influx) decodeHead(dec *lineprotocol.Decoder) error {
	d.buf, d.tags = d.buf[:0], d.tags[:0]
	measurement, err := dec.Measurement()
	if err != nil {
		return malformed(err)
	}
	d.measurement = d.keep(measurement)
	for {
		key, value, err := dec.NextTag()
		if err != nil {
			return malformed(err)
		}
		if key == nil {
			break
		}
		d.tags = append(d.tags, tag{d.keep(key), d.keep(value)})
	}
	slices.SortFunc(d.tags, func(a, b tag) int { return strings.Compare(string(a.key), string(b.key)) })
	d.head, d.fixed = d.head[:0], d.fixed[:0]
	if d.c.Series == nil || slices.Contains(d.c.Series, Measurement) {
		d.head = appendName(d.head, d.measurement, ", ")
	} else {
		d.fixed = appendName(d.fixed, d.measurement, ", ")
	}
	for i, t := range d.tags {
		if i > 0 && string(t.key) == string(d.tags[i-1].key) {
			return refuse.New(refuse.Malformed, "the tag %q is there twice", cells.Clip(t.key))
		}
		switch {
		case contains(d.c.Ignore, t.key):
		case d.c.Series == nil || contains(d.c.Series, t.key):
			d.head = AppendTag(d.head, t.key, t.value)
		default:
			d.fixed = AppendTag(d.fixed, t.key, t.value)
		}
	}
	if len(d.head) == 0 {
		return refuse.New(refuse.Malformed, "none of %q, which make the series", d.c.Series)
	}
	return nil
}

// keep copies b, because the line protocol decoder overwrites b.
func (d *Influx) keep(b []byte) []byte {
	n := len(d.buf)
	d.buf = append(d.buf, b...)
	return d.buf[n:len(d.buf):len(d.buf)]
}

func contains(list []string, b []byte) bool {
	for _, s := range list {
		if s == string(b) {
			return true
		}
	}
	return false
}

// AppendTag appends a tag to the name of a series in the form that TagsOf reads. A comma comes before each tag but
// the first.
func AppendTag[T []byte | string](dst []byte, key, value T) []byte {
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	dst = append(appendName(dst, key, ",= "), '=')
	return appendName(dst, value, ",= ")
}

// appendName appends b with a backslash before each backslash and each special character, so that different names
// stay different.
func appendName[T []byte | string](dst []byte, b T, special string) []byte {
	for i := range len(b) {
		c := b[i]
		if c == '\\' || strings.IndexByte(special, c) >= 0 {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return dst
}

// decodeFields decodes the fields into names and values.
func (d *Influx) decodeFields(dec *lineprotocol.Decoder) error {
	d.namesOf, d.values = d.namesOf[:0], d.values[:0]
	if d.lines++; len(d.seen) > intern.Most {
		clear(d.seen)
	}
	if len(d.fixed) > 0 {
		d.fixed = append(d.fixed, ' ')
	}
	d.prefix = len(d.fixed)
	for {
		key, value, err := dec.NextField()
		if err != nil {
			return malformed(err)
		}
		if key == nil {
			return nil
		}
		v, ok := number(value)
		if !ok || d.c.Fields != nil && !contains(d.c.Fields, key) {
			continue
		}
		d.fixed = append(d.fixed[:d.prefix], key...)
		name := d.names.Get(d.fixed)
		if d.seen[name] == d.lines {
			return refuse.New(refuse.Malformed, "the field %q is there twice", cells.Clip(key))
		}
		d.seen[name] = d.lines
		if len(d.values) >= d.c.MaxDim {
			return refuse.New(refuse.TooLarge, "more than %d values", d.c.MaxDim)
		}
		d.namesOf, d.values = append(d.namesOf, name), append(d.values, v)
	}
}

// number returns the value of a field; ok is false for a string.
func number(v lineprotocol.Value) (x float64, ok bool) {
	switch v.Kind() {
	case lineprotocol.Float:
		return v.FloatV(), true
	case lineprotocol.Int:
		return float64(v.IntV()), true
	case lineprotocol.Uint:
		return float64(v.UintV()), true
	case lineprotocol.Bool:
		if v.BoolV() {
			return 1, true
		}
		return 0, true
	}
	return math.NaN(), false
}
