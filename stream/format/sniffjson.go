package format

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// SniffJSON completes c from the first lines of a file, and says which parts are left out: objects and
// arrays beside numbers, numbers beside the object of the values, and text. It finds the members that
// separate series as SniffCSV finds columns.
func SniffJSON(sample []byte, more bool, c JSONConfig) (JSONConfig, []Assumption, error) {
	if c.Long {
		return c, nil, nil
	}
	var n members
	lines := sampleLines(sample)
	if len(lines) > 0 {
		if e := envelopeOf(lines[0].text); e != nil && timeField(lines[0].text) == "FIELD" {
			return c, []Assumption{{Text: envelopeText(e), Usual: true}}, nil
		}
	}
	asked := c
	if asked.Time == "" && len(lines) > 0 {
		asked.Time = timeField(lines[0].text) // its text is not left out: the decoder names the setting
	}
	for _, line := range lines {
		n.read(line.text, asked)
	}
	out, err := n.findSeries(&c, cmp.Or(asked.Time, "time"), more)
	if err != nil || c.Values != "" {
		return c, out, err
	}
	value := Flat
	switch {
	case n.values:
		value = "values"
		if flat := slices.DeleteFunc(slices.Clone(n.flat), func(name string) bool { return name == c.Series || slices.Contains(c.Tags, name) }); len(flat) > 0 {
			out = append(out, Assumption{Text: someOf(flat) + " left out, beside the object values", Field: "JSONConfig.Values", Value: value})
		}
	case len(n.flat) > 0 && len(n.nested) > 0:
		text := fmt.Sprintf("%s left out (%s)", someOf(n.nested), n.remedy(c.Names))
		out = append(out, Assumption{Text: text, Field: "JSONConfig.Values", Value: value})
	}
	if names := n.texts(&c); len(names) > 0 {
		out = append(out, Assumption{Text: fmt.Sprintf("text of %s left out", someOf(names)), Field: "JSONConfig.Values", Value: value})
	}
	return c, out, nil
}

// findSeries completes c by the form of the times, and the members that separate series.
func (n *members) findSeries(c *JSONConfig, time string, more bool) (out []Assumption, err error) {
	s := sniffer{header: append([]string{time}, n.names...), times: timestamp.NewReader(c.TimeUnit, timestamp.YearFirst, nil, false), more: more}
	for _, r := range n.rows {
		row := make([]string, len(s.header))
		for i, name := range s.header {
			row[i] = r[name]
		}
		s.rows = append(s.rows, row)
	}
	s.out.CSV.TimeUnit, s.out.CSV.Names = c.TimeUnit, c.Names
	if len(s.rows) == 0 || s.nearlyAll(0, func(cell string) bool { return cell == "" }) {
		return nil, nil
	}
	if err := s.findForm(); err != nil {
		return nil, err
	}
	c.TimeUnit, out = s.out.CSV.TimeUnit, s.out.Assumptions
	set, sure := s.seriesBy()
	switch {
	case c.Series != "" || len(c.Tags) > 0:
	case len(set) == 1 && sure:
		c.Series = s.header[set[0]]
		out = append(out, Assumption{Text: "a series for each " + c.Series, Field: "JSONConfig.Series", Value: c.Series})
	case sure:
		for _, i := range set {
			c.Tags = append(c.Tags, s.header[i])
		}
		out = append(out, Assumption{Text: "a series for each " + strings.Join(c.Tags, " and "), Field: "JSONConfig.Tags", Value: list(c.Tags)})
	case len(set) > 0 && c.Values == "":
		err = s.mixed(set[0], c.Names.Set("JSONConfig.Series", s.header[set[0]]), c.Names.Set("JSONConfig.Values", Flat))
	}
	return out, err
}

// members are the paths of what objects have.
type members struct {
	values bool     // there is an object or array of this name
	flat   []string // numbers beside the time
	nested []string // numbers in other objects and arrays
	inner  []*inside
	text   []string            // texts beside the time
	names  []string            // of flat and text, as they come
	rows   []map[string]string // of names and the time
}

// inside is an object or array within the messages.
type inside struct {
	path    string
	numbers int
	asked   bool // has the time or the series: a member without a number is left out
	mixed   bool // with other members than numbers, true, false and null: it cannot be read as values
}

// flatten makes one flat object of each nested one.
const flatten = `jq -c '[paths(type != "object" and type != "array") as $p | {key: $p | map(tostring) | join("."), value: getpath($p)}] | from_entries' IN > OUT.jsonl`

// remedy says how the numbers within objects become values: by the setting for the object or array
// that has the most numbers and nothing else, if there is one.
func (n *members) remedy(names Names) string {
	best := inside{}
	for _, o := range n.inner {
		if (!o.mixed || o.asked) && o.numbers > best.numbers {
			best = *o
		}
	}
	if best.numbers == 0 {
		return "make the lines flat with  " + flatten
	}
	return fmt.Sprintf("%s reads %s alone", names.Set("JSONConfig.Values", best.path), best.path)
}

// at returns the object or array at a path.
func (n *members) at(path string) *inside {
	for _, o := range n.inner {
		if o.path == path {
			return o
		}
	}
	n.inner = append(n.inner, &inside{path: path})
	return n.inner[len(n.inner)-1]
}

// texts returns the members whose text differs between the lines and is not asked for.
func (n *members) texts(c *JSONConfig) (names []string) {
	for _, name := range n.text {
		if name != c.Series && !slices.Contains(c.Tags, name) && slices.ContainsFunc(n.rows, func(r map[string]string) bool { return r[name] != n.rows[0][name] }) {
			names = append(names, name)
		}
	}
	return names
}

// read adds the numbers and texts of an object that are not asked for otherwise.
func (n *members) read(object []byte, c JSONConfig) {
	asked := append([]string{c.Time, c.Series}, c.Tags...)
	if c.Time == "" {
		asked[0] = "time"
	}
	row := make(map[string]string)
	n.rows = append(n.rows, row)
	add := func(to *[]string, name string) {
		if !slices.Contains(asked, name) && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	_ = jx.DecodeBytes(object).ObjBytes(func(d *jx.Decoder, key []byte) error { // the decoder refuses other text
		switch name := string(key); d.Next() {
		case jx.Object, jx.Array:
			if name == "values" {
				n.values = true
				return d.Skip()
			}
			return n.within(d, name, asked)
		case jx.Number, jx.Bool:
			raw, err := d.Raw()
			row[name] = string(raw)
			add(&n.flat, name)
			add(&n.names, name)
			return err
		case jx.String:
			text, err := d.Str()
			row[name] = text
			add(&n.text, name)
			add(&n.names, name)
			return err
		}
		return d.Skip()
	})
}

// within adds the numbers of an object or array at a path.
func (n *members) within(d *jx.Decoder, path string, asked []string) error {
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
			if !slices.Contains(n.nested, path) {
				n.nested = append(n.nested, path)
			}
		}
		return d.Skip()
	}
	if d.Next() == jx.Array {
		return d.Arr(func(d *jx.Decoder) error { return add(d, path) })
	}
	return d.ObjBytes(func(d *jx.Decoder, key []byte) error { return add(d, path+"."+string(key)) })
}

// nestedValues says how the numbers within the objects of a message that has none beside the time
// become values, "" = there are none.
func nestedValues(message []byte, c JSONConfig) string {
	var n members
	n.read(bytes.TrimSpace(message), c)
	if len(n.nested) == 0 {
		return ""
	}
	return fmt.Sprintf("the numbers %s stand within objects: %s", someOf(n.nested), n.remedy(c.Names))
}

// someOf lists the first names of many.
func someOf(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
