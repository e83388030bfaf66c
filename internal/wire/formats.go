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

// dataFormat is a row of the table of formats: of messages, of files that are read, and of files
// that are written.
type dataFormat struct {
	name  string // of input.data_format, input.file.format, input.stdin.format and output.file.format
	about string // line of the documentation

	settings func() config.Settings // of the block below input that has the name, or that of block; nil = none
	block    string

	// messages makes decoders of messages of at most maxBytes, which log their assumptions; nil = no message
	// has the format. checkMessages, which may be nil, checks the settings that messages need and files do not.
	messages      func(c *config.Config, maxBytes int, log *slog.Logger) (decoders, error)
	checkMessages func(v *config.Checker, c *config.Config)

	try func(ctx context.Context, c *config.Config) (found string, err error) // tries the servers that its messages need beside Kafka; nil = none

	read  *file.Format // nil = no file has it
	whole bool         // reading it needs its end, which a pipe lacks

	shared bool                                                         // a message has records of several series, and cannot be parted
	key    string                                                       // advice by which messages get the series as their key; "" = that of producers
	rates  func(c *config.Config) bool                                  // counters become rates; nil = never
	parts  func(c *config.Config) bool                                  // a sample is spread over records; nil = never
	tags   func(c *config.Config) func(series string) []stream.Tag      // of the name of a series; nil = none
	sent   func(c *config.Config, long bool) (kafkasink.Encoder, error) // messages of forecasts; nil = as plain JSON

	// create makes a file of forecasts with one of the endings, and completes the columns; nil =
	// no file is written in the format. plain is the reason why it can have no more columns, if any.
	create  func(f *FileOutput, m config.Model, columns *filesink.Columns) (stream.Sink, error)
	endings []string
	plain   string
	targets bool
}

// decoders makes a decoder for each partition, with the parts that all share. A wait of the decoder ends with ctx.
type decoders func(ctx context.Context) (stream.Decoder, error)

// formats is the table. A new format is a file, and a row.
var formats = []dataFormat{jsonFormat, csvFormat, jsonLinesFormat, influxFormat, parquetFormat, arrowFormat, xlsxFormat, tsfFormat, avroFormat, otlpFormat, otlpJSONFormat}

func formatKeys(f dataFormat) []string { return []string{f.name} }

func formatNamed(name string) (dataFormat, bool) { return find(formats, formatKeys, name) }

// formatNames returns the names of the formats that keep accepts.
func formatNames(keep func(dataFormat) bool) []string { return namesOf(formats, formatKeys, keep) }

// formatOf returns the format of the input; its name is "" where records have none.
func formatOf(c *config.Config) dataFormat {
	in := inputOf(c)
	if in == nil {
		return dataFormat{}
	}
	f, _ := formatNamed(in.formatName(c))
	return f
}

// inParts reports whether the format of the input spreads a sample over records.
func inParts(c *config.Config) bool {
	f := formatOf(c)
	return f.parts != nil && f.parts(c)
}

// KeyAdvice returns the advice by which all messages of a series come into one partition.
func KeyAdvice(c *config.Config) string {
	return "all messages of a series must have one key: " + cmp.Or(formatOf(c).key, "the producer must set it, or input.kafka.join joins them")
}

// hasRates reports whether counters of the input become rates.
func hasRates(c *config.Config) bool {
	f := formatOf(c)
	return f.rates != nil && f.rates(c)
}

// readable returns the formats of files.
func readable() (all []file.Format) {
	for _, f := range formats {
		if f.read != nil {
			all = append(all, *f.read)
		}
	}
	return all
}

// endings returns the usual ending of each format that is written.
func endings() (all []string) {
	for _, f := range formats {
		if f.create != nil {
			all = append(all, f.endings[0])
		}
	}
	return all
}

// timeUnits are the units of times that are numbers.
var timeUnits = []string{"auto", "s", "ms", "us", "ns"}

// timeUnit returns the unit or form of times by input.time_format, or by the unit of their format.
func timeUnit(form, unit string) timestamp.Unit {
	u, err := timestamp.ParseUnit(cmp.Or(form, unit))
	if err != nil {
		return timestamp.Unit(form) // which the decoder refuses
	}
	return u
}

// zoneOf returns the zone of times that name none.
func zoneOf(c *config.Config) *time.Location {
	zone, err := time.LoadLocation(c.Input.TimeZone)
	if err != nil {
		panic("wire: " + err.Error()) // validated before
	}
	return zone
}

// tagsOf finds tags that a format has put into the names of series.
func tagsOf(series string) []stream.Tag { return format.TagsOf(series, false) }
