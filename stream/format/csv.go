package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/format/internal/intern"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/internal/decimal"
	"github.com/orffvar/forecaster/stream/refuse"
)

// CSVConfig describes the lines of a CSV file. With several columns in Series, the name of a series has a tag per
// column, in the form that TagsOf reads: host=a,rack=2. An empty field adds no tag.
type CSVConfig struct {
	Header   []string       // names of the columns; required
	Comma    byte           // separator of fields; 0: ','
	Series   []string       // columns that name the series; nil: the key of the message names it
	Time     string         // column with the time; "": the first column
	Clock    string         // column with the time of day if column Time has only the date; "": none
	TimeUnit timestamp.Unit // unit of a time that is a number

	// Names name the fields in errors.
	Names Names

	// DateOrder is the order of day and month in dates that do not begin with the year. Zone is the zone of
	// times without one; nil: UTC. The end of summer time repeats an hour: the order of a series' lines shows
	// which of the two is meant. Apart: each line is read by itself, and the first of the two is meant.
	DateOrder timestamp.Order
	Zone      *time.Location
	Apart     bool

	// OneOrder makes a date that is valid only in the other DateOrder an error instead of a refusal, because the
	// dates of earlier lines were then misread.
	OneOrder bool

	// Decimal is the decimal mark, '.' or ','; 0: '.', or ',' if Thousands is '.'. Thousands is the separator
	// between groups of three digits; 0: none. ' ' stands for any blank, '\'' for any apostrophe.
	Decimal   byte
	Thousands byte

	// Whole: the first lines of the file have only whole numbers, so they do not show what a point in a later
	// number means.
	Whole bool

	// Values are the columns with values, in order; nil: all other columns.
	Values []string

	// Lists are columns of the original file that are not in the lines, because they have several values per row.
	Lists []string

	// Variable is the column with the name of the variable, when a line has one value, in the only column of
	// Values; "": each column of Values is a variable.
	Variable string

	// Missing are further spellings of a missing value. The empty field and the spellings of common programs,
	// such as NA, NaN, null, -, #N/A and \N, always count. A number stands for all its spellings: -999 for -999.0.
	Missing []string

	// Units are the units after, or the currencies before, the numbers of a column, such as " °C" or "€".
	Units map[string]string

	// MaxBytes is the largest length of a line; 0: 1 MiB.
	MaxBytes int
}

// CSV decodes messages of one line. Fields may be quoted as in RFC 4180, but must not contain a newline. Blanks
// around a time or a value are ignored.
type CSV struct {
	c        CSVConfig
	time     int      // column
	series   []int    // columns, ascending by name
	tagKeys  [][]byte // names of the series columns
	variable int      // column; -1: none
	clock    int      // column; -1: none
	values   []int    // columns
	names    []string
	units    []string // by value
	scaled   []bool   // by value: a number without the unit may be another one
	times    timestamp.Reader
	numbers  cells.Numbers
	plain    bool // decimal.ParsePlain reads the numbers

	fields  [][]byte
	tags    []byte // scratch for the name of a series
	number  []float64
	clocked []byte // scratch
	seen    *intern.Strings
	one     [1]string // the name of the variable, for a line with one value
}

