package wire

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

// dataFormat is a row of the table of formats: for messages, for files to read, and for files to write.
type dataFormat struct {
	name  string // value of input.data_format, input.file.format, input.stdin.format and output.file.format
	about string // line of the documentation

	settings func() config.Settings // settings of the block below input, whose name is block or else name; nil: no settings
	block    string

	// messages returns decoders of messages of at most maxBytes, which log their assumptions; nil: the format is
	// not for messages. checkMessages checks the settings that only messages need; it may be nil.
	messages      func(c *config.Config, maxBytes int, log *slog.Logger) (decoders, error)
	checkMessages func(v *config.Checker, c *config.Config)

	try func(ctx context.Context, c *config.Config) (found string, err error) // tries the servers that the messages need beside Kafka; nil: none

	read  *file.Format // nil: the format is not for files to read
	whole bool         // reading begins at the end of the file, so a pipe cannot have the format

	shared bool                                                         // a message may have records of several series, and cannot be split
	key    string                                                       // advice on making the series the key of messages; "": the general advice
	rates  func(c *config.Config) bool                                  // reports whether counters become rates; nil: never
	parts  func(c *config.Config) bool                                  // reports whether a sample is spread over records; nil: never
	tags   func(c *config.Config) func(series string) []stream.Tag      // finds the tags in the name of a series; nil: no tags
	sent   func(c *config.Config, long bool) (kafkasink.Encoder, error) // returns the encoder of forecasts; nil: plain JSON

	// create creates a file of forecasts with one of the endings, and completes the columns; nil: the format is
	// not for files to write. plain is the reason why the file cannot have more columns; "": it can.
	create  func(f *FileOutput, m config.Model, columns *filesink.Columns) (stream.Sink, error)
	endings []string
	plain   string
	targets bool
}

// decoders returns a decoder for a partition. Decoders share common parts. A decoder stops waiting when ctx ends.
type decoders func(ctx context.Context) (stream.Decoder, error)

// formats is the table. A new format is a file, and a row.
var formats = []dataFormat{jsonFormat, csvFormat, jsonLinesFormat, influxFormat, parquetFormat, arrowFormat, xlsxFormat, tsfFormat, avroFormat, otlpFormat, otlpJSONFormat}

func formatKeys(f dataFormat) []string { return []string{f.name} }

func formatNamed(name string) (dataFormat, bool) { return find(formats, formatKeys, name) }

// formatNames returns the names of the formats that keep accepts.
func formatNames(keep func(dataFormat) bool) []string { return namesOf(formats, formatKeys, keep) }

// formatOf returns the format of the input; its name is "" for an input without a format.
func formatOf(c *config.Config) dataFormat {
	in := inputOf(c)
	if in == nil {
		return dataFormat{}
	}
	f, _ := formatNamed(in.formatName(c))
	return f
}

// inParts reports whether the format of the input spreads a sample over several records.
func inParts(c *config.Config) bool {
	f := formatOf(c)
	return f.parts != nil && f.parts(c)
}

// KeyAdvice returns the advice on bringing all messages of a series into one partition.
func KeyAdvice(c *config.Config) string {
	return "all messages of a series must have one key: " + cmp.Or(formatOf(c).key, "the producer must set it, or input.kafka.join joins them")
}

// hasRates reports whether counters of the input become rates.
func hasRates(c *config.Config) bool {
	f := formatOf(c)
	return f.rates != nil && f.rates(c)
}

// readable returns the formats of files to read.
func readable() (all []file.Format) {
	for _, f := range formats {
		if f.read != nil {
			all = append(all, *f.read)
		}
	}
	return all
}

// endings returns the usual extension of each format to write.
func endings() (all []string) {
	for _, f := range formats {
		if f.create != nil {
			all = append(all, f.endings[0])
		}
	}
	return all
}

// timeUnits are the units of numeric times.
var timeUnits = []string{"auto", "s", "ms", "us", "ns"}

// timeUnit returns the unit or form of times by input.time_format, or by the unit of their format.
func timeUnit(form, unit string) timestamp.Unit {
	u, err := timestamp.ParseUnit(cmp.Or(form, unit))
	if err != nil {
		return timestamp.Unit(form) // the decoder refuses it
	}
	return u
}

// zoneOf returns the zone of times without one.
func zoneOf(c *config.Config) *time.Location {
	zone, err := time.LoadLocation(c.Input.TimeZone)
	if err != nil {
		panic("wire: " + err.Error()) // the configuration was validated
	}
	return zone
}

// tagsOf finds tags that a format has put into the names of series.
func tagsOf(series string) []stream.Tag { return format.TagsOf(series, false) }
