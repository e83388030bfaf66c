package job

import (
	"context"
	"log/slog"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

// Merge copies the records of input.kafka.topics to the topic input.kafka.join, with the series as key, until ctx ends.
// partitions > 0: it creates a missing topic with that number of partitions.
func Merge(ctx context.Context, cfg *config.Config, partitions int, log *slog.Logger) error {
	k := wire.InputKafka(cfg)
	connection, err := k.Connection()
	if err != nil {
		return err
	}
	err = atBrokers(connection.Ping(ctx))
	if err == nil && partitions > 0 {
		err = connection.CreateTopic(ctx, k.Join, partitions)
	}
	switch {
	case ctx.Err() != nil:
		return nil //nolint:nilerr // stopped before the first record
	case err != nil:
		return err
	}
	m, err := newMerger(cfg, connection, log)
	if err != nil {
		return err
	}
	return m.run(ctx)
}

// merger copies records while this member of the group is the one that copies.
type merger struct {
	group      *kafka.Group
	producer   *kafkasink.Producer
	newDecoder func(context.Context) (stream.Decoder, error)
	drain      time.Duration // time limit for the last writes; shorter than handOver
	patience   time.Duration // longest wait for a partition that has messages but does not deliver them
	log        *slog.Logger
	to         string
}

func newMerger(cfg *config.Config, connection cluster.Connection, log *slog.Logger) (*merger, error) {
	k := wire.InputKafka(cfg)
	group, err := kafka.NewGroup(kafka.GroupConfig{
		Connection: connection, Topics: k.Topics, Group: k.Joining(), OneMember: true, Offset: kafka.Offset(k.Offset), Isolation: kafka.Isolation(k.IsolationLevel),
		MaxMessageBytes: int(k.MaxMessageLen), Log: log, SessionTimeout: k.SessionTimeout, HandOver: min(handOver, k.SessionTimeout/3),
	})
	if err != nil {
		return nil, err
	}
	producer, err := kafkasink.NewProducer(connection, k.Join, log)
	if err != nil {
		return nil, err
	}
	newDecoder, err := wire.NewDecoders(cfg, log)
	if err != nil {
		return nil, err
	}
	return &merger{
		group: group, producer: producer, newDecoder: newDecoder, log: log, to: k.Join,
		drain: min(drainTimeout, k.SessionTimeout/4), patience: k.SessionTimeout,
	}, nil
}

// run copies until ctx ends.
func (m *merger) run(ctx context.Context) error {
	defer m.producer.Close()
	m.log.Info("merging", "to", m.to)
	j := newJoining(m.producer, m.group.NumPartitions, m.patience, m.log)
	// Writes and commits may outlive ctx, so that an orderly end does not duplicate records.
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	reading, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := j.run(writing); err != nil {
			fail(err)
		}
	}()
	err := m.group.Run(reading, func(ctx context.Context, p *kafka.Partition) error { return m.work(ctx, j, p) })
	if failure := context.Cause(reading); failure != nil && ctx.Err() == nil {
		err = failure
	}
	stop()
	<-ended
	m.log.Info("ended", "records", j.records)
	return err
}

// commitEvery is the time between commits. It limits the records that are written twice after a crash.
const commitEvery = time.Second

// work reads one partition, and commits the records that j has written.
func (m *merger) work(ctx context.Context, j *joining, p *kafka.Partition) error {
	s := newSource(p, p.Topic(), p.Number())
	j.add(s)
	dec, err := m.newDecoder(ctx)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	if err == nil {
		go func() { failed <- (&splitter{decoder: dec, log: m.log}).read(reading, s, j) }()
	}
	var committed int64
	commit := func(ctx context.Context) error {
		next := s.written.Load()
		if next == committed {
			return nil
		}
		err := p.Commit(ctx, next)
		if err == nil {
			committed = next
		}
		return err
	}
	tick := time.NewTicker(commitEvery)
	defer tick.Stop()
	for err == nil {
		select {
		case <-tick.C:
			if err = commit(ctx); err == nil {
				continue
			}
			stop()
			if cause := <-failed; cause != nil {
				m.log.Debug("the copying has ended after a commit that failed", "error", cause)
			}
		case err = <-failed:
		}
		break
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.drain)
	defer cancel()
	j.remove(limit, s)
	if ctx.Err() != nil {
		_ = commit(limit) // on failure the next member writes these records again
		return nil
	}
	return err
}
