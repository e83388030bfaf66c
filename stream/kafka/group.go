package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// Errors that end a Group, or the work on a partition.
var (
	// errFenced is returned by Commit if the partition may have another owner. The uncommitted state is void.
	errFenced = errors.New("kafka: the partition may have another owner by now")

	// ErrBeyondEnd reports a position beyond the end of the log: the topic was truncated, or deleted and created
	// again.
	ErrBeyondEnd = errors.New("kafka: the position lies beyond the end of the log; was the topic deleted and created again?")

	// ErrRecreated reports that the log was replaced: a message has different content.
	ErrRecreated = errors.New("kafka: the log has changed before the position: the topic was deleted and created again")

	// ErrNoState reports a committed offset without a checkpoint; see GroupConfig.Stateful.
	ErrNoState = errors.New("kafka: the group has committed an offset for which there is no checkpoint")

	// errLost reports records that retention removed before they were read.
	errLost = errors.New("kafka: records were removed by retention before they were read")

	// ErrPartitions reports that a topic has another number of partitions. Series may have moved between
	// partitions.
	ErrPartitions = errors.New("kafka: the number of partitions has changed")

	// errStuck reports work that did not return within HandOver. The process should end, because the partition has
	// another owner.
	errStuck = errors.New("kafka: the work on a partition did not end in time")
)

// Work processes a partition until ctx ends, then hands it over.
type Work func(ctx context.Context, p *Partition) error

// Group reads topics, alone or as a member of a consumer group.
type Group struct {
	config GroupConfig
	client *cluster.Client
	dialer *kafkago.Dialer

	partitions atomic.Int64  // number of partitions of all topics
	watchEvery time.Duration // time between two checks of the number of partitions
	hungAfter  time.Duration // time after which an open transaction that delays messages is reported

	// abandonAfter is the longest time for work that continues after HandOver while others have its partition.
	abandonAfter time.Duration

	mu         sync.Mutex
	counts     map[string]int // partitions per topic; nil before Run
	state      string
	generation int
	counters   map[topicPartition]*counters // counters of all partitions ever assigned
	assigned   map[topicPartition]*Partition
}

type topicPartition struct {
	topic     string
	partition int
}

func (t topicPartition) String() string { return fmt.Sprintf("%s[%d]", t.topic, t.partition) }

// NewGroup returns a Group that has not connected yet.
func NewGroup(c GroupConfig) (*Group, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	c.Topics = slices.Compact(slices.Sorted(slices.Values(c.Topics)))
	cl, err := c.NewClient(c.Topics)
	if err != nil {
		return nil, err
	}
	dialer, err := c.Dialer()
	if err != nil {
		return nil, err
	}
	return &Group{
		config: c, client: cl, dialer: dialer,
		watchEvery: 5 * time.Second,
		hungAfter:  30 * time.Second,

		abandonAfter: time.Minute,
		state:        "not started",
		counters:     make(map[topicPartition]*counters),
		assigned:     make(map[topicPartition]*Partition),
	}, nil
}

// Run waits until all topics exist, joins the group and calls work for each assigned partition in a goroutine of
// its own. It does so for each generation of the group.
//
// Run returns nil when ctx has ended and all work has returned nil, or when all work of a generation has returned
// nil by itself. Otherwise it hands over the remaining work and returns the first error. Work that has lost its
// partition is no error: it is called again when the partition comes back. Connections are repeated until ctx ends.
// A client that the broker refuses at the start is an error.
func (g *Group) Run(ctx context.Context, work Work) error {
	defer g.client.Close()
	defer g.setState("ended")
	counts, err := g.waitForTopics(ctx)
	if err != nil {
		return g.orderly(ctx, err)
	}
	g.mu.Lock()
	g.counts = counts
	g.mu.Unlock()
	if err := g.checkPartitions(ctx, counts); err != nil {
		return g.orderly(ctx, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		if err := g.watch(ctx, counts); err != nil {
			cancel(err)
		}
	})
	defer watch.Wait()
	defer cancel(nil)
	if g.config.Group == "" {
		err = g.runAll(ctx, counts, work)
	} else {
		err = g.runGroup(ctx, work)
	}
	if err := verdict(context.Cause(ctx)); err != nil {
		return err
	}
	return g.orderly(ctx, err)
}

// orderly returns nil if err only reports that ctx was cancelled from outside, else err.
func (g *Group) orderly(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// NumPartitions returns the number of partitions of all topics, 0 before Run has found them.
func (g *Group) NumPartitions() int { return int(g.partitions.Load()) }

// Wait returns when the brokers answer and have all topics.
func (g *Group) Wait(ctx context.Context) error {
	_, err := g.waitForTopics(ctx)
	return err
}

// waitForTopics waits for all topics and returns the number of partitions per topic.
func (g *Group) waitForTopics(ctx context.Context) (map[string]int, error) {
	var b retry.Backoff
	var last string
	for {
		counts, err := g.client.Partitions(ctx, g.config.Topics)
		if err == nil {
			n := 0
			for _, count := range counts {
				n += count
			}
			g.partitions.Store(int64(n))
			return counts, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		fatal := retry.Refused(err)
		err = retry.ExplainFirst(err)
		if fatal {
			return nil, fmt.Errorf("kafka: %w", err)
		}
		g.setState("waiting: " + err.Error())
		if s := retry.Kind(err); s != last {
			g.config.Log.Warn("waiting for Kafka", "error", err)
			last = s
		}
		if err := b.Pause(ctx); err != nil {
			return nil, err
		}
	}
}
