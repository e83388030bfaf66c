package wire

import (
	"context"
	"log/slog"
	"reflect"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

var kafkaOutput = kind[output]{
	name: "kafka", about: "forecasts in the format of the input, JSON or line protocol, key = series",
	settings: func() output { return &KafkaOutput{Layout: "wide"} },
}

// KafkaOutput is a topic that forecasts are written to.
type KafkaOutput struct {
	Topic  string `yaml:"topic"`  // topic, which must exist
	Layout string `yaml:"layout"` // `wide` = a message has all variables; `long` = a message per variable

	// existing topic for the [events of anomalies](formats.md#anomalies-and-drift); empty = none
	AnomalyTopic string `yaml:"anomaly_topic"`

	// addresses `host:port`; empty = those of `input.kafka`, with its SASL and TLS keys
	Brokers []string `yaml:"brokers"`

	KafkaAccess `yaml:",inline"`
}

// OutputKafka returns the settings of output.kafka; nil unless they are given.
func OutputKafka(c *config.Config) *KafkaOutput { return config.Of[KafkaOutput](c.Output.Kinds) }

// Check implements config.Settings.
func (k *KafkaOutput) Check(v *config.Checker, path string, c *config.Config) {
	in, own := InputKafka(c), len(k.Brokers) > 0
	v.Need(k.Topic != "", path+".topic", "must name a topic")
	v.OneOf(path+".layout", k.Layout, "wide", "long")
	v.Need(own || in != nil, path+".brokers", "must be given unless there is an input.kafka")
	read := func(topic string) bool {
		return !own && in != nil && (slices.Contains(in.Topics, topic) || topic != "" && topic == in.Join)
	}
	v.Need(!read(k.Topic), path+".topic", "is one of input.kafka.topics: the forecasts would be read as samples")
	v.Need(k.AnomalyTopic == "" || k.AnomalyTopic != k.Topic, path+".anomaly_topic", "is %s.topic; anomalies need a topic of their own", path)
	v.Need(!read(k.AnomalyTopic), path+".anomaly_topic", "is one of input.kafka.topics: the anomalies would be read as samples")
	checkBrokers(v, path, k.Brokers)
	k.check(v, path)
	v.Need(own || reflect.ValueOf(k.KafkaAccess).IsZero(), path+".brokers",
		"must be given with settings of SASL or TLS; without, the brokers are those of the input, reached like them")
}

// reach returns the connection to the brokers of the output.
func (k *KafkaOutput) reach(c *config.Config) (cluster.Connection, error) {
	if len(k.Brokers) > 0 {
		return k.connection(k.Brokers, "forecaster")
	}
	return InputKafka(c).Connection()
}

func (k *KafkaOutput) open(c *config.Config, letters stream.DeadLetters, log *slog.Logger) ([]stream.Sink, error) {
	connection, err := k.reach(c)
	if err != nil {
		return nil, err
	}
	encoder, err := k.encoder(c)
	if err != nil {
		return nil, err
	}
	s, err := kafkasink.New(connection, k.Topic, encoder, letters, log)
	if err != nil {
		return nil, err
	}
	sinks := []stream.Sink{s}
	if k.AnomalyTopic != "" {
		s, err := kafkasink.NewAnomalies(connection, k.AnomalyTopic, letters, log)
		if err != nil {
			return sinks, err
		}
		sinks = append(sinks, s)
	}
	return sinks, nil
}

// encoder returns the encoder of forecasts in the format of the input, so that readers of the input can read them, too.
// For formats without a layout for forecasts it is plain JSON.
func (k *KafkaOutput) encoder(c *config.Config) (kafkasink.Encoder, error) {
	f := formatOf(c)
	if f.sent == nil {
		f.sent = sentPlain
	}
	return f.sent(c, k.Layout == "long")
}

func (k *KafkaOutput) use(path string, c *config.Config) kafkaUse {
	u := kafkaUse{key: path, connect: func() (cluster.Connection, error) { return k.reach(c) }, topics: []string{k.Topic}, rights: []cluster.Right{cluster.Write}}
	if k.AnomalyTopic != "" {
		u.topics = append(u.topics, k.AnomalyTopic)
	}
	return u
}

func (k *KafkaOutput) try(ctx context.Context, path string, c *config.Config) (string, error) {
	return k.use(path, c).try(ctx)
}
