package object

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-faster/jx"
)

var TimeNames = []string{"time", "timestamp", "date", "datetime", "date_time", "ds", "ts", "_time", "@timestamp", "epoch", "year"}

// TimeField returns the member of an object with the name of a time; of several, the member time. Without any it
// returns FIELD.
func TimeField(object []byte) string {
	name := "FIELD"
	_ = jx.DecodeBytes(object).ObjBytes(func(d *jx.Decoder, key []byte) error { // it was read before
		if name != "time" && slices.Contains(TimeNames, strings.ToLower(string(key))) {
			name = string(key)
		}
		return d.Skip()
	})
	return name
}

// Members are the paths of the members in the first objects of a file.
type Members struct {
	Values bool     // there is an object or array named values
	Flat   []string // numbers beside the time
	Nested []string // numbers in other objects and arrays
	inner  []*inside
	Text   []string            // texts beside the time
	Names  []string            // names in Flat and Text, in order of appearance
	Rows   []map[string]string // text of each name and the time, per object
}

// inside is an object or array within the objects.
type inside struct {
	path    string
	numbers int
	asked   bool // it has the time or the series: a member without a number is ignored
	mixed   bool // it has members other than numbers, true, false and null: it cannot be the values
}

// flatten is the command that makes each nested object flat.
const flatten = `jq -c '[paths(type != "object" and type != "array") as $p | {key: $p | map(tostring) | join("."), value: getpath($p)}] | from_entries' IN > OUT.jsonl`

// Remedy returns the remedy for numbers in nested objects: the setting for the object or array with the most numbers
// and nothing else, or a command if there is none.
func (n *Members) Remedy(set func(field, value string) string) string {
	best := inside{}
	for _, o := range n.inner {
		if (!o.mixed || o.asked) && o.numbers > best.numbers {
			best = *o
		}
	}
	if best.numbers == 0 {
		return "make the lines flat with  " + flatten
	}
	return fmt.Sprintf("%s reads %s alone", set("JSONConfig.Values", best.path), best.path)
}

// at returns the object or array at a path.
func (n *Members) at(path string) *inside {
	for _, o := range n.inner {
		if o.path == path {
			return o
		}
	}
	n.inner = append(n.inner, &inside{path: path})
	return n.inner[len(n.inner)-1]
}

// Read adds the numbers and texts of an object, except the time, the series and the tags.
func (n *Members) Read(object []byte, time, series string, tags []string) {
	asked := append([]string{cmp.Or(time, "time"), series}, tags...)
	row := make(map[string]string)
	n.Rows = append(n.Rows, row)
	add := func(to *[]string, name string) {
		if !slices.Contains(asked, name) && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	_ = jx.DecodeBytes(object).ObjBytes(func(d *jx.Decoder, key []byte) error { // the decoder refuses other text
		switch name := string(key); d.Next() {
		case jx.Object, jx.Array:
			if name == "values" {
				n.Values = true
				return d.Skip()
			}
			return n.within(d, name, asked)
		case jx.Number, jx.Bool:
			raw, err := d.Raw()
			row[name] = string(raw)
			add(&n.Flat, name)
			add(&n.Names, name)
			return err
		case jx.String:
			text, err := d.Str()
			row[name] = text
			add(&n.Text, name)
			add(&n.Names, name)
			return err
		}
		return d.Skip()
	})
}

// within adds the numbers of an object or array at a path.
func (n *Members) within(d *jx.Decoder, path string, asked []string) error {
	o := n.at(path)
	add := func(d *jx.Decoder, path string) error {
		switch kind := d.Next(); {
		case kind == jx.Object || kind == jx.Array:
			o.mixed = true
			return n.within(d, path, asked)
		case slices.Contains(asked, path):
			o.asked = true
		case kind == jx.String:
			o.mixed = true
		case kind == jx.Number:
			o.numbers++
			if !slices.Contains(n.Nested, path) {
				n.Nested = append(n.Nested, path)
			}
		}
		return d.Skip()
	}
	if d.Next() == jx.Array {
		return d.Arr(func(d *jx.Decoder) error { return add(d, path) })
	}
	return d.ObjBytes(func(d *jx.Decoder, key []byte) error { return add(d, path+"."+string(key)) })
}

// NestedValues returns the remedy for a message whose numbers are all in nested objects; "": it has no numbers there.
// set returns the setting that gives a field a value.
func NestedValues(message []byte, time, series string, tags []string, set func(field, value string) string) string {
	var n Members
	n.Read(bytes.TrimSpace(message), time, series, tags)
	if len(n.Nested) == 0 {
		return ""
	}
	return fmt.Sprintf("the numbers %s stand within objects: %s", SomeOf(n.Nested), n.Remedy(set))
}

// SomeOf lists the first names of many.
func SomeOf(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
