package wire

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/remotewrite"
)

var remoteWriteOutput = kind[output]{
	name: "remote_write", about: "[Prometheus, VictoriaMetrics](howto/prometheus.md) and others that take remote write",
	settings: func() output {
		return &RemoteWriteOutput{BatchSize: 1000, Timeout: 30 * time.Second, Time: "origin", Layout: "wide", Every: 1}
	},
}

// RemoteWriteOutput is a server that takes Prometheus remote write, protocol 1.
type RemoteWriteOutput struct {
	URL string `yaml:"url"` // address `http://host:9090/api/v1/write`, without user, password and query

	// time of a forecast: `origin` = that of the last sample before it, for Prometheus; `target` = its own,
	// for VictoriaMetrics
	Time string `yaml:"time"`

	Username     string        `yaml:"username"`                    // user name of basic authentication
	Password     secret.Text   `yaml:"password" reload:"live"`      // password
	PasswordFile string        `yaml:"password_file" reload:"live"` // file with the password
	Token        secret.Text   `yaml:"token" reload:"live"`         // bearer token instead
	TokenFile    string        `yaml:"token_file" reload:"live"`    // file with the token
	TLSCA        string        `yaml:"tls_ca"`                      // certificates that sign the server's; empty = the system's
	TLSCert      string        `yaml:"tls_cert"`                    // client certificate, with `tls_key`
	TLSKey       string        `yaml:"tls_key"`                     // key of the client
	BatchSize    int           `yaml:"batch_size" reload:"live"`    // points per request, each with a sample per variable and bound
	Timeout      time.Duration `yaml:"timeout" reload:"live"`       // limit of a request; failed ones are repeated

	Settle time.Duration `yaml:"settle"` // as `output.influxdb.settle`

	// `wide` = a metric `forecast_cpu` per variable; `long` = one `forecast_yhat` with a label `target`
	Layout string `yaml:"layout"`

	Include []string `yaml:"include"` // as `output.influxdb.include`
	Every   int      `yaml:"every"`   // as `output.influxdb.every`
}

// Check implements config.Settings.
func (o *RemoteWriteOutput) Check(v *config.Checker, path string, _ *config.Config) {
	err := secret.CheckURL(o.URL)
	v.Need(err == nil, path+".url", "%v, such as http://localhost:9090/api/v1/write; credentials belong in %s.username or %[2]s.token", err, path)
	if u, parsed := url.Parse(o.URL); err == nil && parsed == nil {
		v.Need(len(u.Path) > 1, path+".url", "has no path: Prometheus and VictoriaMetrics take remote write at /api/v1/write")
	}
	v.Need((o.Username == "") == o.Password.IsZero(), path+".username", "and %s.password must be given together", path)
	v.Need(o.Username == "" || o.Token.IsZero(), path+".token", "excludes %s.username", path)
	checkTLS(v, path+".tls_", o.TLSCA, o.TLSCert, o.TLSKey)
	v.OneOf(path+".time", o.Time, "origin", "target")
	checkPoints(v, path, o.BatchSize, o.Timeout, o.Settle, o.Layout, o.Include, o.Every)
}

// checkPoints checks the settings of outputs that write the points of line protocol.
func checkPoints(v *config.Checker, path string, batchSize int, timeout, settle time.Duration, layout string, include []string, every int) {
	v.Need(batchSize >= 1 && batchSize <= 100_000, path+".batch_size", "must lie in [1, 100000], got %d", batchSize)
	v.Need(timeout > 0, path+".timeout", "must be > 0, got %v", timeout)
	v.Need(settle >= 0 && settle <= 10*time.Minute, path+".settle", "must lie in [0, 10m], got %v", settle)
	v.OneOf(path+".layout", layout, "wide", "long")
	for _, part := range include {
		v.OneOf(path+".include", part, "forecasts", "bounds", "observations", "anomalies", "metrics", "experts", "events")
	}
	v.Need(!slices.Contains(include, "bounds") || slices.Contains(include, "forecasts"), path+".include", "has bounds without forecasts, which they belong to")
	config.AtLeast(v, path+".every", every, 1)
}

func (o *RemoteWriteOutput) sink(levels []float64, letters stream.DeadLetters, log *slog.Logger) remotewrite.Config {
	return remotewrite.Config{
		URL: o.URL, Username: o.Username, Password: o.Password, Token: o.Token, BatchSize: o.BatchSize, Timeout: o.Timeout, Settle: o.Settle,
		Encoder:     lineproto.Encoder{Levels: levels, Long: o.Layout == "long", Include: o.Include, Every: o.Every, AtOrigin: o.Time == "origin"},
		DeadLetters: letters, Log: log,
	}
}

func (o *RemoteWriteOutput) connect(levels []float64, letters stream.DeadLetters, log *slog.Logger) (*remotewrite.Sink, error) {
	settings, err := cluster.TLSFiles{CA: o.TLSCA, Cert: o.TLSCert, Key: o.TLSKey}.Config()
	if err != nil {
		return nil, err
	}
	c := o.sink(levels, letters, log)
	c.TLS = settings
	return remotewrite.New(c)
}

func (o *RemoteWriteOutput) open(c *config.Config, letters stream.DeadLetters, log *slog.Logger) ([]stream.Sink, error) {
	s, err := o.connect(c.Model.Levels, letters, log)
	if err != nil {
		return nil, err
	}
	return []stream.Sink{s}, nil
}

// try sends an empty request.
func (o *RemoteWriteOutput) try(ctx context.Context, path string, _ *config.Config) (string, error) {
	s, err := o.connect(nil, nil, slog.New(slog.DiscardHandler))
	if err == nil {
		defer s.Close()
		err = s.Check(ctx)
	}
	if err != nil {
		return "", unreached(path, err)
	}
	return fmt.Sprintf("%s: %s accepts samples", path, o.URL), nil
}

func (o *RemoteWriteOutput) patience() time.Duration { return o.Timeout }

func (o *RemoteWriteOutput) reload(sinks []stream.Sink) {
	for _, s := range sinks {
		s.(*remotewrite.Sink).Change(remotewrite.Change{Password: o.Password, Token: o.Token, BatchSize: o.BatchSize, Timeout: o.Timeout})
	}
}
