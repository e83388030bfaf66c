package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// checkPartitions compares the present numbers of partitions with the numbers at the commits of the group. It is
// called before any work begins.
func (g *Group) checkPartitions(ctx context.Context, now map[string]int) error {
	if g.config.Group == "" {
		return nil
	}
	all := make(map[string][]int)
	for topic, n := range now {
		for i := range n {
			all[topic] = append(all[topic], i)
		}
	}
	return g.client.Repeat(ctx, func(ctx context.Context) error {
		resp, err := committed(ctx, g.client, g.config.Group, all)
		switch {
		case retry.Refused(err):
			return &permanent{fmt.Errorf("kafka: fetch the offsets of the group %s: %w", g.config.Group, retry.Explain(err))}
		case err != nil && !errors.Is(err, kafkago.GroupIdNotFound):
			return err
		}
		for topic, list := range resp {
			for _, o := range list {
				if n := parseNote(o.Metadata); o.CommittedOffset >= 0 && n.partitions > 0 && n.partitions != now[topic] {
					return &permanent{partitionsChanged(topic, n.partitions, now[topic])}
				}
			}
		}
		return nil
	}, verdict, func(err error) { g.setState("waiting for the offsets of the group: " + err.Error()) })
}

func partitionsChanged(topic string, was, now int) error {
	return fmt.Errorf("%w: topic %s had %d and has %d; so series may have moved to "+
		"other partitions", ErrPartitions, topic, was, now)
}

// watch checks the topics until ctx ends, also while readers are delayed. It returns a permanent error if a topic
// was replaced, or if its number of partitions has changed, because keys then move between partitions.
func (g *Group) watch(ctx context.Context, was map[string]int) error {
	tick := time.NewTicker(g.watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		g.refreshEnds(ctx)
		if err := g.verify(ctx); err != nil {
			return err
		}
		now, err := g.client.Partitions(ctx, g.config.Topics)
		if err != nil {
			continue // the readers report a lasting failure
		}
		for _, t := range g.config.Topics {
			if now[t] != was[t] {
				return &permanent{partitionsChanged(t, was[t], now[t])}
			}
		}
	}
}

// verify compares the logs of the assigned partitions with the messages read. It returns only permanent errors; the
// readers report others.
func (g *Group) verify(ctx context.Context) error {
	g.mu.Lock()
	list := slices.Collect(maps.Values(g.assigned))
	g.mu.Unlock()
	for _, p := range list {
		ctx, cancel := g.client.Bounded(ctx, 0)
		err := p.verifyOnce(ctx)
		cancel()
		switch {
		case verdict(err) != nil:
			return err
		case err != nil:
			return nil //nolint:nilerr // the readers notice it
		}
	}
	return nil
}

// refreshEnds updates the readable ends of the assigned partitions, so that the lag of a delayed reader grows.
func (g *Group) refreshEnds(ctx context.Context) {
	request := make(map[string][]kafkago.OffsetRequest)
	g.mu.Lock()
	for tp := range g.assigned {
		request[tp.topic] = append(request[tp.topic], kafkago.LastOffsetOf(tp.partition))
	}
	g.mu.Unlock()
	if len(request) == 0 {
		return
	}
	ctx, cancel := g.client.Bounded(ctx, 0)
	defer cancel()
	resp, err := g.client.ListOffsets(ctx, &kafkago.ListOffsetsRequest{Topics: request, IsolationLevel: g.config.Isolation.level()})
	if err != nil {
		return // the readers report the failure
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for topic, list := range resp.Topics {
		for _, o := range list {
			if p := g.assigned[topicPartition{topic, o.Partition}]; p != nil && o.Error == nil {
				p.end.Store(o.LastOffset)
			}
		}
	}
}
