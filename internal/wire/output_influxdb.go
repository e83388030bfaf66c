package wire

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/influx"
	"github.com/orffvar/forecaster/stream/lineproto"
)

var influxDBOutput = kind[output]{
	name: "influxdb", about: "InfluxDB 2, or 1.8 through its v2 interface",
	settings: func() output {
		return &InfluxDBOutput{BatchSize: 5000, Timeout: 30 * time.Second, Layout: "wide", Every: 1}
	},
}

// InfluxDBOutput is a server of version 1.8 or 2.
type InfluxDBOutput struct {
	URL       string        `yaml:"url"`                      // address `http://host:8086`, without user, password and query
	Token     secret.Text   `yaml:"token" reload:"live"`      // token; `user:password` on 1.8
	TokenFile string        `yaml:"token_file" reload:"live"` // file that holds the token
	Org       string        `yaml:"org"`                      // organisation; empty on 1.8
	Bucket    string        `yaml:"bucket"`                   // bucket; `database` or `database/policy` on 1.8
	BatchSize int           `yaml:"batch_size" reload:"live"` // points per request
	Timeout   time.Duration `yaml:"timeout" reload:"live"`    // limit of a request; failed ones are repeated

	// time after which the server keeps accepted points: younger ones are sent again over a new connection; 0
	// = by the product, 10s for VictoriaMetrics
	Settle time.Duration `yaml:"settle"`

	// `wide` = a point has all variables of a series; `long` = a point per variable
	// ([measurements](reference/influxdb.md))
	Layout string `yaml:"layout"`

	// parts to write: `forecasts`, their `bounds`, `observations`, `anomalies`, `metrics`, `experts`,
	// `events`; empty = all
	Include []string `yaml:"include"`

	// 6 = all horizons of each sixth sample only, and one step ahead of all
	Every int `yaml:"every"`
}

// OutputInfluxDB returns the settings of output.influxdb; nil unless they are given.
func OutputInfluxDB(c *config.Config) *InfluxDBOutput {
	return config.Of[InfluxDBOutput](c.Output.Kinds)
}

// Check implements config.Settings.
func (i *InfluxDBOutput) Check(v *config.Checker, path string, _ *config.Config) {
	err := secret.CheckURL(i.URL)
	v.Need(err == nil, path+".url", "%v, such as http://localhost:8086; credentials belong in %s.token (user:password on InfluxDB 1.8)", err, path)
	v.Need(i.Bucket != "", path+".bucket", "must not be empty (the database's name on InfluxDB 1.8)")
	checkPoints(v, path, i.BatchSize, i.Timeout, i.Settle, i.Layout, i.Include, i.Every)
}

func (i *InfluxDBOutput) sink(levels []float64, letters stream.DeadLetters, log *slog.Logger) influx.Config {
	return influx.Config{
		URL: i.URL, Token: i.Token, Org: i.Org, Bucket: i.Bucket, BatchSize: i.BatchSize, Timeout: i.Timeout, Settle: i.Settle,
		Encoder:     lineproto.Encoder{Levels: levels, Long: i.Layout == "long", Include: i.Include, Every: i.Every},
		DeadLetters: letters, Log: log,
	}
}

func (i *InfluxDBOutput) open(c *config.Config, letters stream.DeadLetters, log *slog.Logger) ([]stream.Sink, error) {
	s, err := influx.New(i.sink(c.Model.Levels, letters, log))
	if err != nil {
		return nil, err
	}
	return []stream.Sink{s}, nil
}

// try checks that the server accepts writes to the bucket.
func (i *InfluxDBOutput) try(ctx context.Context, path string, _ *config.Config) (string, error) {
	s, err := influx.New(i.sink(nil, nil, slog.New(slog.DiscardHandler)))
	if err == nil {
		defer s.Close()
		err = s.Check(ctx)
	}
	if err != nil {
		return "", unreached(path, err)
	}
	return fmt.Sprintf("%s: %s accepts writes to %s", path, i.URL, i.Bucket), nil
}

func (i *InfluxDBOutput) patience() time.Duration { return i.Timeout }

func (i *InfluxDBOutput) reload(sinks []stream.Sink) {
	for _, s := range sinks {
		s.(*influx.Sink).Change(influx.Change{Token: i.Token, BatchSize: i.BatchSize, Timeout: i.Timeout})
	}
}
