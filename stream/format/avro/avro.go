// Package avro decodes Avro records: with the schema of a schema registry, or with the schema in a file.
package avro

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/avro"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/internal/intern"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Schemas is a source of schemas.
type Schemas interface {
	// Schema returns the schema with a number. It waits while the source cannot be reached. An error other than
	// that of ctx means that the schema does not exist or cannot be used.
	Schema(ctx context.Context, id int) (*avro.Schema, error)
}

// Config has the paths of series, time and values in a record. A path is the names of nested fields, joined by dots.
type Config struct {
	Names format.Names // names of the fields in errors

	Series   string   // path of the name of the series; "": the key of the message names it
	Tags     []string // paths of texts or numbers that identify a series, instead of Series
	Time     string   // path of the time; "": "time"
	Values   string   // path of the record, map or array of values; "": "values" if the schema has it, else the fields beside the time
	TimeUnit timestamp.Unit
	Zone     *time.Location // zone of times without one; nil: UTC

	Schemas Schemas      // for messages in Confluent's wire format; nil: such messages are refused
	Schema  *avro.Schema // for messages without a schema number; nil: such messages are refused

	MaxBytes int // largest length of a message
	MaxDim   int // largest number of values per message
}

// Decoder decodes messages of one record. A value is a number, true (1), false (0), or null (missing). Times, dates,
// texts and records beside the values are ignored. The record may be in an envelope of Debezium.
type Decoder struct {
	c      Config
	ctx    context.Context //nolint:containedctx // context of the partition: a wait for the registry ends with it
	tags   []tagPath
	plans  map[int]*plan // by the number of the schema; -1: Config.Schema
	nameOf []byte
	text   []byte
	series *intern.Strings
	names  *intern.Strings
	values []float64
	namesV []string
}

// tagPath is a tag and its path.
type tagPath struct{ key, path string }

const withoutNumber = -1

// skipUnknown skips the fields that the configuration does not name.
var skipUnknown = []avro.Opt{avro.SkipUnknown()}

// New returns a decoder. While the registry does not answer, Decode waits, at most until ctx ends.
func New(ctx context.Context, c Config) (*Decoder, error) {
	c.Time = cmp.Or(c.Time, "time")
	c.MaxBytes, c.MaxDim = cmp.Or(c.MaxBytes, 1<<20), cmp.Or(c.MaxDim, 1024)
	if c.Schemas == nil && c.Schema == nil {
		return nil, errors.New("avro: neither a registry nor a schema")
	}
	d := &Decoder{c: c, ctx: ctx, plans: make(map[int]*plan), series: intern.New(), names: intern.New()}
	for _, path := range c.Tags {
		d.tags = append(d.tags, tagPath{path[strings.LastIndexByte(path, '.')+1:], path})
	}
	slices.SortFunc(d.tags, func(a, b tagPath) int { return strings.Compare(a.key, b.key) })
	return d, nil
}

// Problem returns the failure of the schema registry; "": none. Any goroutine may call it.
func (d *Decoder) Problem() string {
	if r, ok := d.c.Schemas.(interface{ Problem() string }); ok && r.Problem() != "" {
		return "the schema registry: " + r.Problem()
	}
	return ""
}

func malformed(format string, args ...any) error {
	return refuse.New(refuse.Malformed, format, args...)
}

// Decode implements stream.Decoder. The record shares no memory with m. The next Decode overwrites its slices.
func (d *Decoder) Decode(r *stream.Record, m *stream.Message) error {
	switch {
	case m.Value == nil && len(m.Key) > 0:
		return stream.ErrDeleted // a tombstone
	case len(m.Value) > d.c.MaxBytes:
		return refuse.New(refuse.TooLarge, "%d bytes, at most %d are allowed", len(m.Value), d.c.MaxBytes)
	}
	p, value, err := d.planOf(m.Value)
	if err != nil {
		return err
	}
	rest, err := p.schema.Decode(value, p.target, skipUnknown...)
	switch {
	case err != nil:
		return malformed("not Avro of %s: %.200s", p.title, err)
	case len(rest) > 0:
		return malformed("%d bytes follow the record of %s", len(rest), p.title)
	case p.deleted():
		return stream.ErrDeleted
	}
	if r.Time, err = d.timeOf(p); err != nil {
		return err
	}
	if r.Series, err = d.seriesOf(p, m); err != nil {
		return err
	}
	if err := d.valuesOf(p); err != nil {
		return err
	}
	r.Message, r.Values, r.Names = m, d.values, d.namesV
	if p.unnamed {
		r.Names = nil
	}
	return nil
}

