package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// StateTopic keeps the checkpoints of a group in a compacted topic, where every member finds them.
//
// A snapshot is a whole checkpoint and the changes to it. Its chunks have unique keys:
// group/topic/partition/id/number. Groups that share a state topic do not see each other's snapshots. Only the
// owner of a partition adds to its snapshot; a new owner begins a new one.
//
// A checkpoint is valid once the group commits its offset together with the name of the snapshot, the number of its
// chunks and their checksum. The broker refuses the commit if the partition has a new owner, so later writes of the
// old owner have no effect. After the commit, all snapshots except the last two are removed, and so are the remains
// of former owners.
type StateTopic struct {
	reader *Group // reads all partitions, without a consumer group
	topic  string
	count  int // number of partitions
}

// StateTopic opens the topic for the checkpoints of the group, and creates it if needed. It checks that the topic
// is compacted, so that no checkpoint expires, and that it has at least as many partitions as the input. It waits
// for the brokers and the input until ctx ends.
func (g *Group) StateTopic(ctx context.Context, topic string) (*StateTopic, error) {
	counts, err := g.waitForTopics(ctx)
	if err == nil {
		err = g.checkPartitions(ctx, counts) // first, because otherwise an error would blame the state topic
	}
	if err != nil {
		return nil, err
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	return openStateTopic(ctx, g.config.Connection, topic, most, g.config.Log)
}

func openStateTopic(ctx context.Context, c cluster.Connection, topic string, partitions int, log *slog.Logger) (*StateTopic, error) {
	t, exists, err := findStateTopic(ctx, c, topic, log)
	if err == nil && !exists {
		err = t.create(ctx, partitions, false)
	}
	if err == nil {
		err = t.check(ctx, partitions)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// TryStateTopic makes the checks of Group.StateTopic without creating the topic. It reports whether the topic
// exists. It returns an error if the topic cannot be used or created.
func TryStateTopic(ctx context.Context, c cluster.Connection, topic string, partitions int) (exists bool, err error) {
	t, exists, err := findStateTopic(ctx, c, topic, slog.New(slog.DiscardHandler))
	if err == nil && exists {
		err = t.check(ctx, partitions)
	} else if err == nil {
		err = t.create(ctx, partitions, true)
	}
	return exists, errors.Join(err, t.Close())
}

// findStateTopic reports whether a topic exists. The caller must call Close, also after an error.
func findStateTopic(ctx context.Context, c cluster.Connection, topic string, log *slog.Logger) (t *StateTopic, exists bool, err error) {
	t = &StateTopic{topic: topic}
	t.reader, err = NewGroup(GroupConfig{Connection: c, Topics: []string{topic}, FetchBytes: 4 << 20, Log: log})
	if err != nil {
		return t, false, err
	}
	t.reader.client.Timeout = c.RequestTimeout() // the broker waits for the replicas up to half of it
	err = t.try(ctx, "look for the state topic", func(ctx context.Context) error {
		_, err := t.reader.client.Partitions(ctx, []string{topic})
		exists = err == nil
		switch {
		case errors.Is(err, kafkago.UnknownTopicOrPartition):
			return nil
		case retry.Refused(err):
			return &permanent{fmt.Errorf("kafka: the state topic: %w", retry.Explain(err))}
		}
		return err
	})
	return t, exists, err
}

// Close releases the connections.
func (t *StateTopic) Close() error {
	if t.reader != nil {
		t.reader.client.Close()
	}
	return nil
}

// create creates the topic. With only, it asks the brokers whether that is possible.
func (t *StateTopic) create(ctx context.Context, partitions int, only bool) error {
	return t.try(ctx, "create the state topic", func(ctx context.Context) error {
		resp, err := t.reader.client.CreateTopics(ctx, &kafkago.CreateTopicsRequest{ValidateOnly: only, Topics: []kafkago.TopicConfig{{
			Topic: t.topic, NumPartitions: partitions, ReplicationFactor: -1,
			ConfigEntries: []kafkago.ConfigEntry{
				{ConfigName: "cleanup.policy", ConfigValue: "compact"},
				// Snapshots are replaced often. Small segments let compaction remove old ones soon.
				{ConfigName: "segment.bytes", ConfigValue: strconv.Itoa(64 << 20)},
				{ConfigName: "min.cleanable.dirty.ratio", ConfigValue: "0.1"},
			},
		}}})
		if err == nil {
			err = resp.Errors[t.topic]
		}
		if errors.Is(err, kafkago.TopicAlreadyExists) {
			return nil
		}
		if retry.Refused(err) {
			return &permanent{fmt.Errorf("kafka: there is no state topic %s, and this client may not create it: "+
				"create it (kafka-topics.sh --create --topic %[1]s --partitions %d --config cleanup.policy=compact), or allow Create of the topic: %w", t.topic, partitions, retry.Explain(err))}
		}
		return err
	})
}

// check checks the number of partitions, and that the topic is compacted.
func (t *StateTopic) check(ctx context.Context, partitions int) error {
	counts, err := t.reader.waitForTopics(ctx)
	if err != nil {
		return err
	}
	if t.count = counts[t.topic]; t.count < partitions {
		return fmt.Errorf("kafka: the state topic %s has %d partitions, the input %d: add some, or use another one", t.topic, t.count, partitions)
	}
	var policy string
	err = t.try(ctx, "describe the state topic", func(ctx context.Context) error {
		resp, err := t.reader.client.DescribeConfigs(ctx, &kafkago.DescribeConfigsRequest{Resources: []kafkago.DescribeConfigRequestResource{{
			ResourceType: kafkago.ResourceTypeTopic, ResourceName: t.topic, ConfigNames: []string{"cleanup.policy"},
		}}})
		if err != nil {
			return err
		}
		for _, r := range resp.Resources {
			if retry.Refused(r.Error) {
				return &permanent{fmt.Errorf("kafka: this client may not see whether the state topic %s is compacted: allow DescribeConfigs of the topic: %w", t.topic, r.Error)}
			}
			if r.Error != nil {
				return r.Error
			}
			for _, e := range r.ConfigEntries {
				if e.ConfigName == "cleanup.policy" {
					policy = e.ConfigValue
				}
			}
		}
		return nil
	})
	if err == nil && policy != "compact" {
		err = fmt.Errorf("kafka: the state topic %s has cleanup.policy=%s, which removes checkpoints in use: set it to compact", t.topic, policy)
	}
	return err
}

// try repeats a request like Partition.try.
func (t *StateTopic) try(ctx context.Context, what string, request func(ctx context.Context) error) error {
	p := t.partition(0)
	defer p.expire(nil)
	return p.try(ctx, what, request)
}

func (t *StateTopic) partition(number int) *Partition {
	return t.reader.newPartition(topicPartition{t.topic, number}, nil)
}
