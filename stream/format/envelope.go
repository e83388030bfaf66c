package format

import (
	"strings"

	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/stream"
)

// envelope is what a message has around its record. Kafka Connect's JsonConverter writes
// {"schema": ..., "payload": RECORD}, and Debezium {"before": ..., "after": RECORD, "op": "c", ...}, which Connect
// may put into its own.
type envelope struct {
	path    string // of the record
	deleted bool   // there is none: a row was deleted, or a table emptied
}

// envelopeOf recognises an envelope by its members; nil = the message is none.
func envelopeOf(message []byte) *envelope {
	e, inside := &envelope{}, message
	payload, others := jx.Raw(nil), 0
	eachMember(message, func(name string, value jx.Raw) {
		switch name {
		case "payload":
			payload = value
		case "schema":
		default:
			others++
		}
	})
	if others == 0 && (payload.Type() == jx.Object || payload.Type() == jx.Null) {
		e.path, e.deleted, inside = "payload", payload.Type() == jx.Null, payload
	}
	var after, op jx.Raw
	source := false
	eachMember(inside, func(name string, value jx.Raw) {
		switch name {
		case "after":
			after = value
		case "op":
			op = value
		case "ts_ms", "source":
			source = true
		}
	})
	if source && op.Type() == jx.String && (after.Type() == jx.Object || after.Type() == jx.Null || after == nil) {
		e.path = strings.TrimPrefix(e.path+".after", ".")
		e.deleted = after.Type() != jx.Object
	}
	if e.path == "" {
		return nil
	}
	return e
}

// eachMember calls f with the members of an object that a decoder has read before, of no other value.
func eachMember(object []byte, f func(name string, value jx.Raw)) {
	if d := jx.DecodeBytes(object); d.Next() == jx.Object {
		_ = d.ObjBytes(func(d *jx.Decoder, key []byte) error {
			value, err := d.Raw()
			if err == nil {
				f(string(key), value)
			}
			return err
		})
	}
}

// unwrap decodes a message without a time or values of its own, if it is an envelope; ok = it is one.
func (d *JSON) unwrap(r *stream.Record, m *stream.Message) (ok bool, err error) {
	if d.base != d.root {
		return false, nil // in an envelope
	}
	e := envelopeOf(m.Value)
	switch {
	case e == nil:
		return false, nil
	case e.deleted:
		return true, stream.ErrDeleted
	}
	if d.inside == nil || d.inside.c.base != e.path {
		c := d.c
		c.base = e.path
		if d.either {
			c.Values = ""
		}
		if d.inside, err = NewJSON(c); err != nil {
			return true, err
		}
		if d.c.Assume != nil && !d.assumed {
			d.assumed = true
			d.c.Assume(envelopeText(e))
		}
	}
	return true, d.inside.Decode(r, m)
}

// envelopeText names the envelope.
func envelopeText(e *envelope) string {
	return "the record of a message is " + e.path + ", paths begin there"
}
