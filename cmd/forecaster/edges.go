package main

import (
	"context"

	"github.com/orffvar/forecaster/internal/config"
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

// pingKafka returns nil when a broker answers.
func pingKafka(ctx context.Context, k *config.Kafka) error {
	c, err := kafkaConnection(k)
	if err != nil {
		return err
	}
	return c.Ping(ctx)
}
