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
	messages: otlpMessages(false), parts: otlpParts, tags: otlpTags, rates: otlpRates, shared: true, key: otlpKey,
}

var otlpJSONFormat = dataFormat{
	name: "otlp_json", about: "the same with the exporter's `encoding: otlp_json`",
	messages: otlpMessages(true), parts: otlpParts, tags: otlpTags, rates: otlpRates, shared: true, key: otlpKey,
}

// otlpKey is the setting that gives each message one resource and a key.
const otlpKey = "set partition_metrics_by_resource_attributes: true in the Collector's Kafka exporter"

// OTLPFormat has the series and variables of metrics of OpenTelemetry.
type OTLPFormat struct {
	// attributes that identify a series, such as `[host.name]`; others become part of the variable. Empty =
	// all attributes of the resource
	Series []string `yaml:"series"`

	Ignore []string `yaml:"ignore"` // attributes that are dropped

	// turn cumulative sums that only grow, and counts and sums of histograms, into rates per second; the first
	// value, and one after a reset, are missing
	Rates bool `yaml:"rates"`
}

func otlpOf(c *config.Config) *OTLPFormat { return config.Of[OTLPFormat](c.Input.Kinds) }

// Check implements config.Settings.
func (f *OTLPFormat) Check(v *config.Checker, path string, c *config.Config) {
	v.Need(!f.Rates || c.Pipeline.Aggregate != "mean", path+".rates", "excludes pipeline.aggregate: mean; a rate is a mean already")
	v.Need(!f.Rates || c.Pipeline.Interval > 0, path+".rates", "needs pipeline.interval, the spacing of the samples that rates are made for")
	v.Need(!f.Rates || len(c.Model.Exogenous) == 0, path+".rates", "excludes model.exogenous")
	for _, name := range f.Ignore {
		v.Need(!slices.Contains(f.Series, name), path+".ignore", "has %q, which %s.series has, too", name, path)
	}
}

func decodedOTLP(c *config.Config) otlp.Config {
	f := otlpOf(c)
	return otlp.Config{Names: settingName, Series: f.Series, Ignore: f.Ignore, Rates: f.Rates, MaxDim: c.Pipeline.MaxDim}
}

func otlpMessages(json bool) func(*config.Config, int, *slog.Logger) (decoders, error) {
	return func(c *config.Config, maxBytes int, log *slog.Logger) (decoders, error) {
		f := decodedOTLP(c)
		f.JSON, f.MaxBytes = json, maxBytes
		f.Assume = func(text string) { log.Warn(text) }
		return func(context.Context) (stream.Decoder, error) { return otlp.New(f) }, nil
	}
}

func otlpRates(c *config.Config) bool { return otlpOf(c).Rates }

func otlpParts(*config.Config) bool { return true }

func otlpTags(*config.Config) func(string) []stream.Tag { return tagsOf }
