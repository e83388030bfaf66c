package format

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/internal/intern"
	"github.com/orffvar/forecaster/stream/format/internal/object"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Flat, as JSONConfig.Values, means that the values are beside the time: each member of the message that is a
// number, true, false or null is a variable.
const Flat = "."

// JSONConfig has the paths of series, time and values in a JSON message. A path is the names of nested members,
// joined by dots.
type JSONConfig struct {
	Series   string         // path of the name of the series; "": the key of the message names it
	Keyless  string         // path of the name of the series without Series and Tags; a message without it has its key
	Time     string         // path of the time; "": "time"
	Values   string         // path of the object or array of values, or Flat; "": "values" if a message has it, else Flat
	TimeUnit timestamp.Unit // unit of a time that is a number

	// Names name the fields in errors.
	Names Names

	// Tags are the paths of texts or numbers that identify a series, instead of Series: the series of {"host":
	// "web1", "dc": "eu", ...} is dc=eu,host=web1, as for Influx. A message may lack some of them, but not all.
	Tags []string

	// Zone is the zone of times without one; nil: UTC. Where the end of summer time repeats an hour, the first of
	// the two is meant.
	Zone *time.Location

	// Long: each message has one variable, as in Nixtla's libraries. The defaults are then Series: "unique_id" or,
	// in a message without it, the key; Time: "ds"; Variable: "variable"; Values: "y", a number or null. In a
	// message without Variable, the variable has the name of the value.
	Long     bool
	Variable string // path of the name of the variable; for Long

	// Assume is called once, when messages are found to be envelopes of Kafka Connect or Debezium. Paths then begin
	// at the record in the envelope, unless a message has its time and values at the paths themselves.
	Assume func(text string)
	base   string // path of the record in the envelope

	// MaxBytes, MaxDepth and MaxDim are the largest length, depth of nesting and number of values of a message. 0:
	// the default.
	MaxBytes int // 1 MiB
	MaxDepth int // 8
	MaxDim   int // 1,024
}

// JSON decodes messages of one object:
//
//	{"time": "2026-01-01T00:00:00Z", "values": {"cpu": 0.5, "mem": 0.7}}
//	{"time": 1767225600, "values": [0.5, null, 0.7]}
//
//	{"time": 1767225600, "cpu": 0.5, "mem": 0.7, "up": true, "host": "web1"}
//
//	{"unique_id": "host1", "ds": "2026-01-01", "variable": "cpu", "y": 0.5}
//
// The last form needs Long. A value is a number, true (1), false (0), or null (missing). Other members are ignored.
// A member that the configuration names must not be there twice. The object of the values may contain the time,
// the series and the tags, too: its other numbers are then the values.
type JSON struct {
	c    JSONConfig
	root *member
	base *member // node of the record: root, unless the record is in an envelope
	dec  jx.Decoder

	behind  stream.Message // the message without its first five bytes
	inside  *JSON          // decoder of the records in envelopes; nil: no envelope was seen
	assumed bool

	times timestamp.Reader
	shape shape // layout of the previous message

	tags          []tagValue // ascending by key
	nameOf        []byte     // name of the series, made of tags
	series, names *intern.Strings
	seen          map[string]uint64 // name of a variable -> message it was last seen in
	message       uint64
	either        bool   // values are at "values", or beside the time without it
	keyed         bool   // the key of a message is the name of its series
	valueName     string // name of the variable in a long message without Variable

	// The fields below belong to the message being decoded.
	text      []byte
	at        *member
	depth     int
	found     [roles]bool
	record    *stream.Record
	namesOf   []string
	before    []string // names in the previous message, in the memory of namesOf
	asBefore  bool     // the names so far equal those of before
	values    []float64
	variable  string // name of the variable
	unnamed   bool
	refusal   *refuse.Error
	inObject  func(*jx.Decoder, []byte) error // the methods as values, made once
	inValues  func(*jx.Decoder, []byte) error
	inArray   func(*jx.Decoder) error
	inIgnored func(*jx.Decoder, []byte) error
	inSkipped func(*jx.Decoder) error
}

// NewJSON returns a decoder.
func NewJSON(c JSONConfig) (*JSON, error) {
	if err := c.TimeUnit.Check(); err != nil {
		return nil, err
	}
	if c.MaxBytes < 0 || c.MaxDepth < 0 || c.MaxDim < 0 {
		return nil, errors.New("a negative limit")
	}
	keyed := c.Series == ""
	if len(c.Tags) > 0 && !keyed {
		return nil, errors.New("a series is made of tags or has a name of its own")
	}
	if c.Long {
		if len(c.Tags) == 0 {
			c.Series = cmp.Or(c.Series, "unique_id")
		}
		c.Time = cmp.Or(c.Time, "ds")
		c.Variable = cmp.Or(c.Variable, "variable")
		c.Values = cmp.Or(c.Values, "y")
	} else if keyed && len(c.Tags) == 0 {
		c.Series = c.Keyless
	}
	c.Time = cmp.Or(c.Time, "time")
	either := c.Values == ""
	c.Values = cmp.Or(c.Values, "values")
	if c.Variable != "" && !c.Long || c.Long && c.Values == Flat {
		return nil, errors.New("a path of the variable goes with one of its value, and with Long")
	}
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.MaxDepth = cmp.Or(c.MaxDepth, defaultMaxDepth)
	c.MaxDim = cmp.Or(c.MaxDim, defaultMaxDim)
	d := &JSON{c: c, root: &member{}, either: either, keyed: keyed, times: timestamp.NewReader(c.TimeUnit, timestamp.YearFirst, c.Zone, false), series: intern.New(), names: intern.New(), seen: map[string]uint64{}}
	if err := d.setTags(c.Tags); err != nil {
		return nil, err
	}
	d.base = d.root
	if c.base != "" {
		d.base = d.root.at(c.base)
	}
	ok := d.base.add(c.Time, timeRole)
	if c.Series != "" {
		ok = d.base.add(c.Series, seriesRole) && ok
	}
	if c.Values == Flat {
		d.base.open = true
	} else {
		ok = d.base.add(c.Values, valuesRole) && ok
	}
	if c.Long {
		ok = d.base.add(c.Variable, variableRole) && ok
	}
	for i, t := range d.tags {
		ok = d.base.add(t.path, tagRole+role(i)) && ok
	}
	if values := d.base.at(c.Values); len(values.children) > 0 && c.Values != Flat {
		values.open, ok = true, ok && !c.Long
	}
	d.valueName = c.Values[strings.LastIndexByte(c.Values, '.')+1:]
	if !ok {
		return nil, fmt.Errorf("the paths of time (%s), series (%s) and values (%s) overlap, or one of them and those of the variable and the tags", c.Time, c.Series, c.Values)
	}
	d.inObject, d.inValues, d.inArray = d.object, d.value, d.element
	d.inIgnored, d.inSkipped = func(*jx.Decoder, []byte) error { return d.skip() }, func(*jx.Decoder) error { return d.skip() }
	return d, nil
}

