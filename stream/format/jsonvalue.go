package format

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/format/internal/intern"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/internal/decimal"
	"github.com/orffvar/forecaster/stream/refuse"
)

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
		if !timestamp.IsNumber(text) {
			return d.refuse(refuse.Malformed, "the time %s has an exponent", cells.Clip(text))
		}
	case jx.String:
		s, err := d.dec.StrBytes()
		if err != nil {
			return err
		}
		text = s
		d.shape.note(d.text, text, timeRole, true)
	default:
		return d.refuse(refuse.Malformed, "the time is neither a number nor text")
	}
	t, err := d.times.Parse(text, "")
	if err != nil {
		if timestamp.DayFirst.Reads(text) || timestamp.MonthFirst.Reads(text) {
			err = errors.New("a date that does not begin with the year, which only CSV may have: write it as 2006-01-02")
		}
		return d.refuse(refuse.Malformed, "the time %q is %v", cells.Clip(text), err)
	}
	d.record.Time = t
	return nil
}

// name reads the name of the series or variable, or the value of a tag. Each may be a text or a number.
func (d *JSON) name(as role, of string, name *string, in *intern.Strings) error {
	switch d.dec.Next() {
	case jx.Number:
		n, err := d.dec.Num()
		if err != nil {
			return err
		}
		d.shape.note(d.text, n, as, false)
		*name = in.Get(n)
		return nil
	case jx.String:
		s, err := d.dec.StrBytes()
		if err != nil {
			return err
		}
		d.shape.note(d.text, s, as, true)
		*name = in.Get(s)
		return nil
	}
	return d.refuse(refuse.Malformed, "the name of the %s is neither text nor a number", of)
}

// value reads a member of the object of values. Names in the order of the previous message, the usual case, need no
// look-up.
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
		return d.refuse(refuse.Malformed, "the variable %q is there twice", cells.Clip(key))
	}
	name := d.names.Get(key)
	d.seen[name] = d.message
	d.namesOf = append(d.namesOf, name)
	return d.number(name)
}

// flat reads a member of a message with values beside the time.
func (d *JSON) flat(key []byte) error {
	switch d.dec.Next() {
	case jx.Number, jx.Null, jx.Bool:
		return d.value(nil, key)
	}
	return d.skip()
}

// dropValues removes the values that were found beside the time, because the message has an object of values.
func (d *JSON) dropValues() {
	if len(d.values) == 0 {
		return
	}
	d.namesOf, d.values = d.namesOf[:0], d.values[:0]
	d.message++ // so that no name counts as seen
	d.shape.holes = slices.DeleteFunc(d.shape.holes, func(h hole) bool { return h.role == valuesRole })
}

// element reads an element of the array of values.
func (d *JSON) element(*jx.Decoder) error { return d.number("") }

// number reads a value; name is the name of its variable, if it has one.
func (d *JSON) number(name string) error {
	if len(d.values) >= d.c.MaxDim {
		return d.refuse(refuse.TooLarge, "more than %d values", d.c.MaxDim)
	}
	v := math.NaN()
	switch t := d.dec.Next(); t {
	case jx.Number:
		n, err := d.dec.Num()
		if err != nil {
			return err
		}
		d.shape.note(d.text, n, valuesRole, false)
		if v, err = decimal.Parse(n); err != nil { // a number out of range becomes infinite, which the engine refuses
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
		d.shape.holes = append(d.shape.holes, hole{from: -1}) // the next message must be parsed
		if v = 0; b {
			v = 1
		}
	case jx.Invalid:
		return d.dec.Skip() // returns the error
	default:
		if name == "" {
			name = "#" + strconv.Itoa(len(d.values)+1)
		}
		return d.refuse(refuse.Malformed, "the value of %q is of type %s, not a number, true, false or null", name, t)
	}
	d.values = append(d.values, v)
	return nil
}
