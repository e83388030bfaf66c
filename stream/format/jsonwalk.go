package format

import (
	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/refuse"
)

// enter reads the next value, an object, with f for its members.
func (d *JSON) enter(f func(*jx.Decoder, []byte) error) error {
	if err := d.deeper(); err != nil {
		return err
	}
	defer func() { d.depth-- }()
	return d.dec.ObjBytes(f)
}

func (d *JSON) deeper() error {
	if d.depth++; d.depth > d.c.MaxDepth {
		return d.refuse(refuse.TooLarge, "nested deeper than %d", d.c.MaxDepth)
	}
	return nil
}

// object reads one member of an object on the path to the configured members.
func (d *JSON) object(_ *jx.Decoder, key []byte) error {
	m := d.at.child(key)
	if m == nil {
		if d.at.open || d.at == d.base && d.either && !d.found[valuesRole] {
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
	if m.role == inner || m.open {
		if d.dec.Next() != jx.Object {
			return d.skip()
		}
		if m.open && d.found[valuesRole] {
			return d.refuse(refuse.Malformed, "the member %q is there twice", cells.Clip(key))
		}
		d.found[valuesRole] = d.found[valuesRole] || m.open
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
		return d.refuse(refuse.Malformed, "the member %q is there twice", cells.Clip(key))
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
	return d.refuse(refuse.Malformed, "the values are neither an object nor an array")
}

// skip skips the next value, and checks its depth.
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
