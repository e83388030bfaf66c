package kafka

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
)

// Partition is a partition while it is assigned: a stream.Source, Seeker and
// Committer. Read and Seek belong to one goroutine, Commit to one as well.
type Partition struct {
	group  *Group
	tp     topicPartition
	member *membership // nil outside of a group
	work   context.Context
	*counters

	ended  chan struct{} // closed when the partition is no longer ours
	finish sync.Once

	started  bool
	next     int64 // offset of the next message to be delivered
	fetched  int64 // offset of the next message to be fetched
	pending  []stream.Message
	arena    []byte // backs the keys and values of pending
	suspect  bool   // the log may have been replaced since the last fetch
	lastSeen uint64 // hash of the message before fetched; 0 = unknown
}

// membership is what proves to the broker that a commit is ours.
type membership struct {
	group      string
	generation int
	member     string
}

// counters outlive the assignments of a partition.
type counters struct {
	position, end, lost, retries atomic.Int64
	problem                      atomic.Value // string
}

func (g *Group) newPartition(tp topicPartition, m *membership) *Partition {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.counters[tp]
	if c == nil {
		c = new(counters)
		c.position.Store(-1)
		g.counters[tp] = c
	}
	return &Partition{group: g, tp: tp, member: m, counters: c, ended: make(chan struct{})}
}

// end makes further commits fail.
func (p *Partition) end() { p.finish.Do(func() { close(p.ended) }) }

// Topic returns the name of the topic.
func (p *Partition) Topic() string { return p.tp.topic }

// Number returns the number of the partition in the topic.
func (p *Partition) Number() int { return p.tp.partition }

// Close does nothing: a partition ends with the function that works on it.
func (p *Partition) Close() error { return nil }

// try calls a request until it succeeds, fails for good or ctx ends. What
// fails for good is wrapped in a permanent error.
func (p *Partition) try(ctx context.Context, what string, request func(ctx context.Context) error) error {
	var b backoff
	for {
		rctx, cancel := p.group.client.bounded(ctx, 0)
		err := request(rctx)
		cancel()
		var final *permanent
		switch {
		case err == nil:
			p.problem.Store("")
			return nil
		case errors.As(err, &final):
			return final.err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		p.failed(what, err)
		if err := b.pause(ctx); err != nil {
			return err
		}
	}
}

// permanent is an error that repeating does not repair.
type permanent struct{ err error }

func (e *permanent) Error() string { return e.err.Error() }

// failed counts a failed request and reports a new kind of failure.
func (p *Partition) failed(what string, err error) {
	p.retries.Add(1)
	text := what + ": " + err.Error()
	if old, _ := p.problem.Swap(text).(string); old != text {
		p.group.config.Log.Warn("a request to Kafka failed and is repeated",
			"partition", p.tp.String(), "request", what, "error", explain(err))
	}
}

// bounds returns the offsets of the first record of the log and of the one
// after its last.
func (p *Partition) bounds(ctx context.Context) (first, end int64, err error) {
	err = p.try(ctx, "list offsets", func(ctx context.Context) error {
		resp, err := p.group.client.ListOffsets(ctx, &kafkago.ListOffsetsRequest{
			Topics: map[string][]kafkago.OffsetRequest{
				p.tp.topic: {kafkago.FirstOffsetOf(p.tp.partition), kafkago.LastOffsetOf(p.tp.partition)},
			},
		})
		if err != nil {
			return err
		}
		for _, o := range resp.Topics[p.tp.topic] {
			if o.Partition == p.tp.partition {
				if o.Error != nil {
					return o.Error
				}
				first, end = o.FirstOffset, o.LastOffset
				p.end_(end)
				return nil
			}
		}
		return errors.New("the answer lacks the partition")
	})
	return first, end, err
}

func (p *Partition) end_(end int64) { p.counters.end.Store(end) }
