package job

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka"
)

// Merge writes the records of input.kafka.topics to the topic input.kafka.join, with the series as the
// key, until ctx ends. With partitions > 0 it creates a topic that does not exist.
func Merge(ctx context.Context, cfg *config.Config, partitions int, log *slog.Logger) error {
	k := wire.InputKafka(cfg)
	to := k.Join
	connection, err := k.Connection()
	if err != nil {
		return err
	}
	err = atBrokers(connection.Ping(ctx))
	if err == nil && partitions > 0 {
		err = connection.CreateTopic(ctx, to, partitions)
	}
	switch {
	case ctx.Err() != nil:
		return nil //nolint:nilerr // stopped before there was anything to do
	case err != nil:
		return err
	}
	group, err := kafka.NewGroup(kafka.GroupConfig{
		Connection: connection, Topics: k.Topics, Group: k.Joining(), Offset: kafka.Offset(k.Offset), Isolation: kafka.Isolation(k.IsolationLevel),
		MaxMessageBytes: int(k.MaxMessageLen), Log: log, SessionTimeout: k.SessionTimeout, HandOver: min(handOver, k.SessionTimeout/3),
	})
	if err != nil {
		return err
	}
	var records atomic.Int64
	log.Info("merging", "topics", k.Topics, "to", to)
	newDecoder, err := wire.NewDecoders(cfg, log)
	if err != nil {
		return err
	}
	err = group.Run(ctx, func(ctx context.Context, p *kafka.Partition) error {
		dec, err := newDecoder(ctx)
		if err != nil {
			return err
		}
		m := &merger{partition: p, decoder: dec, records: &records, drain: min(drainTimeout, k.SessionTimeout/4)}
		return m.run(ctx, connection, to, log)
	})
	log.Info("ended", "records", records.Load())
	return err
}

// merger copies the records of one partition.
type merger struct {
	partition *kafka.Partition
	decoder   stream.Decoder
	records   *atomic.Int64
	drain     time.Duration // limit for the end; shorter than handOver

	record stream.Record
	out    []stream.Message
}

// commitEvery limits the records that are written twice after a crash.
const commitEvery = time.Second

func (m *merger) run(ctx context.Context, c kafka.Connection, to string, log *slog.Logger) (err error) {
	producer, err := kafka.NewProducer(c, to, log)
	if err != nil {
		return err
	}
	defer producer.Close()
	// An orderly end must not duplicate records: requests and commits may outlive ctx.
	writing, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(m.drain, giveUp) })()
	var next, committed int64
	last := time.Now()
	commit := func() error {
		if next == committed {
			return nil
		}
		committed, last = next, time.Now()
		return m.partition.Commit(writing, next)
	}
	messages := make([]stream.Message, 500)
	for {
		n, err := m.partition.Read(ctx, messages)
		if ctx.Err() != nil {
			_ = commit() // on failure the next member writes these records again
			return nil
		}
		if err != nil {
			return err
		}
		m.out = m.out[:0]
		for i := range messages[:n] {
			if msg := &messages[i]; msg.Refused != nil {
				log.Warn("message refused", "message", msg.Origin(), "reason", msg.Refused.Reason, "detail", msg.Refused.Detail)
			} else {
				m.take(msg)
			}
		}
		if err := producer.Send(writing, m.out); err != nil {
			m.out = nil // a request may still hold them
			if ctx.Err() != nil {
				continue
			}
			return err
		}
		m.records.Add(int64(len(m.out)))
		next = messages[n-1].Offset + 1
		if time.Since(last) >= commitEvery || n < len(messages) {
			if err := commit(); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// take appends the records of a message to m.out, each with its series as the key.
func (m *merger) take(msg *stream.Message) {
	splitter, ok := m.decoder.(stream.Splitter)
	if !ok {
		m.pass(msg, m.decoder.Decode(&m.record, msg))
		return
	}
	splitter.Split(msg)
	for {
		err := splitter.Next(&m.record)
		if errors.Is(err, io.EOF) {
			return
		}
		part := m.record.Message
		if part == nil {
			part = msg
		}
		m.pass(part, err)
		var bad *stream.DataError
		if err != nil && !errors.As(err, &bad) {
			return
		}
	}
}

// pass appends one record. A message that cannot be decoded keeps its key.
func (m *merger) pass(part *stream.Message, err error) {
	key := part.Key
	if err == nil {
		key = []byte(m.record.Series)
	}
	m.out = append(m.out, stream.Message{Key: slices.Clone(key), Value: slices.Clone(part.Value), Time: part.Time})
}
