package wire

import (
	"context"
	"log/slog"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

var csvFormat = dataFormat{
	name: "csv", about: "columns",
	settings: func() config.Settings { return &CSVFormat{TimeUnit: "auto"} },
	messages: func(c *config.Config, maxBytes int, _ *slog.Logger) (decoders, error) {
		f := decodedCSV(c)
		f.Apart = true // after a restart, the decoder does not know the messages before
		f.MaxBytes = maxBytes
		return func(context.Context) (stream.Decoder, error) { return format.NewCSV(f) }, nil
	},
	checkMessages: func(v *config.Checker, c *config.Config) {
		v.Need(len(csvOf(c).Header) > 0, "input.csv.header", "must name the columns, because messages of data_format csv have no header of their own")
	},
	read: &file.CSVFormat, parts: longCSV, tags: csvTags,
	endings: []string{".csv"},
	create: func(f *FileOutput, m config.Model, columns *filesink.Columns) (stream.Sink, error) {
		return filesink.Create(f.Path, filesink.CSV{TimeUnit: timeUnit("", f.TimeUnit), Levels: m.Levels, Joint: m.Joint, Limits: len(m.Limits) > 0, Columns: *columns})
	},
}

// CSVFormat is the format of lines of CSV.
type CSVFormat struct {
	Header []string `yaml:"header"` // column names of messages, which have no header

	// separator (delimiter) between fields, one character or `tab`; empty = by the first lines of a file, a
	// comma in messages
	Comma string `yaml:"comma"`

	// decimal separator, `.` or `,`; empty = by the first lines of a file, a point in messages
	Decimal string `yaml:"decimal"`

	// separator between groups of three digits, such as `.` in 1.234,5; a blank and `'` mean every such
	// character
	Thousands string `yaml:"thousands"`

	DateOrder string `yaml:"date_order"` // `dmy` or `mdy` for dates that do not begin with the year

	// columns of the series' name: `[site, host]` makes the series `host=web1,site=eu` and its tags; empty =
	// the key of the message, or `input.file.series`; in a file with repeated times, the text column that
	// distinguishes the lines
	SeriesColumn []string `yaml:"series_column"`

	// column of the time; empty = the first (in a file: the first with times)
	TimeColumn string `yaml:"time_column"`

	// column of the time of day, beside a column of the date (in a file: found)
	ClockColumn string `yaml:"clock_column"`

	// columns of the variables; empty = all others (in a file: without text and line numbers)
	ValueColumns []string `yaml:"value_columns"`

	// spellings of a missing value besides the empty cell, `NA`, `N/A`, `n/a`, `#N/A`, `<NA>`, `NaN`, `nan`,
	// `null`, `NULL`, `\N`, `None`, `-`, `unavailable` and `unknown`; a number means all of its spellings
	Missing []string `yaml:"missing"`

	// unit of a numeric time, as `input.json.time_unit`; also `year` = 2026 and `yyyymmdd` = 20260131
	// (in a file: found)
	TimeUnit string `yaml:"time_unit"`

	// column of the variable's name, for lines of one variable with one other column
	VariableColumn string `yaml:"variable_column"`
}

func csvOf(c *config.Config) *CSVFormat { return config.Of[CSVFormat](c.Input.Kinds) }

// ForLabels returns c without the columns and variables of the data, which a file of labels does not have.
func ForLabels(c *config.Config) *config.Config {
	other := c.Clone()
	csvOf(other).ValueColumns = nil
	other.Pipeline.Variables, other.Pipeline.Interval = nil, 0
	m := &other.Model
	m.Exogenous, m.Bounds, m.Limits, m.NonNegative, m.Anomaly.Rules = nil, nil, nil, nil, nil
	return other
}

// TimeUnit returns the unit of numeric times in columns.
func TimeUnit(c *config.Config) timestamp.Unit {
	return timeUnit(c.Input.TimeFormat, csvOf(c).TimeUnit)
}

// TimeReader returns a reader of times that are written as those of the rows are.
func TimeReader(c *config.Config) timestamp.Reader {
	return timestamp.NewReader(TimeUnit(c), timestamp.Order(csvOf(c).DateOrder), zoneOf(c), false)
}

// Check implements config.Settings.
func (f *CSVFormat) Check(v *config.Checker, path string, c *config.Config) {
	v.OneOf(path+".time_unit", f.TimeUnit, append(slices.Clone(timeUnits), "year", "yyyymmdd")...)
	v.Need(len(f.Comma) <= 1 || f.Comma == "tab", path+".comma", "must be one ASCII character, or tab, got %q", f.Comma)
	v.OneOf(path+".decimal", f.Decimal, "", ".", ",")
	v.Need(len(f.Thousands) <= 1 && (f.Thousands == "" || f.Thousands != f.Decimal), path+".thousands",
		"must be one ASCII character other than %s.decimal, got %q", path, f.Thousands)
	v.OneOf(path+".date_order", f.DateOrder, "", "dmy", "mdy")
	v.NeedInterval(c, f.VariableColumn != "", path+".variable_column")
}

// Variables returns the number of variables; 0: unknown.
func (f *CSVFormat) Variables() int { return len(f.ValueColumns) }

func decodedCSV(c *config.Config) format.CSVConfig {
	f := csvOf(c)
	return format.CSVConfig{
		Names: settingName, Header: f.Header, Comma: first(f.Comma), Decimal: first(f.Decimal), Thousands: first(f.Thousands),
		DateOrder: timestamp.Order(f.DateOrder), Zone: zoneOf(c), Series: f.SeriesColumn, Time: f.TimeColumn, Clock: f.ClockColumn,
		Variable: f.VariableColumn, Values: f.ValueColumns, Missing: f.Missing, TimeUnit: timeUnit(c.Input.TimeFormat, f.TimeUnit),
	}
}

// first returns the only character of a setting; 0: the setting is empty.
func first(s string) byte {
	switch s {
	case "":
		return 0
	case "tab":
		return '\t'
	}
	return s[0]
}

func longCSV(c *config.Config) bool { return csvOf(c).VariableColumn != "" }

func csvTags(c *config.Config) func(string) []stream.Tag {
	if len(csvOf(c).SeriesColumn) < 2 {
		return nil
	}
	return tagsOf
}
