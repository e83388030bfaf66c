package main

import (
	"log/slog"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/influx"
	"github.com/orffvar/forecaster/stream/kafka"
)

// kafkaConnection says how the brokers are reached.
func kafkaConnection(k *config.Kafka) (kafka.Connection, error) {
	c := kafka.Connection{
		Brokers: k.Brokers, ClientID: k.ClientID,
		SASL: kafka.SASL{Mechanism: k.SASLMechanism, Username: k.SASLUsername, Password: k.SASLPassword},
	}
	if !k.TLSEnable {
		return c, nil
	}
	var err error
	c.TLS, err = kafka.TLSFiles{
		CA: k.TLSCA, Cert: k.TLSCert, Key: k.TLSKey, ServerName: k.TLSServerName, InsecureSkipVerify: k.InsecureSkipVerify,
	}.Config()
	return c, err
}

// outputConnection says how the brokers of the output are reached.
func outputConnection(c *config.Config) (kafka.Connection, error) {
	if brokers := c.Output.Kafka.Brokers; len(brokers) > 0 {
		return kafka.Connection{Brokers: brokers, ClientID: "forecaster"}, nil
	}
	return kafkaConnection(c.Input.Kafka)
}

func newInfluxDB(i *config.InfluxDB, levels []float64, letters stream.DeadLetters, log *slog.Logger) (*influx.Sink, error) {
	return influx.New(influx.Config{
		URL: i.URL, Token: i.Token, Org: i.Org, Bucket: i.Bucket, BatchSize: i.BatchSize, Timeout: i.Timeout,
		Levels: levels, DeadLetters: letters, Log: log,
	})
}
