package wire

import (
	"log/slog"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/influx"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// KafkaConnection says how the brokers are reached.
func KafkaConnection(k *config.Kafka) (kafka.Connection, error) {
	return connection(k.Brokers, k.ClientID, &k.KafkaAccess)
}

func connection(brokers []string, clientID string, a *config.KafkaAccess) (kafka.Connection, error) {
	c := kafka.Connection{
		Brokers: brokers, ClientID: clientID,
		SASL: kafka.SASL{
			Mechanism: a.SASLMechanism, Username: a.SASLUsername, Password: a.SASLPassword,
			Token: kafka.Token{File: a.SASLTokenFile, Command: a.SASLTokenCommand, URL: a.SASLTokenURL, Scopes: a.SASLScopes},
		},
	}
	if !a.TLSEnable {
		return c, nil
	}
	var err error
	c.TLS, err = kafka.TLSFiles{
		CA: a.TLSCA, Cert: a.TLSCert, Key: a.TLSKey, ServerName: a.TLSServerName, InsecureSkipVerify: a.InsecureSkipVerify,
	}.Config()
	return c, err
}

// OutputConnection says how the brokers of the output are reached.
func OutputConnection(c *config.Config) (kafka.Connection, error) {
	if o := c.Output.Kafka; len(o.Brokers) > 0 {
		return connection(o.Brokers, "forecaster", &o.KafkaAccess)
	}
	return KafkaConnection(c.Input.Kafka)
}

func NewInfluxDB(i *config.InfluxDB, levels []float64, letters stream.DeadLetters, log *slog.Logger) (*influx.Sink, error) {
	return influx.New(influxConfig(i, levels, letters, log))
}

func influxConfig(i *config.InfluxDB, levels []float64, letters stream.DeadLetters, log *slog.Logger) influx.Config {
	return influx.Config{
		URL: i.URL, Token: i.Token, Org: i.Org, Bucket: i.Bucket, BatchSize: i.BatchSize, Timeout: i.Timeout,
		Encoder:     lineproto.Encoder{Levels: levels, Long: i.Layout == "long", Include: i.Include, Every: i.Every},
		DeadLetters: letters, Log: log,
	}
}
