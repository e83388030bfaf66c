package job

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka"
)

// Merger passes on the messages of one partition.
type Merger struct {
	Partition *kafka.Partition
	Decoder   stream.Decoder
	Records   *atomic.Int64
	Drain     time.Duration // how long the end may take; less than HandOver

	record stream.Record
	out    []stream.Message
}

// commitEvery bounds how much is there twice after a crash.
const commitEvery = time.Second

func (m *Merger) Run(ctx context.Context, c kafka.Connection, to string, log *slog.Logger) (err error) {
	producer, err := kafka.NewProducer(c, to, log)
	if err != nil {
		return err
	}
	defer producer.Close()
	// What was written is not to be there twice because of an orderly end: writing
	// and committing may go on beyond it.
	writing, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(m.Drain, giveUp) })()
	var next, committed int64
	last := time.Now()
	commit := func() error {
		if next == committed {
			return nil
		}
		committed, last = next, time.Now()
		return m.Partition.Commit(writing, next)
	}
	messages := make([]stream.Message, 500)
	for {
		n, err := m.Partition.Read(ctx, messages)
		if ctx.Err() != nil {
			_ = commit() // then it is there twice
			return nil
		}
		if err != nil {
			return err
		}
		m.out = m.out[:0]
		for i := range messages[:n] {
			if msg := &messages[i]; msg.Refused != nil {
				log.Warn("a message is left out", "message", msg.Origin(), "reason", msg.Refused.Reason, "detail", msg.Refused.Detail)
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
		m.Records.Add(int64(len(m.out)))
		next = messages[n-1].Offset + 1
		if time.Since(last) >= commitEvery || n < len(messages) {
			if err := commit(); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// take appends the records of a message to m.out, each with its series as the key.
func (m *Merger) take(msg *stream.Message) {
	splitter, ok := m.Decoder.(stream.Splitter)
	if !ok {
		m.pass(msg, m.Decoder.Decode(&m.record, msg))
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

// pass appends one record; one that cannot be read keeps its key.
func (m *Merger) pass(part *stream.Message, err error) {
	key := part.Key
	if err == nil {
		key = []byte(m.record.Series)
	}
	m.out = append(m.out, stream.Message{Key: slices.Clone(key), Value: slices.Clone(part.Value), Time: part.Time})
}