// framed reports whether value is an object after the five bytes of a schema registry. JSON cannot begin with a zero
// byte.
func framed(value []byte) bool { return len(value) > 5 && value[0] == 0 && value[5] == '{' }

// errRefused stops the parser; d.refusal has the reason.
var errRefused = errors.New("format: refused")

func (d *JSON) refuse(reason refuse.Reason, format string, args ...any) error {
	d.refusal = refuse.New(reason, format, args...)
	return errRefused
}

// Decode implements stream.Decoder. The record shares no memory with m, but its
// slices are reused by the next Decode.
func (d *JSON) Decode(r *stream.Record, m *stream.Message) error {
	switch {
	case len(m.Value) > d.c.MaxBytes:
		return refuse.New(refuse.TooLarge, "%d bytes, at most %d are allowed", len(m.Value), d.c.MaxBytes)
	case framed(m.Value):
		// The serializer of JSON Schema writes five bytes before the object.
		d.behind = *m
		_, d.behind.Value, _ = FramedSchema(m.Value)
		err := d.Decode(r, &d.behind)
		r.Message = m
		return err
	case m.Value == nil && len(m.Key) > 0:
		return stream.ErrDeleted // a tombstone
	case len(m.Value) == 0:
		return refuse.New(refuse.Malformed, "an empty message")
	case d.fill(r, m), d.inside != nil && d.inside.fill(r, m):
		return nil
	case !utf8.Valid(m.Value):
		return refuse.New(refuse.Malformed, "%s", cmp.Or(d.c.Names.Unreadable(m.Value), "not UTF-8"))
	}
	d.message++
	if len(d.seen) > intern.Most {
		clear(d.seen)
	}
	for i := range d.tags {
		d.tags[i].value = ""
	}
	d.at, d.depth, d.found, d.refusal, d.unnamed, d.record = d.root, 0, [roles]bool{}, nil, false, r
	d.before, d.asBefore = d.namesOf, !d.c.Long
	d.namesOf, d.values = d.namesOf[:0], d.values[:0]
	d.variable = d.valueName
	d.found[valuesRole] = d.c.Values == Flat
	d.shape.forget()
	d.text = m.Value

	d.dec.ResetBytes(m.Value)
	err := d.enter(d.inObject)
	if err == nil && !errors.Is(d.dec.Skip(), io.EOF) {
		return refuse.New(refuse.Malformed, "something follows the object")
	}
	if d.either && len(d.values) > 0 {
		d.found[valuesRole] = true
	}
	switch {
	case d.refusal != nil:
		return d.refusal
	case err != nil:
		return d.notAnObject(m.Value)
	}
	if !d.found[timeRole] || !d.found[valuesRole] {
		if ok, err := d.unwrap(r, m); ok {
			return err
		}
	}
	switch {
	case !d.found[timeRole]:
		return d.noTime(m.Value)
	case !d.found[seriesRole] && !d.keyed:
		return refuse.New(refuse.Malformed, "no name of the series at %q", d.c.Series)
	case !d.found[valuesRole] && d.either:
		if nested := object.NestedValues(m.Value, d.c.Time, d.c.Series, d.c.Tags, d.c.Names.Set); nested != "" {
			return fault(refuse.Facts{Remedy: "; " + nested}, "no values at %q or beside the time", d.c.Values)
		}
		return refuse.New(refuse.Malformed, "no values: neither at %q nor beside the time", d.c.Values)
	case !d.found[valuesRole]:
		return refuse.New(refuse.Malformed, "no values at %q", d.c.Values)
	}
	r.Message = m
	if !d.found[seriesRole] {
		r.Series = d.unnamedSeries(m)
	}
	if r.Series == "" && len(d.tags) > 0 {
		return refuse.New(refuse.Malformed, "none of %q, which make the series", d.c.Tags)
	}
	r.Names, r.Values = d.namesOf, d.values
	if d.c.Long {
		d.namesOf = append(d.namesOf, d.variable)
		r.Names = d.namesOf
	}
	if d.unnamed {
		r.Names = nil
	}
	d.shape.keep(m.Value)
	return nil
}
