package sniff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/format/internal/object"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// JSON completes c from the first lines of a file. Its assumptions list the parts that are ignored: objects and
// arrays beside numbers, numbers beside the object of values, and text. It finds the members that separate series by
// the rules that CSV has for columns.
func JSON(sample []byte, more bool, c format.JSONConfig) (format.JSONConfig, []Assumption, error) {
	if c.Long {
		return c, nil, nil
	}
	var n object.Members
	lines := sampleLines(sample)
	if whole := slices.IndexFunc(lines, func(l sampleLine) bool { return json.Valid(l.text) }); whole > 0 {
		lines = lines[whole:] // the members of a broken first line say nothing about the time
	}
	if len(lines) > 0 {
		if e := object.EnvelopeOf(lines[0].text); e != nil && object.TimeField(lines[0].text) == "FIELD" {
			return c, []Assumption{{Text: object.EnvelopeText(e), Usual: true}}, nil
		}
	}
	time := c.Time
	if time == "" && len(lines) > 0 {
		time = object.TimeField(lines[0].text) // the decoder proposes the setting for this member
	}
	for _, line := range lines {
		n.Read(line.text, time, c.Series, c.Tags)
	}
	out, err := findSeries(&n, &c, cmp.Or(time, "time"), more)
	if err != nil || c.Values != "" {
		return c, out, err
	}
	value := format.Flat
	switch {
	case n.Values:
		value = "values"
		if flat := slices.DeleteFunc(slices.Clone(n.Flat), func(name string) bool { return name == c.Series || slices.Contains(c.Tags, name) }); len(flat) > 0 {
			out = append(out, Assumption{Text: object.SomeOf(flat) + " left out, beside the object values", Field: "JSONConfig.Values", Value: value})
		}
	case len(n.Flat) > 0 && len(n.Nested) > 0:
		text := fmt.Sprintf("%s left out (%s)", object.SomeOf(n.Nested), n.Remedy(c.Names.Set))
		out = append(out, Assumption{Text: text, Field: "JSONConfig.Values", Value: value})
	}
	if names := texts(&n, &c); len(names) > 0 {
		out = append(out, Assumption{Text: fmt.Sprintf("text of %s left out", object.SomeOf(names)), Field: "JSONConfig.Values", Value: value})
	}
	return c, out, nil
}

// findSeries completes c by the form of the times, and the members that separate series.
func findSeries(n *object.Members, c *format.JSONConfig, time string, more bool) (out []Assumption, err error) {
	s := sniffer{header: append([]string{time}, n.Names...), times: timestamp.NewReader(c.TimeUnit, timestamp.YearFirst, nil, false), more: more}
	for _, r := range n.Rows {
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
		out = append(out, Assumption{Text: "a series for each " + strings.Join(c.Tags, " and "), Field: "JSONConfig.Tags", Value: cells.List(c.Tags)})
	case len(set) > 0 && c.Values == "":
		err = s.mixed(set[0], c.Names.Set("JSONConfig.Series", s.header[set[0]]), c.Names.Set("JSONConfig.Values", format.Flat))
	}
	return out, err
}

// texts returns the members whose text differs between the lines and that the configuration does not name.
func texts(n *object.Members, c *format.JSONConfig) (names []string) {
	for _, name := range n.Text {
		if name != c.Series && !slices.Contains(c.Tags, name) && slices.ContainsFunc(n.Rows, func(r map[string]string) bool { return r[name] != n.Rows[0][name] }) {
			names = append(names, name)
		}
	}
	return names
}
