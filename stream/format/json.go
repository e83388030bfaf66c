package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/internal/decimal"
	"github.com/orffvar/forecaster/stream"
)

// Flat as JSONConfig.Values says that the values stand beside the time: the
// variables are the members of the message itself that are numbers or null.
const Flat = "."

// JSONConfig says where a JSON message has what. Paths are names of members
// joined by dots.
type JSONConfig struct {
	Series   string   // path of the name of the series; "" = the key of the message
	Time     string   // path of the time; "" = "time"
	Values   string   // path of the object or array of values, or Flat; "" = "values" where a message has it, else Flat
	TimeUnit TimeUnit // of a time that is a number

	// Tags are the paths of texts or numbers that make a series, instead of Series: the
	// series of {"host": "web1", "dc": "eu", ...} is dc=eu,host=web1, as Influx has it. A
	// message may lack some of them.
	Tags []string

	// Zone is the zone of times that name none; nil = UTC. An hour that the end of summer time
	// repeats is taken for the first of the two.
	Zone *time.Location

	// Long means one variable a message, as Nixtla's libraries have it. Then the
	// defaults are Series: "unique_id" or, where it is not there, the key of the
	// message; Time: "ds", Variable: "variable", Values: "y", a number or null. A
	// message without Variable is of a series with one variable, which has the name
	// of the value.
	Long     bool
	Variable string // path of the name of the variable, if Long

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
//
//	{"time": 1767225600, "cpu": 0.5, "mem": 0.7, "up": true, "host": "web1"}
//
//	{"unique_id": "host1", "ds": "2026-01-01", "variable": "cpu", "y": 0.5}
//
// the last one if Long. Values are numbers, true and false, which are 1 and 0, or null where one
// is missing. Text and objects beside them are left out. Members that are not asked
// for are ignored; one that is asked for must not be there twice.
type JSON struct {
	c    JSONConfig
	root *member
	dec  jx.Decoder

	times times
	shape shape // of the message before

	tags          []tagValue // ascending by key
	nameOf        []byte     // of the series, made of tags
	series, names *interner
	seen          map[string]uint64 // name of a variable -> message it was last seen in
	message       uint64
	either        bool   // values are at "values", or else beside the time
	keyed         bool   // the key of a message stands for the name of the series
	valueName     string // of the variable of a long message that names none

	// Of the message being decoded.
	text      []byte
	at        *member
	depth     int
	found     [roles]bool
	record    *stream.Record
	namesOf   []string
	before    []string // the names in the message before, in the memory of namesOf
	asBefore  bool     // namesOf is the beginning of before
	values    []float64
	variable  string // of the value
	unnamed   bool
	refusal   *stream.DataError
	inObject  func(*jx.Decoder, []byte) error // the methods as values, made once
	inValues  func(*jx.Decoder, []byte) error
	inArray   func(*jx.Decoder) error
	inIgnored func(*jx.Decoder, []byte) error
	inSkipped func(*jx.Decoder) error
}

// tagValue is a tag and its value in the message being decoded, "" when it has none.
type tagValue struct{ path, key, value string }

// role is what a member is asked for.
type role int

const (
	inner role = iota // only on the way to others
	timeRole
	seriesRole
	valuesRole
	variableRole
	tagRole // and those behind it: of the tags in their order
	roles   = tagRole
)

// member is a node in the tree of the paths.
type member struct {
	role     role
	names    []string
	children []*member
}

func (m *member) child(name []byte) *member {
	for i, n := range m.names {
		if n == string(name) {
			return m.children[i]
		}
	}
	return nil
}

// add adds a path; it returns false when one path is the beginning of another.
func (m *member) add(path string, r role) bool {
	for _, name := range strings.Split(path, ".") {
		next := m.child([]byte(name))
		if next == nil {
			next = &member{}
			m.names = append(m.names, name)
			m.children = append(m.children, next)
		}
		if next.role != inner {
			return false
		}
		m = next
	}
	m.role = r
	return len(m.children) == 0
}

// NewJSON returns a decoder.
func NewJSON(c JSONConfig) (*JSON, error) {
	if err := c.TimeUnit.check(); err != nil {
		return nil, err
	}
	if c.MaxBytes < 0 || c.MaxDepth < 0 || c.MaxDim < 0 {
		return nil, errors.New("format: a negative limit")
	}
	keyed := c.Series == ""
	if len(c.Tags) > 0 && !keyed {
		return nil, errors.New("format: a series is made of tags or has a name of its own")
	}
	if c.Long {
		if len(c.Tags) == 0 {
			c.Series = cmp.Or(c.Series, "unique_id")
		}
		c.Time = cmp.Or(c.Time, "ds")
		c.Variable = cmp.Or(c.Variable, "variable")
		c.Values = cmp.Or(c.Values, "y")
	}
	c.Time = cmp.Or(c.Time, "time")
	either := c.Values == ""
	c.Values = cmp.Or(c.Values, "values")
	if c.Variable != "" && !c.Long || c.Long && c.Values == Flat {
		return nil, errors.New("format: a path of the variable goes with one of its value, and with Long")
	}
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.MaxDepth = cmp.Or(c.MaxDepth, defaultMaxDepth)
	c.MaxDim = cmp.Or(c.MaxDim, defaultMaxDim)
	d := &JSON{c: c, root: &member{}, either: either, keyed: keyed, times: newTimes(c.TimeUnit, YearFirst, c.Zone, false), series: newInterner(), names: newInterner(), seen: map[string]uint64{}}
	if err := d.setTags(c.Tags); err != nil {
		return nil, err
	}
	ok := d.root.add(c.Time, timeRole)
	if c.Series != "" {
		ok = d.root.add(c.Series, seriesRole) && ok
	}
	if c.Values != Flat {
		ok = d.root.add(c.Values, valuesRole) && ok
	}
	if c.Long {
		ok = d.root.add(c.Variable, variableRole) && ok
	}
	for i, t := range d.tags {
		ok = d.root.add(t.path, tagRole+role(i)) && ok
	}
	d.valueName = c.Values[strings.LastIndexByte(c.Values, '.')+1:]
	if !ok {
		return nil, fmt.Errorf("format: the paths of time (%s), series (%s) and values (%s) overlap, or one of them and those of the variable and the tags", c.Time, c.Series, c.Values)
	}
	d.inObject, d.inValues, d.inArray = d.object, d.value, d.element
	d.inIgnored, d.inSkipped = func(*jx.Decoder, []byte) error { return d.skip() }, func(*jx.Decoder) error { return d.skip() }
	return d, nil
}

// errRefused ends the parser; d.refusal says why.
var errRefused = errors.New("format: refused")

func (d *JSON) refuse(reason stream.Reason, format string, args ...any) error {
	d.refusal = refuse(reason, format, args...)
	return errRefused
}

// Decode implements stream.Decoder. The record shares no memory with m, but its
// slices are reused by the next Decode.
func (d *JSON) Decode(r *stream.Record, m *stream.Message) error {
	switch {
	case len(m.Value) > d.c.MaxBytes:
		return refuse(stream.TooLarge, "%d bytes, at most %d are allowed", len(m.Value), d.c.MaxBytes)
	case len(m.Value) == 0:
		return refuse(stream.Malformed, "an empty message")
	case d.fill(r, m):
		return nil
	case !utf8.Valid(m.Value):
		return refuse(stream.Malformed, "not UTF-8")
	}
	d.message++
	if len(d.seen) > maxInterned {
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
		return refuse(stream.Malformed, "something follows the object")
	}
	if d.either && len(d.values) > 0 {
		d.found[valuesRole] = true
	}
	switch {
	case d.refusal != nil:
		return d.refusal
	case err != nil:
		return notAnObject(m.Value)
	case !d.found[timeRole]:
		return refuse(stream.Malformed, "no time at %q: set input.json.time_field=%s", d.c.Time, timeField(m.Value))
	case !d.found[seriesRole] && !d.keyed:
		return refuse(stream.Malformed, "no name of the series at %q", d.c.Series)
	case !d.found[valuesRole] && d.either:
		return refuse(stream.Malformed, "no values: neither at %q nor beside the time", d.c.Values)
	case !d.found[valuesRole]:
		return refuse(stream.Malformed, "no values at %q", d.c.Values)
	}
	r.Message = m
	if !d.found[seriesRole] {
		r.Series = d.unnamedSeries(m)
	}
	if r.Series == "" && len(d.tags) > 0 {
		return refuse(stream.Malformed, "none of %q, which make the series", d.c.Tags)
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

// setTags prepares the tags with the paths.
func (d *JSON) setTags(paths []string) error {
	for _, path := range paths {
		key := path[strings.LastIndexByte(path, '.')+1:]
		if key == "" || slices.ContainsFunc(d.tags, func(t tagValue) bool { return t.key == key }) {
			return fmt.Errorf("format: the paths of the tags must end in different names, got %q", paths)
		}
		d.tags = append(d.tags, tagValue{path: path, key: key})
	}
	slices.SortFunc(d.tags, func(a, b tagValue) int { return strings.Compare(a.key, b.key) })
	return nil
}

// tag reads the value of a tag: text, a number, or null for none.
func (d *JSON) tag(as role, key []byte) error {
	t := &d.tags[as-tagRole]
	if t.value != "" {
		return d.refuse(stream.Malformed, "the member %q is there twice", clip(key))
	}
	if d.dec.Next() == jx.Null {
		return d.dec.Skip()
	}
	return d.name(as, "tag", &t.value, d.names)
}

// unnamedSeries returns the series of a message that names none: made of the tags, "" without
// one, or the key.
func (d *JSON) unnamedSeries(m *stream.Message) string {
	if len(d.tags) == 0 {
		return d.series.get(m.Key)
	}
	d.nameOf = d.nameOf[:0]
	for i := range d.tags {
		if t := &d.tags[i]; t.value != "" {
			d.nameOf = appendTag(d.nameOf, t.key, t.value)
		}
	}
	return d.series.get(d.nameOf)
}

// timeField returns the field of an object that is named as times are, or else FIELD.
func timeField(object []byte) string {
	name := "FIELD"
	_ = jx.DecodeBytes(object).ObjBytes(func(d *jx.Decoder, key []byte) error { // it was read before
		if slices.Contains(timeNames, strings.ToLower(string(key))) {
			name = string(key)
		}
		return d.Skip()
	})
	return name
}

// notAnObject says what is wrong with a message that the parser has refused, and
// where: encoding/json has better words for it.
func notAnObject(value []byte) error {
	var v json.RawMessage
	err := json.Unmarshal(value, &v)
	var at *json.SyntaxError
	if !errors.As(err, &at) {
		return refuse(stream.Malformed, "not a JSON object but %s", clip(bytes.TrimSpace(value)))
	}
	before := value[:min(int(at.Offset), len(value))]
	if strings.HasPrefix(at.Error(), "invalid character") {
		before = before[:len(before)-1]
	}
	return refuse(stream.Malformed, "not JSON at byte %d: %v; before it %#q", at.Offset, at, before[max(0, len(before)-20):])
}

// enter reads the object that comes next.
func (d *JSON) enter(f func(*jx.Decoder, []byte) error) error {
	if err := d.deeper(); err != nil {
		return err
	}
	defer func() { d.depth-- }()
	return d.dec.ObjBytes(f)
}

func (d *JSON) deeper() error {
	if d.depth++; d.depth > d.c.MaxDepth {
		return d.refuse(stream.TooLarge, "nested deeper than %d", d.c.MaxDepth)
	}
	return nil
}

// object reads one member of an object on the way to what is asked for.
func (d *JSON) object(_ *jx.Decoder, key []byte) error {
	m := d.at.child(key)
	if m == nil {
		if d.at == d.root && (d.c.Values == Flat || d.either && !d.found[valuesRole]) {
			return d.flat(key)
		}
		return d.skip()
	}
	if m.role == valuesRole && d.either {
		if next := d.dec.Next(); next != jx.Object && next != jx.Array {
			return d.flat(key) // a variable of this name
		}
		d.dropValues()
	}
	if m.role == inner {
		if d.dec.Next() != jx.Object {
			return d.skip()
		}
		above := d.at
		d.at = m
		err := d.enter(d.inObject)
		d.at = above
		return err
	}
	if m.role >= tagRole {
		return d.tag(m.role, key)
	}
	if d.found[m.role] {
		return d.refuse(stream.Malformed, "the member %q is there twice", clip(key))
	}
	d.found[m.role] = true
	switch m.role {
	case timeRole:
		return d.time()
	case seriesRole:
		return d.name(m.role, "series", &d.record.Series, d.series)
	case variableRole:
		return d.name(m.role, "variable", &d.variable, d.names)
	}
	if d.c.Long {
		return d.number(d.c.Values)
	}
	switch d.dec.Next() {
	case jx.Object:
		return d.enter(d.inValues)
	case jx.Array:
		d.unnamed = true
		if err := d.deeper(); err != nil {
			return err
		}
		defer func() { d.depth-- }()
		return d.dec.Arr(d.inArray)
	}
	return d.refuse(stream.Malformed, "the values are neither an object nor an array")
}

// skip reads over the value that comes next, minding its depth.
func (d *JSON) skip() error {
	switch d.dec.Next() {
	case jx.Object:
		return d.enter(d.inIgnored)
	case jx.Array:
		if err := d.deeper(); err != nil {
			return err
		}
		defer func() { d.depth-- }()
		return d.dec.Arr(d.inSkipped)
	}
	return d.dec.Skip()
}

func (d *JSON) time() error {
	var text []byte
	switch d.dec.Next() {
	case jx.Number:
		n, err := d.dec.Num()
		if err != nil {
			return err
		}
		text = n
		d.shape.note(d.text, text, timeRole, false)
		if !isNumber(text) {
			return d.refuse(stream.Malformed, "the time %s has an exponent", clip(text))
		}
	case jx.String:
		s, err := d.dec.StrBytes()
		if err != nil {
			return err
		}
		text = s
		d.shape.note(d.text, text, timeRole, true)
	default:
		return d.refuse(stream.Malformed, "the time is neither a number nor text")
	}
	t, err := d.times.parse(text, "")
	if err != nil {
		return d.refuse(stream.Malformed, "the time %q is %v", clip(text), err)
	}
	d.record.Time = t
	return nil
}

// name reads the name of the series or variable, or the value of a tag, which may be a number.
func (d *JSON) name(as role, of string, name *string, in *interner) error {
	switch d.dec.Next() {
	case jx.Number:
		n, err := d.dec.Num()
		if err != nil {
			return err
		}
		d.shape.note(d.text, n, as, false)
		*name = in.get(n)
		return nil
	case jx.String:
		s, err := d.dec.StrBytes()
		if err != nil {
			return err
		}
		d.shape.note(d.text, s, as, true)
		*name = in.get(s)
		return nil
	}
	return d.refuse(stream.Malformed, "the name of the %s is neither text nor a number", of)
}

// value reads a member of the object of values. As a rule the names are those of
// the message before, in the same order, and are not looked up.
func (d *JSON) value(_ *jx.Decoder, key []byte) error {
	n := len(d.namesOf)
	if d.asBefore && n < len(d.before) && d.before[n] == string(key) {
		d.namesOf = d.before[:n+1]
		return d.number(d.before[n])
	}
	if d.asBefore {
		d.asBefore = false
		for _, name := range d.namesOf {
			d.seen[name] = d.message
		}
	}
	if d.seen[string(key)] == d.message {
		return d.refuse(stream.Malformed, "the variable %q is there twice", clip(key))
	}
	name := d.names.get(key)
	d.seen[name] = d.message
	d.namesOf = append(d.namesOf, name)
	return d.number(name)
}

// flat reads a member of a message whose values are among its members.
func (d *JSON) flat(key []byte) error {
	switch d.dec.Next() {
	case jx.Number, jx.Null, jx.Bool:
		return d.value(nil, key)
	}
	return d.skip()
}

// dropValues forgets the values that stood beside the time: the message has an object of them.
func (d *JSON) dropValues() {
	if len(d.values) == 0 {
		return
	}
	d.namesOf, d.values = d.namesOf[:0], d.values[:0]
	d.message++ // no name was seen
	d.shape.holes = slices.DeleteFunc(d.shape.holes, func(h hole) bool { return h.role == valuesRole })
}

// element reads an element of the array of values.
func (d *JSON) element(*jx.Decoder) error { return d.number("") }

// number reads a value; name is that of its variable, if it has one.
func (d *JSON) number(name string) error {
	if len(d.values) >= d.c.MaxDim {
		return d.refuse(stream.TooLarge, "more than %d values", d.c.MaxDim)
	}
	v := math.NaN()
	switch t := d.dec.Next(); t {
	case jx.Number:
		n, err := d.dec.Num()
		if err != nil {
			return err
		}
		d.shape.note(d.text, n, valuesRole, false)
		if v, err = decimal.Parse(n); err != nil { // out of range is infinite: the engine refuses it as such
			return err
		}
	case jx.Null:
		null, err := d.dec.Raw()
		if err != nil {
			return err
		}
		d.shape.note(d.text, null, valuesRole, false)
	case jx.Bool:
		b, err := d.dec.Bool()
		if err != nil {
			return err
		}
		d.shape.holes = append(d.shape.holes, hole{from: -1}) // is read, not filled in
		if v = 0; b {
			v = 1
		}
	case jx.Invalid:
		return d.dec.Skip() // says what is wrong
	default:
		if name == "" {
			name = "#" + strconv.Itoa(len(d.values)+1)
		}
		return d.refuse(stream.Malformed, "the value of %q is of type %s, not a number, true, false or null", name, t)
	}
	d.values = append(d.values, v)
	return nil
}
