package wire

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	twmb "github.com/twmb/avro"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/avro"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

var avroFormat = dataFormat{
	name: "avro", about: "a record of Avro a message, with a schema registry or a schema in a file",
	settings: func() config.Settings { return &AvroFormat{TimeUnit: "auto"} },
	messages: func(c *config.Config, maxBytes int, log *slog.Logger) (decoders, error) {
		return avroOf(c).decoders(c, maxBytes, log)
	},
	checkMessages: func(v *config.Checker, c *config.Config) {
		a := avroOf(c)
		v.Need((a.Registry == "") != (a.SchemaFile == ""), "input.avro.registry", "must be given with data_format: avro, or input.avro.schema_file in its place")
	},
	tags: func(c *config.Config) func(string) []stream.Tag {
		if len(avroOf(c).Tags) == 0 {
			return nil
		}
		return tagsOf
	},
	try: func(ctx context.Context, c *config.Config) (string, error) { return avroOf(c).try(ctx) },
}

// AvroFormat has the places of the fields in a record, and the source of its schema.
type AvroFormat struct {
	Registry             string      `yaml:"registry"`               // URL of a schema registry with Confluent's API
	RegistryUsername     string      `yaml:"registry_username"`      // user name of basic authentication
	RegistryPassword     secret.Text `yaml:"registry_password"`      // password
	RegistryPasswordFile string      `yaml:"registry_password_file"` // file with the password
	RegistryToken        secret.Text `yaml:"registry_token"`         // bearer token instead
	RegistryTokenFile    string      `yaml:"registry_token_file"`    // file with the token
	RegistryTLSCA        string      `yaml:"registry_tls_ca"`        // certificates that sign the registry's; empty = the system's
	RegistryTLSCert      string      `yaml:"registry_tls_cert"`      // client certificate, with `registry_tls_key`
	RegistryTLSKey       string      `yaml:"registry_tls_key"`       // key of the client

	SchemaFile  string   `yaml:"schema_file"`  // file of the schema, instead of a registry
	Tags        []string `yaml:"tags"`         // paths that identify a series: the tags of the output
	SeriesField string   `yaml:"series_field"` // path of the series' name, joined by dots; empty = the key of the message
	TimeField   string   `yaml:"time_field"`   // path of the time; empty = `time`

	// path of a record, map or array of values; empty = `values`, or else the numbers and booleans beside the
	// time
	ValuesField string `yaml:"values_field"`

	TimeUnit string `yaml:"time_unit"` // unit of a time without a logical type: `s`, `ms`, `us`, `ns`, or `auto` = by its size
}

func avroOf(c *config.Config) *AvroFormat { return config.Of[AvroFormat](c.Input.Kinds) }

// Check implements config.Settings.
func (a *AvroFormat) Check(v *config.Checker, path string, _ *config.Config) {
	v.OneOf(path+".time_unit", a.TimeUnit, timeUnits...)
	v.Need(len(a.Tags) == 0 || a.SeriesField == "", path+".tags", "make the series; remove %s.series_field", path)
	if a.Registry != "" {
		err := secret.CheckURL(a.Registry)
		v.Need(err == nil, path+".registry", "%v; credentials belong in %s.registry_username and %[2]s.registry_password", err, path)
	}
	v.Need((a.RegistryUsername == "") == a.RegistryPassword.IsZero(), path+".registry_username", "and %s.registry_password must be given together", path)
	v.Need(a.RegistryUsername == "" || a.RegistryToken.IsZero(), path+".registry_token", "excludes %s.registry_username", path)
	checkTLS(v, path+".registry_tls_", a.RegistryTLSCA, a.RegistryTLSCert, a.RegistryTLSKey)
}

func (a *AvroFormat) reach() avro.RegistryConfig {
	return avro.RegistryConfig{Names: settingName, URL: a.Registry, Username: a.RegistryUsername, Password: a.RegistryPassword, Token: a.RegistryToken}
}

func (a *AvroFormat) registry(log *slog.Logger) (*avro.Registry, error) {
	settings, err := cluster.TLSFiles{CA: a.RegistryTLSCA, Cert: a.RegistryTLSCert, Key: a.RegistryTLSKey}.Config()
	if err != nil {
		return nil, err
	}
	c := a.reach()
	c.TLS, c.Log = settings, log
	return avro.NewRegistry(c)
}

func (a *AvroFormat) record(c *config.Config) avro.Config {
	return avro.Config{
		Names:  settingName,
		Series: a.SeriesField, Tags: a.Tags, Time: a.TimeField, Values: a.ValuesField, TimeUnit: timeUnit(c.Input.TimeFormat, a.TimeUnit),
		Zone: zoneOf(c), MaxDim: c.Pipeline.MaxDim,
	}
}

func (a *AvroFormat) schema() (*twmb.Schema, error) {
	text, err := os.ReadFile(a.SchemaFile)
	if err != nil {
		return nil, fmt.Errorf("input.avro.schema_file: %w", err)
	}
	schema, err := twmb.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("input.avro.schema_file: %s is no schema of Avro: %w", a.SchemaFile, err)
	}
	return schema, nil
}

func (a *AvroFormat) decoders(c *config.Config, maxBytes int, log *slog.Logger) (decoders, error) {
	ac := a.record(c)
	ac.MaxBytes = maxBytes
	var err error
	if a.Registry == "" {
		ac.Schema, err = a.schema()
	} else {
		ac.Schemas, err = a.registry(log)
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (stream.Decoder, error) { return avro.New(ctx, ac) }, nil
}

// try asks the registry, or reads the schema.
func (a *AvroFormat) try(ctx context.Context) (string, error) {
	if a.Registry == "" {
		_, err := a.schema()
		return "", err
	}
	r, err := a.registry(slog.New(slog.DiscardHandler))
	if err == nil {
		err = r.Ping(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("input.avro.registry: %w", err)
	}
	return "input.avro.registry: " + a.Registry + " answers", nil
}