// planOf returns the plan for a message and its bytes in Avro.
func (d *Decoder) planOf(message []byte) (p *plan, value []byte, err error) {
	id, value := withoutNumber, message
	if d.c.Schemas != nil {
		var ok bool
		if id, value, ok = format.FramedSchema(message); !ok {
			return nil, nil, malformed("not Confluent's wire format, which begins with 0 and four bytes for the schema: %s",
				cmp.Or(d.c.Names.Unreadable(message), "text? "+d.c.Names.Set("stream.Decoder", "json")))
		}
	} else if _, rest, err := avro.SingleObjectFingerprint(message); err == nil {
		value = rest
	}
	if p := d.plans[id]; p != nil {
		return p, value, nil
	}
	schema := d.c.Schema
	if d.c.Schemas != nil {
		if schema, err = d.schema(id); err != nil {
			return nil, nil, err
		}
	}
	title := "the schema"
	if id != withoutNumber {
		title = fmt.Sprintf("schema %d", id)
	}
	if p, err = d.newPlan(schema, title); err != nil {
		return nil, nil, malformed("%s: %v", title, err)
	}
	d.plans[id] = p
	return p, value, nil
}

// schema requests a schema from the registry. A schema that the registry lacks is an error of the data.
func (d *Decoder) schema(id int) (*avro.Schema, error) {
	schema, err := d.c.Schemas.Schema(d.ctx, id)
	if err != nil && d.ctx.Err() == nil {
		return nil, malformed("schema %d: %v", id, err)
	}
	return schema, err
}

// seriesOf returns the name of the series.
func (d *Decoder) seriesOf(p *plan, m *stream.Message) (string, error) {
	switch {
	case p.series != nil:
		text, ok := p.series.text(d.text[:0])
		if d.text = text; !ok {
			return "", malformed("no name of the series at %q", d.c.Series)
		}
		return d.series.Get(text), nil
	case len(p.tags) == 0:
		return d.keyOf(m)
	}
	d.nameOf = d.nameOf[:0]
	for i := range p.tags {
		text, ok := p.tags[i].text(d.text[:0])
		if d.text = text; ok && len(text) > 0 {
			d.nameOf = format.AppendTag(d.nameOf, p.tags[i].name, d.names.Get(text))
		}
	}
	if len(d.nameOf) == 0 {
		return "", malformed("none of %q, which make the series", d.c.Tags)
	}
	return d.series.Get(d.nameOf), nil
}

// keyOf returns the series that the key of a message names. The key may be text in Confluent's wire format.
func (d *Decoder) keyOf(m *stream.Message) (string, error) {
	id, value, ok := format.FramedSchema(m.Key)
	if !ok || d.c.Schemas == nil {
		return d.series.Get(m.Key), nil
	}
	schema, err := d.schema(id)
	if err != nil {
		return "", err
	}
	var text []byte
	if kind := schema.Root().Type; kind != "string" {
		return "", malformed("the key of the message is Avro of the type %s, not the name of a series: %s or %s", kind, d.c.Names.Set("avro.Config.Series", "PATH"), d.c.Names.Set("avro.Config.Tags", ""))
	}
	if _, err := schema.Decode(value, &text); err != nil {
		return "", malformed("the key of the message: %.200s", err)
	}
	return d.series.Get(text), nil
}

// valuesOf sets d.values, and d.namesV for values with names.
func (d *Decoder) valuesOf(p *plan) error {
	d.values, d.namesV = d.values[:0], p.names
	if p.collection != nil {
		return d.collect(p)
	}
	for i := range p.values {
		v, err := p.values[i].number()
		if err != nil {
			return malformed("the value of %q is %v", p.values[i].name, err)
		}
		d.values = append(d.values, v)
	}
	return nil
}
