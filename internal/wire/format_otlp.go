package wire

import (
	"context"
	"log/slog"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/otlp"
)

var otlpFormat = dataFormat{
	name: "otlp_proto", block: "otlp", about: "metrics of OpenTelemetry, as the Collector's Kafka exporter writes them",
	settings: func() config.Settings { return &OTLPFormat{} },
	messages: otlpMessages(false), parts: otlpParts, tags: otlpTags,
}

var otlpJSONFormat = dataFormat{
	name: "otlp_json", about: "the same with the exporter's `encoding: otlp_json`",
	messages: otlpMessages(true), parts: otlpParts, tags: otlpTags,
}

// OTLPFormat has the series and variables of metrics of OpenTelemetry.
type OTLPFormat struct {
	// attributes that identify a series, such as `[host.name]`; other attributes of a point become a part of the
	// variable's name. Empty = all attributes of the resource
	Series []string `yaml:"series"`

	Ignore []string `yaml:"ignore"` // attributes that are dropped
}

func otlpOf(c *config.Config) *OTLPFormat { return config.Of[OTLPFormat](c.Input.Kinds) }

// Check implements config.Settings.
func (f *OTLPFormat) Check(v *config.Checker, path string, _ *config.Config) {
	for _, name := range f.Ignore {
		v.Need(!slices.Contains(f.Series, name), path+".ignore", "has %q, which %s.series has, too", name, path)
	}
}

func decodedOTLP(c *config.Config) otlp.Config {
	f := otlpOf(c)
	return otlp.Config{Names: settingName, Series: f.Series, Ignore: f.Ignore, MaxDim: c.Pipeline.MaxDim}
}

func otlpMessages(json bool) func(*config.Config, int, *slog.Logger) (decoders, error) {
	return func(c *config.Config, maxBytes int, log *slog.Logger) (decoders, error) {
		f := decodedOTLP(c)
		f.JSON, f.MaxBytes = json, maxBytes
		f.Assume = func(text string) { log.Warn(text) }
		return func(context.Context) (stream.Decoder, error) { return otlp.New(f) }, nil
	}
}

func otlpParts(*config.Config) bool { return true }

func otlpTags(*config.Config) func(string) []stream.Tag { return tagsOf }
