package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"github.com/orffvar/forecaster/internal/shell"
)

// SniffJSON returns the parts that are left out of the first lines of a file: objects and arrays
// beside numbers, numbers beside the object of the values, and text that is not the same in
// all lines, which may name several series.
func SniffJSON(sample []byte, c JSONConfig) (out []Assumption) {
	if c.Long || c.Values != "" {
		return nil
	}
	var n members
	lines := sampleLines(sample)
	if len(lines) > 0 {
		if e := envelopeOf(lines[0].text); e != nil && timeField(lines[0].text) == "FIELD" {
			return []Assumption{{Text: envelopeText(e), Usual: true}}
		}
	}
	if c.Time == "" && len(lines) > 0 {
		c.Time = timeField(lines[0].text) // its text is not left out: the decoder names the setting
	}
	for _, line := range lines {
		n.read(line.text, c)
	}
	setting := "input.json.values_field=" + Flat
	switch {
	case n.values:
		setting = "input.json.values_field=values"
		if len(n.flat) > 0 {
			out = append(out, Assumption{Text: someOf(n.flat) + " left out, beside the object values", Setting: setting})
		}
	case len(n.flat) > 0 && len(n.nested) > 0:
		text := fmt.Sprintf("%s left out (%s)", someOf(n.nested), n.remedy())
		out = append(out, Assumption{Text: text, Setting: setting})
	}
	if text := n.leftOut(c, len(lines)); text != "" {
		out = append(out, Assumption{Text: text, Setting: setting})
	}
	return out
}

// members are the paths of what objects have.
type members struct {
	values bool     // there is an object or array of this name
	flat   []string // numbers beside the time
	nested []string // numbers in other objects and arrays
	inner  []*inside
	text   []texts // beside the time
}

// inside is an object or array within the messages.
type inside struct {
	path    string
	numbers int
	asked   bool // has the time or the series: what is no number is left out
	mixed   bool // with other members than numbers, true, false and null: it cannot be read as values
}

// flatten makes one flat object of each nested one.
const flatten = `jq -c '[paths(type != "object" and type != "array") as $p | {key: $p | map(tostring) | join("."), value: getpath($p)}] | from_entries' IN > OUT.jsonl`

// remedy says how the numbers within objects become values: by the setting for the object or array
// that has the most numbers and nothing else, if there is one.
func (n *members) remedy() string {
	best := inside{}
	for _, o := range n.inner {
		if (!o.mixed || o.asked) && o.numbers > best.numbers {
			best = *o
		}
	}
	if best.numbers == 0 {
		return "make the lines flat with  " + flatten
	}
	return fmt.Sprintf("--set %s reads %s alone", shell.Quote("input.json.values_field="+best.path), best.path)
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

// texts are the different texts of a member.
type texts struct {
	name string
	seen map[string]bool
}

// leftOut says which members have text that differs between so many lines, and which of them
// repeats its texts, as the name of a series does; "" = none.
func (n *members) leftOut(c JSONConfig, lines int) string {
	var names []string
	series := ""
	for _, t := range n.text {
		if len(t.seen) < 2 {
			continue
		}
		names = append(names, t.name)
		if series == "" && c.Series == "" && len(c.Tags) == 0 && 2*len(t.seen) <= lines {
			series = t.name
		}
	}
	switch {
	case names == nil:
		return ""
	case series == "":
		return fmt.Sprintf("text of %s left out", someOf(names))
	}
	return fmt.Sprintf("text of %s left out (--set %s makes a series for each)", someOf(names), shell.Quote("input.json.series_field="+series))
}

// addText adds a text of a member.
func (n *members) addText(name, text string) {
	i := slices.IndexFunc(n.text, func(t texts) bool { return t.name == name })
	if i < 0 {
		i = len(n.text)
		n.text = append(n.text, texts{name, make(map[string]bool)})
	}
	n.text[i].seen[text] = true
}

// read adds the numbers and texts of an object that are not asked for otherwise.
func (n *members) read(object []byte, c JSONConfig) {
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
			return n.within(d, name, asked)
		case jx.Number, jx.Bool:
			if !slices.Contains(asked, name) && !slices.Contains(n.flat, name) {
				n.flat = append(n.flat, name)
			}
		case jx.String:
			text, err := d.Str()
			if err == nil && !slices.Contains(asked, name) {
				n.addText(name, text)
			}
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
	return fmt.Sprintf("the numbers %s stand within objects: %s", someOf(n.nested), n.remedy())
}

// someOf lists the first names of many.
func someOf(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
