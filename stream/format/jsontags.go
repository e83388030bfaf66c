package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/refuse"
)

// tagValue is a tag and its value in the current message; "": the message lacks the tag.
type tagValue struct{ path, key, value string }

// setTags prepares the tags at the paths.
func (d *JSON) setTags(paths []string) error {
	for _, path := range paths {
		key := path[strings.LastIndexByte(path, '.')+1:]
		if key == "" || slices.ContainsFunc(d.tags, func(t tagValue) bool { return t.key == key }) {
			return fmt.Errorf("the paths of the tags must end in different names, got %q", paths)
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
		return d.refuse(refuse.Malformed, "the member %q is there twice", cells.Clip(key))
	}
	if d.dec.Next() == jx.Null {
		return d.dec.Skip()
	}
	return d.name(as, "tag", &t.value, d.names)
}

// unnamedSeries returns the series of a message that does not name it: the tags ("" without any), or the key.
func (d *JSON) unnamedSeries(m *stream.Message) string {
	if len(d.tags) == 0 {
		return d.series.Get(m.Key)
	}
	d.nameOf = d.nameOf[:0]
	for i := range d.tags {
		if t := &d.tags[i]; t.value != "" {
			d.nameOf = AppendTag(d.nameOf, t.key, t.value)
		}
	}
	return d.series.Get(d.nameOf)
}
