package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-faster/jx"
)

// SniffJSON returns the parts with numbers that are left out of the first lines of a file:
// objects and arrays beside numbers, or numbers beside the object of the values.
func SniffJSON(sample []byte, c JSONConfig) []Assumption {
	if c.Long || c.Values != "" {
		return nil
	}
	var n numbers
	for _, line := range sampleLines(sample) {
		n.read(line.text, c)
	}
	switch {
	case n.values && len(n.flat) > 0:
		return []Assumption{{someOf(n.flat) + " left out, beside the object values", "input.json.values_field=values"}}
	case len(n.flat) > 0 && len(n.nested) > 0:
		return []Assumption{{
			fmt.Sprintf("%s left out (input.json.values_field=%s reads %s alone)", someOf(n.nested), n.object, n.object),
			"input.json.values_field=" + Flat,
		}}
	}
	return nil
}

// numbers are the paths of the numbers of objects.
type numbers struct {
	values bool     // there is an object or array of this name
	flat   []string // beside the time
	nested []string // in other objects and arrays
	object string   // the first one with numbers
}

// read adds the numbers of an object that are not asked for otherwise.
func (n *numbers) read(object []byte, c JSONConfig) {
	asked := append([]string{c.Time, c.Series}, c.Tags...)
	if c.Time == "" {
		asked[0] = "time"
	}
	_ = jx.DecodeBytes(object).ObjBytes(func(d *jx.Decoder, key []byte) error { // the decoder refuses what is wrong
		switch name := string(key); d.Next() {
		case jx.Object, jx.Array:
			if name == "values" {
				n.values = true
				return d.Skip()
			}
			return n.within(d, name, name, asked)
		case jx.Number, jx.Bool:
			if !slices.Contains(asked, name) && !slices.Contains(n.flat, name) {
				n.flat = append(n.flat, name)
			}
		}
		return d.Skip()
	})
}

// within adds the numbers of an object or array at a path.
func (n *numbers) within(d *jx.Decoder, object, path string, asked []string) error {
	switch d.Next() {
	case jx.Object:
		return d.ObjBytes(func(d *jx.Decoder, key []byte) error {
			return n.within(d, path, path+"."+string(key), asked)
		})
	case jx.Array:
		return d.Arr(func(d *jx.Decoder) error { return n.within(d, path, path, asked) })
	case jx.Number:
		if !slices.Contains(asked, path) && !slices.Contains(n.nested, path) {
			n.nested = append(n.nested, path)
			if n.object == "" {
				n.object = object
			}
		}
	}
	return d.Skip()
}

// nestedObject returns the first object or array with numbers in a message that has none beside
// the time, "" = none.
func nestedObject(message []byte, c JSONConfig) string {
	var n numbers
	n.read(bytes.TrimSpace(message), c)
	return n.object
}

// someOf lists the first names of many.
func someOf(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
