package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

// kafkaUse describes the use of the topics that one key configures.
type kafkaUse struct {
	key     string
	connect func() (cluster.Connection, error)
	topics  []string
	rights  []cluster.Right // rights that the job needs on each topic
	group   string          // consumer group; "": none
	state   []string        // input topics, if topics is the state topic for their partitions
}

// ownUses returns the uses of topics other than inputs and outputs.
func ownUses(c *config.Config) (uses []kafkaUse) {
	if k := InputKafka(c); k != nil && k.Join != "" {
		uses = append(uses, kafkaUse{
			key: "input.kafka.join", connect: k.Connection, topics: []string{k.Join}, rights: []cluster.Right{cluster.Read, cluster.Write}, group: k.ConsumerGroup,
		})
	}
	if d := c.Output.DeadLetters; d != nil && d.Topic != "" {
		uses = append(uses, kafkaUse{key: "output.dead_letters", connect: InputKafka(c).Connection, topics: []string{d.Topic}, rights: []cluster.Right{cluster.Write}})
	}
	if t := c.State.Topic; t != "" {
		uses = append(uses, kafkaUse{
			key: "state.topic", connect: InputKafka(c).Connection, topics: []string{t}, state: InputKafka(c).Forecast(),
			rights: []cluster.Right{cluster.Read, cluster.Write, cluster.DescribeConfigs},
		})
	}
	return uses
}

// kafkaUses returns the uses of Kafka of a configuration; docs/howto/kafka-rights.md has the table.
func kafkaUses(c *config.Config) (uses []kafkaUse) {
	for _, in := range given(inputs, "input", c.Input.Kinds) {
		if k, ok := in.settings.(user); ok {
			uses = append(uses, k.use(in.path, c))
		}
	}
	for _, out := range givenOutputs(c) {
		if k, ok := out.settings.(user); ok {
			uses = append(uses, k.use(out.path, c))
		}
	}
	return append(uses, ownUses(c)...)
}

// checkRights returns an error if the brokers deny a right of the use.
func (u kafkaUse) checkRights(ctx context.Context, c cluster.Connection) error {
	rights := make(map[string][]cluster.Right)
	for _, t := range u.topics {
		rights[t] = u.rights
	}
	return c.CheckRights(ctx, u.group, rights)
}

// try connects to the brokers, and checks the topics and the rights.
func (u kafkaUse) try(ctx context.Context) (string, error) {
	text, err := u.look(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", u.key, advised(err))
	}
	return u.key + ": " + text, nil
}

func (u kafkaUse) look(ctx context.Context) (string, error) {
	c, err := u.connect()
	if err != nil {
		return "", err
	}
	if err := c.Ping(ctx); err != nil {
		return "", err
	}
	err = u.checkRights(ctx, c)
	if lacking := new(cluster.RightsError); u.state != nil && !errors.As(err, &lacking) {
		var created string
		if created, err = u.tryState(ctx, c); created != "" {
			return created, nil
		}
	}
	var counts map[string]int
	if err == nil {
		counts, err = c.Partitions(ctx, u.topics)
	}
	if err != nil {
		return "", fmt.Errorf("the brokers answer, but %w", err)
	}
	var parts []string
	for _, t := range u.topics {
		parts = append(parts, fmt.Sprintf("topic %s has %s", t, plural.Count(counts[t], "partition")))
	}
	return strings.Join(parts, ", "), nil
}

// tryState checks the state topic. created is a text if the job will create the topic, or if it could not be checked.
func (u kafkaUse) tryState(ctx context.Context, c cluster.Connection) (created string, err error) {
	counts, err := c.Partitions(ctx, u.state)
	if topic := new(cluster.TopicError); errors.As(err, &topic) { // lint reports the input topic itself
		return fmt.Sprintf("topic %s has not been looked at: it needs those that are read", u.topics[0]), nil
	}
	if err != nil {
		return "", err
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	exists, err := kafka.TryStateTopic(ctx, c, u.topics[0], most)
	if err != nil || exists {
		return "", err
	}
	return fmt.Sprintf("topic %s does not exist; the job will create it with %s", u.topics[0], plural.Count(most, "partition")), nil
}

// CheckKafkaRights returns an error if the brokers deny a right of the job. Missing brokers and topics are no error: the
// job waits for them later.
func CheckKafkaRights(ctx context.Context, c *config.Config) error {
	var errs []error
	for _, u := range kafkaUses(c) {
		connection, err := u.connect()
		if err == nil {
			err = u.checkRights(ctx, connection)
		}
		if lacking := new(cluster.RightsError); errors.As(err, &lacking) {
			errs = append(errs, fmt.Errorf("%s: %w", u.key, advised(err)))
		}
	}
	return errors.Join(errs...)
}

// advised adds the remedy to an error of the brokers.
func advised(err error) error {
	topic, lacking := new(cluster.TopicError), new(cluster.RightsError)
	switch {
	case errors.As(err, &topic) && topic.Missing():
		return fmt.Errorf("%w: create it (kafka-topics.sh --create --topic %[2]s, or: forecaster produce FILE --topic %[2]s --partitions 1), or correct the name", err, topic.Topic)
	case errors.As(err, &lacking):
		return fmt.Errorf("%w; add the ACL (kafka-acls.sh --add --allow-principal %s --operation OPERATION ...; docs/howto/kafka-rights.md lists all)", err, lacking.User)
	}
	return err
}
