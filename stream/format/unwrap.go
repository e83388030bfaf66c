package format

import (
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/internal/object"
)

// unwrap decodes a message without a time or without values if it is an envelope; ok: it is one.
func (d *JSON) unwrap(r *stream.Record, m *stream.Message) (ok bool, err error) {
	if d.base != d.root {
		return false, nil // in an envelope
	}
	e := object.EnvelopeOf(m.Value)
	switch {
	case e == nil:
		return false, nil
	case e.Deleted:
		return true, stream.ErrDeleted
	}
	if d.inside == nil || d.inside.c.base != e.Path {
		c := d.c
		c.base = e.Path
		if d.either {
			c.Values = ""
		}
		if d.inside, err = NewJSON(c); err != nil {
			return true, err
		}
		if d.c.Assume != nil && !d.assumed {
			d.assumed = true
			d.c.Assume(object.EnvelopeText(e))
		}
	}
	return true, d.inside.Decode(r, m)
}
