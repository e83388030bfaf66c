package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// SavedCheckpoint describes a snapshot in a state topic, with the changes to it.
type SavedCheckpoint struct {
	Partition string // partition of the input
	Name      string // name of the snapshot
	Committed bool   // the snapshot belongs to the committed offset of the group
	Time      time.Time
	Bytes     int64
	Changes   int   // number of changes after the whole checkpoint
	Next      int64 // offset to resume from
	Last      stream.Mark
	Settings  []checkpoint.Setting
	Outputs   checkpoint.Positions
	Err       error // damage, or an unreadable version, of a part; nil = none
}

// SavedState reads and removes the checkpoints of a group that is not running.
type SavedState struct {
	group  *Group
	topic  *StateTopic
	counts map[string]int // partitions per input topic
}

// SavedState opens an existing state topic. Unlike StateTopic it changes nothing.
func (g *Group) SavedState(ctx context.Context, topic string) (*SavedState, error) {
	inputs, err := g.client.Partitions(ctx, g.config.Topics)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", retry.ExplainFirst(err))
	}
	reader, err := NewGroup(GroupConfig{Connection: g.config.Connection, Topics: []string{topic}, FetchBytes: 4 << 20, Log: g.config.Log})
	if err != nil {
		return nil, err
	}
	counts, err := reader.client.Partitions(ctx, []string{topic})
	if err != nil {
		reader.client.Close()
		return nil, fmt.Errorf("kafka: %w", retry.ExplainFirst(err))
	}
	return &SavedState{group: g, topic: &StateTopic{reader: reader, topic: topic, count: counts[topic]}, counts: inputs}, nil
}

// Close releases the connections.
func (s *SavedState) Close() error {
	s.group.client.Close()
	return s.topic.Close()
}

// each calls f with the store of each input partition.
func (s *SavedState) each(f func(store *Store) error) error {
	for _, topic := range s.group.config.Topics {
		for i := range min(s.counts[topic], s.topic.count) {
			p := s.group.newPartition(topicPartition{topic, i}, &membership{group: s.group.config.Group})
			err := f(s.topic.Store(p))
			p.expire(nil)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Checkpoints reads all checkpoints. Those of one partition are in order, newest first.
func (s *SavedState) Checkpoints(ctx context.Context) ([]SavedCheckpoint, error) {
	var all []SavedCheckpoint
	return all, s.each(func(store *Store) error {
		list, err := store.manifests(ctx)
		if err != nil {
			return err
		}
		_, text, err := store.p.Committed(ctx)
		if err != nil {
			return err
		}
		committed, _ := parseManifests(text) // empty for metadata of other programs
		for _, m := range list {
			c := SavedCheckpoint{Partition: store.p.tp.String(), Name: m.id, Time: m.written, Next: m.next}
			if len(committed) > 0 && committed[0].id == m.id {
				m, c.Committed = committed[0], true // the topic may have later, uncommitted changes
			}
			if err := store.describe(ctx, m, &c); err != nil {
				return err
			}
			all = append(all, c)
		}
		return nil
	})
}

// describe sets the fields of c that depend on the content of the snapshot m.
func (s *Store) describe(ctx context.Context, m manifest, c *SavedCheckpoint) error {
	list, _, err := s.read(ctx, m)
	if err != nil && !errors.Is(err, checkpoint.ErrCorrupt) && !errors.Is(err, checkpoint.ErrVersion) {
		return err
	}
	c.Err = err
	for i := range list {
		c.Changes, c.Next, c.Last, c.Settings, c.Outputs = i, list[i].Next, list[i].Last, list[0].Settings, list[i].Outputs
		c.Bytes += list[i].State.Size
	}
	return nil
}

// errInUse reports that the group has members.
var errInUse = errors.New("kafka: the group has members: stop them first")

// Reset removes all checkpoints and the offsets of the group, so that the next member starts from scratch. It
// returns the number of removed snapshots, or errInUse.
func (s *SavedState) Reset(ctx context.Context) (removed int, err error) {
	if err := s.group.DeleteOffsets(ctx); err != nil {
		return 0, err
	}
	return removed, s.each(func(store *Store) error {
		list, err := store.manifests(ctx)
		if err != nil {
			return err
		}
		for _, m := range list {
			if err := store.remove(ctx, m.id, m.chunks); err != nil {
				return err
			}
			removed++
		}
		return nil
	})
}

// DeleteOffsets removes the committed offsets of the group. It returns errInUse if the group has members; the
// broker also refuses while a member joins.
func (g *Group) DeleteOffsets(ctx context.Context) error {
	counts, err := g.client.Partitions(ctx, g.config.Topics)
	if err != nil {
		return fmt.Errorf("kafka: %w", retry.ExplainFirst(err))
	}
	name := g.config.Group
	groups, err := g.client.DescribeGroups(ctx, &kafkago.DescribeGroupsRequest{GroupIDs: []string{name}})
	if err != nil {
		return fmt.Errorf("kafka: describe the group %s: %w", name, retry.Explain(err))
	}
	for _, described := range groups.Groups {
		if err := described.Error; err != nil && !errors.Is(err, kafkago.GroupIdNotFound) {
			return fmt.Errorf("kafka: describe the group %s: %w", name, retry.Explain(err))
		}
		if len(described.Members) > 0 {
			return fmt.Errorf("%w (%s)", errInUse, name)
		}
	}
	topics := make(map[string][]int)
	for topic, n := range counts {
		for i := range n {
			topics[topic] = append(topics[topic], i)
		}
	}
	resp, err := g.client.OffsetDelete(ctx, &kafkago.OffsetDeleteRequest{GroupID: name, Topics: topics})
	if err == nil {
		err = resp.Error
	}
	if err == nil {
		for _, list := range resp.Topics {
			for _, p := range list {
				err = errors.Join(err, p.Error)
			}
		}
	}
	switch {
	case errors.Is(err, kafkago.GroupIdNotFound):
		return nil
	case errors.Is(err, kafkago.NonEmptyGroup), errors.Is(err, kafkago.GroupSubscribedToTopic):
		return fmt.Errorf("%w (%s)", errInUse, name)
	case err != nil:
		return fmt.Errorf("kafka: delete the offsets of the group %s: %w", name, retry.Explain(err))
	}
	return nil
}
