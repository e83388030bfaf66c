package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// runAll works on every partition, without a group.
func (g *Group) runAll(ctx context.Context, counts map[string]int, work Work) error {
	var list []*Partition
	for _, topic := range g.config.Topics {
		for i := range counts[topic] {
			list = append(list, g.newPartition(topicPartition{topic, i}, nil))
		}
	}
	return g.serve(ctx, list, work)
}

// runGroup works on the partitions assigned by the group, generation by generation.
func (g *Group) runGroup(ctx context.Context, work Work) error {
	var balancers []kafkago.GroupBalancer // nil: defaults of kafka-go
	if g.config.OneMember {
		balancers = []kafkago.GroupBalancer{oneMember{}}
	}
	cg, err := kafkago.NewConsumerGroup(kafkago.ConsumerGroupConfig{
		ID:                g.config.Group,
		GroupBalancers:    balancers,
		Brokers:           g.config.Brokers,
		Dialer:            g.dialer,
		Topics:            g.config.Topics,
		HeartbeatInterval: g.config.Heartbeat,
		SessionTimeout:    g.config.SessionTimeout,
		RebalanceTimeout:  g.config.SessionTimeout,
		JoinGroupBackoff:  time.Second,
		StartOffset:       kafkago.FirstOffset, // unused: see Partition.open
		Timeout:           g.config.RequestTimeout(),
	})
	if err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	left := make(chan struct{})
	leave := sync.OnceFunc(func() {
		go func() {
			cg.Close()
			close(left)
		}()
	})
	// Leaving before the work has ended keeps kafka-go from joining another generation.
	defer context.AfterFunc(ctx, leave)()
	defer func() {
		leave()
		select {
		case <-left:
		case <-time.After(5 * time.Second): // a join request can take a session timeout
			g.config.Log.Warn("the group did not answer to leaving it", "group", g.config.Group)
		}
	}()
	joined := false
	var problem string
	for {
		g.setState("joining the group " + g.config.Group)
		if problem == "" { // else it is tried again every second, until the broker is back
			g.config.Log.Info("joining the group", "group", g.config.Group) // after a crash this takes up to a session timeout
		}
		gen, err := cg.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && retry.Refused(err) && !joined:
			return fmt.Errorf("kafka: joining the group %s: %w", g.config.Group, retry.Explain(err))
		case err != nil:
			if s := retry.Kind(err); s != problem {
				problem = s
				g.config.Log.Warn("joining the group", "group", g.config.Group, "error", retry.Explain(err))
			}
			continue // kafka-go pauses before the next attempt
		}
		joined, problem = true, ""
		err = g.runGeneration(ctx, gen, work, leave)
		switch {
		case !errors.Is(err, errEnded):
			return err
		case ctx.Err() != nil: // leave has ended the generation
			return context.Cause(ctx)
		}
	}
}

// runGeneration works on the partitions of one generation, see serve. It calls leave if the generation is the last
// one.
func (g *Group) runGeneration(ctx context.Context, gen *kafkago.Generation, work Work, leave func()) error {
	m := &membership{group: gen.GroupID, generation: int(gen.ID), member: gen.MemberID}
	var list []*Partition
	for _, topic := range g.config.Topics {
		for _, a := range gen.Assignments[topic] {
			if n := g.counts[topic]; a.ID >= n { // detects new partitions before watch does
				leave()
				return partitionsChanged(topic, n, a.ID+1)
			}
			list = append(list, g.newPartition(topicPartition{topic, a.ID}, m))
		}
	}
	g.mu.Lock()
	g.generation = m.generation
	g.mu.Unlock()
	g.config.Log.Info("partitions were assigned", "group", m.group, "generation", m.generation, "partitions", fmt.Sprint(names(list)))
	result := make(chan error, 1)
	// One function serves all partitions. kafka-go ends a generation when any function returns, and joins the next
	// when all have returned.
	gen.Start(func(generation context.Context) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(generation, func() { cancel(errEnded) })()
		err := g.serve(ctx, list, work)
		if !errors.Is(err, errEnded) {
			leave()
		}
		result <- err
	})
	return <-result
}

// errEnded is the cause that ends work when its generation is over.
var errEnded = errors.New("kafka: the generation of the group has ended")

// serve calls work for each partition and waits until all calls have returned. It returns nil if all calls returned
// nil by themselves, errEnded if the generation is over, else the first error of work, else the cause of ctx. Work
// that continues after HandOver has lost its partition, and serve returns errStuck. If only the generation is over
// it first waits for abandonAfter, so that a slow member can join again.
func (g *Group) serve(ctx context.Context, list []*Partition, work Work) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g.assign(list)
	defer g.assign(nil)
	g.setState("")

	type result struct {
		p   *Partition
		err error
	}
	results := make(chan result, len(list))
	open := make(map[*Partition]bool)
	for _, p := range list {
		p.work = ctx
		open[p] = true
		go func() {
			err := work(ctx, p)
			if err != nil && p.fenced() {
				err = fmt.Errorf("%w: %w", errFenced, err)
			}
			p.expire(errFenced)
			results <- result{p, err}
		}()
	}

	var first error
	var late <-chan time.Time
	expired := false
	ended := ctx.Done()
	for len(open) > 0 || len(list) == 0 && ended != nil {
		select {
		case r := <-results:
			delete(open, r.p)
			switch {
			case r.err == nil:
			case errors.Is(r.err, errFenced), errors.Is(context.Cause(ctx), errEnded):
				g.config.Log.Warn("a partition was lost before its state was committed", "partition", r.p.tp.String(), "error", r.err)
				cancel(errEnded)
			case ctx.Err() != nil && errors.Is(r.err, context.Canceled):
			default:
				if first == nil {
					first = fmt.Errorf("%s: %w", r.p.tp, r.err)
				}
				cancel(first)
			}
		case <-ended:
			ended = nil
			timer := time.NewTimer(g.config.HandOver)
			defer timer.Stop()
			late = timer.C
		case <-late:
			list = slices.DeleteFunc(list, func(p *Partition) bool { return !open[p] })
			for _, p := range list {
				p.expire(errFenced)
			}
			if first == nil && !expired && errors.Is(context.Cause(ctx), errEnded) {
				g.config.Log.Warn("partitions were lost before their work has ended; the member joins again when it has", "partitions", fmt.Sprint(names(list)))
				expired = true
				timer := time.NewTimer(g.abandonAfter)
				defer timer.Stop()
				late = timer.C
				continue
			}
			return errors.Join(first, fmt.Errorf("%w: %v after %v", errStuck, names(list), g.config.HandOver))
		}
	}
	if first != nil {
		return first
	}
	return context.Cause(ctx)
}

func names(list []*Partition) []string {
	s := make([]string, len(list))
	for i, p := range list {
		s[i] = p.tp.String()
	}
	return s
}

func (g *Group) assign(list []*Partition) {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.assigned)
	for _, p := range list {
		g.assigned[p.tp] = p
	}
}