// NewCSV returns a decoder.
func NewCSV(c CSVConfig) (*CSV, error) {
	if err := c.TimeUnit.Check(); err != nil {
		return nil, err
	}
	if c.MaxBytes < 0 {
		return nil, errors.New("a negative limit")
	}
	if len(c.Header) == 0 {
		return nil, errors.New("CSV needs a header with the names of its columns")
	}
	c.Comma = cmp.Or(c.Comma, ',')
	if c.Comma == '"' || c.Comma == '\n' || c.Comma == '\r' || c.Comma >= 0x80 {
		return nil, fmt.Errorf("%q cannot stand between fields", c.Comma)
	}
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	if err := c.DateOrder.Check(); err != nil {
		return nil, err
	}
	if c.Decimal != 0 && c.Decimal != '.' && c.Decimal != ',' || c.Decimal != 0 && c.Decimal == c.Thousands {
		return nil, fmt.Errorf("a number has a point or a comma before its fraction, which do not stand between thousands, got %q", c.Decimal)
	}
	if c.Thousands == '.' {
		c.Decimal = ','
	}
	d := &CSV{c: c, variable: -1, clock: -1, seen: intern.New(), times: timestamp.NewReader(c.TimeUnit, c.DateOrder, c.Zone, !c.Apart)}
	d.numbers = cells.NewNumbers(c.Decimal, c.Thousands, c.Missing)
	d.plain = d.numbers.Plain()
	for i, name := range c.Header {
		if name == "" {
			return nil, fmt.Errorf("column %d has no name", i+1)
		}
		if slices.Contains(c.Header[:i], name) {
			return nil, fmt.Errorf("two columns have the name %q", name)
		}
	}
	var err error
	if c.Time != "" {
		if d.time, err = d.column(c.Time); err != nil {
			return nil, err
		}
	}
	if err = d.setSeries(c.Series); err != nil {
		return nil, err
	}
	if c.Variable != "" {
		if d.variable, err = d.column(c.Variable); err != nil {
			return nil, err
		}
	}
	if c.Clock != "" {
		if d.clock, err = d.column(c.Clock); err != nil {
			return nil, err
		}
	}
	for _, name := range c.Values {
		i, err := d.column(name)
		if err != nil {
			return nil, err
		}
		d.values = append(d.values, i)
	}
	if c.Values == nil {
		for i := range c.Header {
			if i != d.time && !slices.Contains(d.series, i) && i != d.variable && i != d.clock {
				d.values = append(d.values, i)
			}
		}
	}
	if i := strings.IndexAny(c.Header[0], "\t;|"); len(d.values) == 0 && len(c.Header) == 1 && i >= 0 {
		comma := SeparatorName(c.Header[0][i])
		return nil, fmt.Errorf("no column has values, the header has the separator %s and not %s: say %s", comma, SeparatorName(c.Comma), c.Names.Set("CSVConfig.Comma", comma))
	}
	if len(d.values) == 0 {
		return nil, fmt.Errorf("no column has values: column %s has the times; a file without times gets numbers of its lines with  "+
			`awk 'NR == 1 {print "step%c" $0; next} {print NR - 2 "%[2]c" $0}' IN > OUT`, c.Header[d.time], c.Comma)
	}
	if d.variable >= 0 && len(d.values) != 1 {
		return nil, d.severalValues()
	}
	for _, i := range d.values {
		unit := c.Units[c.Header[i]]
		d.names, d.units, d.scaled = append(d.names, c.Header[i]), append(d.units, unit), append(d.scaled, cells.NeedsUnit(unit, .5))
	}
	return d, nil
}

// severalValues returns the error of a long format with more than one column for the value. The error has the
// setting that excludes the other columns.
func (d *CSV) severalValues() error {
	var names []string
	for _, i := range d.values {
		names = append(names, d.c.Header[i])
	}
	help := "name it with " + d.c.Names.Set("CSVConfig.Values", "")
	if d.c.Values == nil {
		others := append(slices.Clone(d.c.Series), names[:len(names)-1]...)
		help = fmt.Sprintf("columns that tell series apart have %s, a column to leave out needs %s",
			d.c.Names.Set("CSVConfig.Series", cells.List(others)), d.c.Names.Set("CSVConfig.Values", names[len(names)-1]))
	}
	return fmt.Errorf("with %s=%s the value stands in one column, there are %s: %s", d.c.Names.Set("CSVConfig.Variable", ""), d.c.Variable, strings.Join(names, ", "), help)
}

func (d *CSV) column(name string) (int, error) {
	i := slices.Index(d.c.Header, name)
	if i < 0 {
		return 0, fmt.Errorf("no column has the name %q, there are %q", name, d.c.Header)
	}
	return i, nil
}

// New returns a decoder with the same configuration and without memory of earlier lines.
func (d *CSV) New() *CSV {
	other, err := NewCSV(d.c)
	if err != nil {
		panic("format: " + err.Error()) // d was made with the same configuration
	}
	return other
}

// Remembers reports whether the time of a line depends on the lines before.
func (d *CSV) Remembers() bool { return d.times.Remembers() }

// Variables returns the names of the variables; nil if a column names them.
func (d *CSV) Variables() []string {
	if d.variable >= 0 {
		return nil
	}
	return d.names
}

// TimeColumn returns the name of the column with the time.
func (d *CSV) TimeColumn() string { return d.c.Header[d.time] }

