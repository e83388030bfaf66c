package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/stream"
)

// timeField returns the field of an object that is named as times are, time if there are several, or
// else FIELD.
func timeField(object []byte) string {
	name := "FIELD"
	_ = jx.DecodeBytes(object).ObjBytes(func(d *jx.Decoder, key []byte) error { // it was read before
		if name != "time" && slices.Contains(timeNames, strings.ToLower(string(key))) {
			name = string(key)
		}
		return d.Skip()
	})
	return name
}

// noTime says which setting names the time of a message, and which one its values where they need one, too.
func (d *JSON) noTime(message []byte) error {
	field, nested := timeField(message), ""
	if d.either && !d.found[valuesRole] {
		c := d.c
		c.Time = field
		if nested = nestedValues(message, c); nested != "" {
			nested = "; " + nested
		}
	}
	return fault(stream.Facts{Remedy: ": " + d.c.Names.Set("JSONConfig.Time", field) + nested}, "no time at %q", d.c.Time)
}

// notAnObject names the mistake in a message that the parser has refused, and
// where: encoding/json has better words for it.
func (d *JSON) notAnObject(value []byte) error {
	if what := d.c.Names.Unreadable(value); what != "" {
		return refuse(stream.Malformed, "%s", what)
	}
	var v json.RawMessage
	err := json.Unmarshal(value, &v)
	var at *json.SyntaxError
	if !errors.As(err, &at) {
		return fault(stream.Facts{Fault: stream.NotObject}, "not a JSON object but %s", clip(bytes.TrimSpace(value)))
	}
	before := value[:min(int(at.Offset), len(value))]
	if strings.HasPrefix(at.Error(), "invalid character") {
		before = before[:len(before)-1]
	}
	return fault(stream.Facts{Fault: stream.NotObject}, "not JSON at byte %d: %v; before it %#q", at.Offset, at, before[max(0, len(before)-20):])
}
