package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/format/internal/object"
	"github.com/orffvar/forecaster/stream/refuse"
)

// noTime returns the refusal of a message without a time. It proposes the setting for the time, and the setting
// for the values if they need one, too.
func (d *JSON) noTime(message []byte) error {
	field, nested := object.TimeField(message), ""
	if d.either && !d.found[valuesRole] {
		if nested = object.NestedValues(message, field, d.c.Series, d.c.Tags, d.c.Names.Set); nested != "" {
			nested = "; " + nested
		}
	}
	return fault(refuse.Facts{Remedy: ": " + d.c.Names.Set("JSONConfig.Time", field) + nested}, "no time at %q", d.c.Time)
}

// notAnObject returns the mistake and its place in a message that the parser has refused. The words are those of
// encoding/json, which are better.
func (d *JSON) notAnObject(value []byte) error {
	if what := d.c.Names.Unreadable(value); what != "" {
		return refuse.New(refuse.Malformed, "%s", what)
	}
	var v json.RawMessage
	err := json.Unmarshal(value, &v)
	var at *json.SyntaxError
	if !errors.As(err, &at) {
		return fault(refuse.Facts{Fault: refuse.NotObject}, "not a JSON object but %s", cells.Clip(bytes.TrimSpace(value)))
	}
	before := value[:min(int(at.Offset), len(value))]
	if strings.HasPrefix(at.Error(), "invalid character") {
		before = before[:len(before)-1]
	}
	return fault(refuse.Facts{Fault: refuse.NotObject}, "not JSON at byte %d: %v; before it %#q", at.Offset, at, before[max(0, len(before)-20):])
}