// Decode implements stream.Decoder. The record shares no memory with m. The next Decode overwrites its slices.
func (d *CSV) Decode(r *stream.Record, m *stream.Message) error {
	if len(m.Value) > d.c.MaxBytes {
		return refuse.New(refuse.TooLarge, "%d bytes, at most %d are allowed", len(m.Value), d.c.MaxBytes)
	}
	if err := d.split(m.Value); err != nil {
		return refuse.New(refuse.Malformed, "%s", cmp.Or(d.c.Names.Unreadable(m.Value), err.Error()))
	}
	if len(d.fields) != len(d.c.Header) {
		if what := d.c.Names.Unreadable(m.Value); what != "" {
			return refuse.New(refuse.Malformed, "%s", what)
		}
		return fault(refuse.Facts{Fault: refuse.WrongFields}, "%s where the header has %s", plural.Count(len(d.fields), "field"), plural.Count(len(d.c.Header), "column"))
	}
	series, refusal := d.seriesOf(m)
	if refusal != nil {
		return refusal
	}
	text := d.timeField()
	t, err := d.times.Parse(text, series)
	if err != nil {
		refusal := d.notTime(text, err)
		if d.c.OneOrder && d.c.DateOrder.IsOther(text) {
			return errors.New(refusal.Detail)
		}
		return refusal
	}
	d.number = d.number[:0]
	for k, i := range d.values {
		if v, ok := decimal.ParsePlain(d.fields[i]); ok && d.plain && (!d.scaled[k] || !cells.NeedsUnit(d.units[k], v)) {
			d.number = append(d.number, v)
			continue
		}
		text := bytes.TrimSpace(d.fields[i])
		bare := text
		if d.units[k] != "" {
			text = cells.WithoutUnit(text, d.units[k])
		}
		v, err := d.numbers.Parse(text)
		if err == nil && d.scaled[k] && len(text) == len(bare) && cells.NeedsUnit(d.units[k], v) {
			err = refuse.New(refuse.Malformed, "in%s, as other cells of the column are", cells.Blank(d.units[k]))
		}
		if err != nil {
			refusal := fault(refuse.Facts{Fault: refuse.NotNumber, Cell: string(d.fields[i]), Column: d.names[k], Remedy: cells.Hint(d.fields[i], d.c.Units[d.names[k]], d.c.Thousands, d.c.Names.Set)},
				"%q in column %q is not %s", cells.Clip(d.fields[i]), d.names[k], err.Detail)
			refusal.Reason = err.Reason
			return refusal
		}
		d.number = append(d.number, v)
	}
	names := d.names
	if d.variable >= 0 {
		d.one[0] = d.seen.Get(d.fields[d.variable])
		names = d.one[:]
	}
	*r = stream.Record{Message: m, Series: series, Time: t, Names: names, Values: d.number}
	return nil
}

// timeField returns the time field of the line that was split last.
func (d *CSV) timeField() []byte {
	text := bytes.TrimSpace(d.fields[d.time])
	if d.clock >= 0 {
		d.clocked = cells.JoinClock(d.clocked[:0], text, bytes.TrimSpace(d.fields[d.clock]))
		text = d.clocked
	}
	return text
}

// timeText returns the time field of a line; ok is false for a line without one.
func (d *CSV) timeText(line []byte) (text []byte, ok bool) {
	if d.split(line) != nil || len(d.fields) != len(d.c.Header) {
		return nil, false
	}
	return d.timeField(), true
}

// notTime returns the refusal of a text that is not a time because of err.
func (d *CSV) notTime(text []byte, err error) *refuse.Error {
	what, remedy := explainDate(d.c.DateOrder, text, err, d.c.Names)
	return fault(refuse.Facts{Fault: refuse.NotTime, Cell: string(text), Column: d.TimeColumn(), Remedy: remedy},
		"the time %q in column %q is %s", cells.Clip(text), d.TimeColumn(), what)
}

// setSeries finds the columns that name the series.
func (d *CSV) setSeries(names []string) error {
	names = slices.Sorted(slices.Values(names)) // the tags are in this order
	for i, name := range names {
		if i > 0 && name == names[i-1] {
			return fmt.Errorf("column %q names the series twice", name)
		}
		column, err := d.column(name)
		if err != nil {
			return err
		}
		d.series, d.tagKeys = append(d.series, column), append(d.tagKeys, []byte(name))
	}
	return nil
}

// seriesOf returns the name of the series in the line that was split last.
func (d *CSV) seriesOf(m *stream.Message) (string, error) {
	switch len(d.series) {
	case 0:
		return d.seen.Get(m.Key), nil
	case 1:
		return d.seen.Get(d.fields[d.series[0]]), nil
	}
	d.tags = d.tags[:0]
	for k, i := range d.series {
		if value := bytes.TrimSpace(d.fields[i]); len(value) > 0 {
			d.tags = AppendTag(d.tags, d.tagKeys[k], value)
		}
	}
	if len(d.tags) == 0 {
		return "", refuse.New(refuse.Malformed, "none of the columns %q, which make the series, has a text", d.c.Series)
	}
	return d.seen.Get(d.tags), nil
}

// ParseHeader returns the names in the first line of a CSV file.
func ParseHeader(line []byte, comma byte) ([]string, error) {
	d := CSV{c: CSVConfig{Comma: cmp.Or(comma, ',')}}
	if err := d.split(bytes.TrimPrefix(line, []byte("\ufeff"))); err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	names := make([]string, len(d.fields))
	for i, f := range d.fields {
		names[i] = string(bytes.TrimSpace(f))
	}
	return names, nil
}

// SeparatorName returns a separator as settings write it: a tab is "tab".
func SeparatorName(comma byte) string {
	if comma == '\t' {
		return "tab"
	}
	return string(comma)
}
