package wire

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

var kafkaInput = kind[input]{
	name: "kafka", about: "consumer group, keys named as in [Telegraf](https://github.com/influxdata/telegraf/tree/master/plugins/inputs/kafka_consumer)",
	settings: func() input {
		return &KafkaInput{
			ConsumerGroup: "forecaster", Offset: "oldest", IsolationLevel: "read_committed", ClientID: "forecaster",
			MaxMessageLen: 1 << 20, SessionTimeout: 30 * time.Second,
		}
	},
}

// KafkaInput is a topic read as a member of a consumer group.
type KafkaInput struct {
	Brokers []string `yaml:"brokers"` // addresses `host:port`

	// topics; all messages of one series must share a partition, as keyed messages do
	Topics []string `yaml:"topics"`

	// existing topic for [series that are spread](howto/several-members.md#series-that-are-spread) over
	// partitions or topics: `run` copies the records of `topics` to it and forecasts from it
	Join string `yaml:"join"`

	ConsumerGroup string `yaml:"consumer_group"` // name of the consumer group
	Offset        string `yaml:"offset"`         // start of a group without a checkpoint: `oldest` or `newest`

	// `read_committed`: messages of a transaction are read after its commit, and delay later ones until then;
	// `read_uncommitted`: also those of open and aborted transactions
	IsolationLevel string `yaml:"isolation_level"`

	ClientID      string `yaml:"client_id"` // client name in logs and quotas of the broker
	KafkaAccess   `yaml:",inline"`
	MaxMessageLen config.Size `yaml:"max_message_len"` // limit of a message; longer ones are refused

	// time without a heartbeat after which a process loses its partitions
	SessionTimeout time.Duration `yaml:"session_timeout"`
}

// InputKafka returns the settings of input.kafka; nil unless they are given.
func InputKafka(c *config.Config) *KafkaInput { return config.Of[KafkaInput](c.Input.Kinds) }

// Check implements config.Settings.
func (k *KafkaInput) Check(v *config.Checker, path string, c *config.Config) {
	v.Need(len(k.Brokers) > 0, path+".brokers", "must name at least one broker, such as localhost:9092")
	checkBrokers(v, path, k.Brokers)
	v.Need(len(k.Topics) > 0, path+".topics", "must name at least one topic")
	v.Need(!slices.Contains(k.Topics, ""), path+".topics", "must not contain an empty name")
	f, ok := formatNamed(c.Input.DataFormat)
	v.Need(k.Join == "" || !slices.Contains(k.Topics, k.Join), path+".join", "is one of %s.topics; name another topic, or its own records would be read", path)
	v.Need(k.Join == "" || !f.shared, path+".join", "cannot part the messages of %s, which have several series: %s", c.Input.DataFormat, f.key)
	v.Need(k.ConsumerGroup != "", path+".consumer_group", "must not be empty")
	v.OneOf(path+".offset", k.Offset, "oldest", "newest")
	v.OneOf(path+".isolation_level", k.IsolationLevel, "read_committed", "read_uncommitted")
	k.check(v, path)
	if ok && f.checkMessages != nil {
		f.checkMessages(v, c)
	}
	v.Need(k.MaxMessageLen >= 1 && k.MaxMessageLen <= 1<<30, path+".max_message_len", "must lie in [1, 1GiB], got %v", k.MaxMessageLen)
	v.Need(k.SessionTimeout >= time.Second && k.SessionTimeout <= time.Hour, path+".session_timeout", "must lie in [1s, 1h], got %v", k.SessionTimeout)
}

func (k *KafkaInput) formatName(c *config.Config) string { return c.Input.DataFormat }

// Connection returns the connection to the brokers.
func (k *KafkaInput) Connection() (cluster.Connection, error) {
	return k.connection(k.Brokers, k.ClientID)
}

// Forecast returns the topics whose records are forecast.
func (k *KafkaInput) Forecast() []string {
	if k.Join != "" {
		return []string{k.Join}
	}
	return k.Topics
}

// Joining returns the consumer group that copies records to Join.
func (k *KafkaInput) Joining() string { return k.ConsumerGroup + "-merge" }

func (k *KafkaInput) use(path string, _ *config.Config) kafkaUse {
	group := k.ConsumerGroup
	if k.Join != "" {
		group = k.Joining()
	}
	return kafkaUse{key: path, connect: k.Connection, topics: k.Topics, rights: []cluster.Right{cluster.Read}, group: group}
}

func (k *KafkaInput) try(ctx context.Context, path string, c *config.Config) (string, error) {
	return k.use(path, c).try(ctx)
}

// NewDecoders returns a function that returns the decoder of a Kafka partition's messages.
func NewDecoders(c *config.Config, log *slog.Logger) (func(ctx context.Context) (stream.Decoder, error), error) {
	f, _ := formatNamed(c.Input.DataFormat)
	return f.messages(c, int(InputKafka(c).MaxMessageLen), log)
}
