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
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/lineproto"
)

var influxFormat = dataFormat{
	name: "influx", about: "line protocol of InfluxDB, as Telegraf writes it",
	settings: func() config.Settings { return &InfluxFormat{TimeUnit: "auto"} },
	messages: func(c *config.Config, maxBytes int, _ *slog.Logger) (decoders, error) {
		f := decodedInflux(c)
		f.MaxBytes = maxBytes
		return func(context.Context) (stream.Decoder, error) { return format.NewInflux(f) }, nil
	},
	key:   "set routing_tag in Telegraf's outputs.kafka, or input.kafka.join",
	read:  &file.InfluxFormat,
	parts: func(*config.Config) bool { return true },
	tags: func(c *config.Config) func(string) []stream.Tag {
		series := influxOf(c).Series
		measurement := len(series) == 0 || slices.Contains(series, format.Measurement)
		return func(series string) []stream.Tag { return format.TagsOf(series, measurement) }
	},
	sent: func(c *config.Config, long bool) (kafkasink.Encoder, error) {
		return lineproto.Encoder{Levels: c.Model.Levels, Long: long}, nil
	},
	endings: []string{".lp", ".influx", ".line"}, plain: "line protocol has no columns",
	create: func(f *FileOutput, m config.Model, _ *filesink.Columns) (stream.Sink, error) {
		return filesink.Create(f.Path, lineproto.Encoder{Levels: m.Levels})
	},
}

// InfluxFormat has the series and variables of line protocol.
type InfluxFormat struct {
	// tags, and `_measurement`, that identify a series; other tags become part of the variable. Empty = the
	// measurement and all tags
	Series []string `yaml:"series"`

	Ignore   []string `yaml:"ignore"`    // tags that are dropped
	Fields   []string `yaml:"fields"`    // fields that are variables; empty = all numbers and booleans
	TimeUnit string   `yaml:"time_unit"` // unit of the time: `ns`, `us`, `ms`, `s`, or `auto` = by its size
}

func influxOf(c *config.Config) *InfluxFormat { return config.Of[InfluxFormat](c.Input.Kinds) }

// Check implements config.Settings.
func (f *InfluxFormat) Check(v *config.Checker, path string, _ *config.Config) {
	v.OneOf(path+".time_unit", f.TimeUnit, timeUnits...)
	for _, tag := range f.Ignore {
		v.Need(!slices.Contains(f.Series, tag), path+".ignore", "has %q, which %s.series has, too", tag, path)
	}
}

func decodedInflux(c *config.Config) format.InfluxConfig {
	f := influxOf(c)
	return format.InfluxConfig{
		Names:  settingName,
		Series: f.Series, Ignore: f.Ignore, Fields: f.Fields, TimeUnit: timeUnit(c.Input.TimeFormat, f.TimeUnit), MaxDim: c.Pipeline.MaxDim,
	}
}
