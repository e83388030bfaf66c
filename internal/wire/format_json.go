package wire

import (
	"context"
	"log/slog"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

var jsonFormat = dataFormat{
	name: "json", about: "one object a message",
	settings: func() config.Settings { return &JSONFormat{Layout: "wide", TimeUnit: "auto"} },
	messages: func(c *config.Config, maxBytes int, log *slog.Logger) (decoders, error) {
		f := decodedJSON(c)
		f.MaxBytes = maxBytes
		f.Assume = func(text string) { log.Info("the messages say how to read them", "assumed", text) }
		return func(context.Context) (stream.Decoder, error) { return format.NewJSON(f) }, nil
	},
	parts: longJSON, tags: jsonTags, sent: sentJSON,
}

var jsonLinesFormat = dataFormat{
	name: "jsonl", about: "one object a line", read: &file.JSONLinesFormat,
	parts: longJSON, tags: jsonTags, sent: sentJSON,
	endings: []string{".jsonl", ".ndjson"},
	create: func(f *FileOutput, m config.Model, columns *filesink.Columns) (stream.Sink, error) {
		return filesink.Create(f.Path, filesink.JSONLines{Levels: m.Levels, Columns: *columns})
	},
}

// JSONFormat has the places of the fields in a message: paths are names joined by dots.
type JSONFormat struct {
	// `wide` = all variables in one message; `long` = one variable per message
	Layout string `yaml:"layout"`

	// paths that identify a series instead of its name, such as `[host, meta.dc]`: the tags of the output
	Tags []string `yaml:"tags"`

	// path of the series' name, joined by dots; empty = the key of the message (standard input: `series`; `long`:
	// `unique_id`, or else the key)
	SeriesField string `yaml:"series_field"`

	TimeField     string `yaml:"time_field"`     // path of the time; empty = `time` (`long`: `ds`)
	VariableField string `yaml:"variable_field"` // `long` only: path of the variable's name; empty = `variable`

	// path of the values (an object, an array, or with `long` the value); empty = `values`, or else the
	// numbers and booleans beside the time (`long`: `y`)
	ValuesField string `yaml:"values_field"`

	TimeUnit string `yaml:"time_unit"` // unit of a numeric time: `s`, `ms`, `us`, `ns`, or `auto` = by its size
}

func jsonOf(c *config.Config) *JSONFormat { return config.Of[JSONFormat](c.Input.Kinds) }

// Check implements config.Settings.
func (j *JSONFormat) Check(v *config.Checker, path string, c *config.Config) {
	v.OneOf(path+".layout", j.Layout, "wide", "long")
	v.Need(j.VariableField == "" || j.Layout == "long", path+".variable_field", "needs %s.layout: long", path)
	v.Need(len(j.Tags) == 0 || j.SeriesField == "", path+".tags", "make the series; remove %s.series_field", path)
	v.OneOf(path+".time_unit", j.TimeUnit, timeUnits...)
	v.NeedInterval(c, j.Layout == "long", path+".layout: long")
}

func decodedJSON(c *config.Config) format.JSONConfig {
	j := jsonOf(c)
	return format.JSONConfig{
		Names: settingName, Series: j.SeriesField, Tags: j.Tags, Time: j.TimeField, Variable: j.VariableField, Values: j.ValuesField, Long: j.Layout == "long",
		TimeUnit: timeUnit(c.Input.TimeFormat, j.TimeUnit), MaxDim: c.Pipeline.MaxDim, Zone: zoneOf(c),
	}
}

func longJSON(c *config.Config) bool { return jsonOf(c).Layout == "long" }

func jsonTags(c *config.Config) func(string) []stream.Tag {
	if len(jsonOf(c).Tags) == 0 {
		return nil
	}
	return tagsOf
}

func sentJSON(c *config.Config, long bool) (kafkasink.Encoder, error) {
	if long || longJSON(c) {
		return kafkasink.LongJSON{Levels: c.Model.Levels}, nil
	}
	return format.NewForecastJSON(decodedJSON(c), c.Model.Levels)
}

// sentPlain returns the encoder of forecasts for formats without a layout for forecasts.
func sentPlain(c *config.Config, long bool) (kafkasink.Encoder, error) {
	if long {
		return kafkasink.LongJSON{Levels: c.Model.Levels}, nil
	}
	return format.NewForecastJSON(format.JSONConfig{Series: "series"}, c.Model.Levels)
}
