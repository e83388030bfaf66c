package object

import (
	"strings"

	"github.com/go-faster/jx"
)

// Envelope describes the members around the record of a message. Kafka Connect's JsonConverter writes
// {"schema": ..., "payload": RECORD}, and Debezium {"before": ..., "after": RECORD, "op": "c", ...}, which Connect
// may put into its own.
type Envelope struct {
	Path    string // path of the record
	Deleted bool   // there is no record: a row was deleted, or a table was emptied
}

// EnvelopeOf recognises an envelope by its members; nil: the message is not an envelope.
func EnvelopeOf(message []byte) *Envelope {
	e, inside := &Envelope{}, message
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
		e.Path, e.Deleted, inside = "payload", payload.Type() == jx.Null, payload
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
		e.Path = strings.TrimPrefix(e.Path+".after", ".")
		e.Deleted = after.Type() != jx.Object
	}
	if e.Path == "" {
		return nil
	}
	return e
}

// eachMember calls f for each member of an object. The caller has checked that the text is valid JSON.
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

// EnvelopeText names the envelope.
func EnvelopeText(e *Envelope) string {
	return "the record of a message is " + e.Path + ", paths begin there"
}
